//! The walk with tokio and a shared list of directories: a global one behind tokio's own mutex.
//!
//! The five styles differ only in what they spawn and when they await it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cyclescope_host::walk::Spec;
use tokio::fs::{self, DirEntry, ReadDir};
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;

use super::{output, runtime, sync};
use crate::count;

/// The blocks that a style spawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Nothing.
    Await,
    /// The directory block of each entry, awaited at once.
    SpawnOne,
    /// Both blocks, each awaited at once.
    SpawnBoth,
    /// Both blocks, then both awaited.
    Join,
    /// Each directory of a level, and each entry of a directory.
    JoinSet,
}

/// The directories found and not yet read.
static LIST: OnceCell<Mutex<Vec<PathBuf>>> = OnceCell::const_new();

async fn list() -> &'static Mutex<Vec<PathBuf>> {
    LIST.get_or_init(|| async { Mutex::new(Vec::new()) }).await
}

/// The number of entries that tokio's `ReadDir` fetches at once; each fetch is a hop to the blocking pool.
const CHUNK: u64 = 32;

pub(super) fn run(spec: &Spec, root: &Path, style: Style) {
    runtime(spec).block_on(walk(root.to_owned(), style));
}

async fn walk(root: PathBuf, style: Style) {
    output::directory(&root);
    count::lock(list().await).await.push(root);
    loop {
        let level = std::mem::take(&mut *count::lock(list().await).await);
        if level.is_empty() {
            return;
        }
        if style == Style::JoinSet {
            let mut directories = JoinSet::new();
            for path in level {
                count::task();
                directories.spawn(async move { directory_in_parallel(&path).await });
            }
            while let Some(done) = directories.join_next().await {
                done.expect("a walk does not panic");
            }
        } else {
            for path in level {
                directory(&path, style).await;
            }
        }
    }
}

/// Reads one directory, entry by entry.
async fn directory(path: &Path, style: Style) {
    let found = Arc::new(Mutex::new(Vec::new()));
    let mut entries = Entries::of(path).await;
    while let Some(entry) = entries.next().await {
        let entry = Arc::new(entry);
        match style {
            Style::Await | Style::JoinSet => {
                if let Some(path) = directory_block(&entry).await {
                    count::lock(list().await).await.push(path);
                }
                link_block(&entry.path()).await;
            }
            Style::SpawnOne => {
                spawned_directory(&entry, &found).await.expect("a walk does not panic");
                link_block(&entry.path()).await;
            }
            Style::SpawnBoth => {
                spawned_directory(&entry, &found).await.expect("a walk does not panic");
                spawned_link(&entry).await.expect("a walk does not panic");
            }
            Style::Join => {
                let (directory, link) = (spawned_directory(&entry, &found), spawned_link(&entry));
                directory.await.expect("a walk does not panic");
                link.await.expect("a walk does not panic");
            }
        }
    }
    let mut found = count::lock(&found).await;
    if !found.is_empty() {
        count::lock(list().await).await.append(&mut found);
    }
}

/// Reads one directory with a task for each entry.
async fn directory_in_parallel(path: &Path) {
    let (mut entries, mut tasks) = (Entries::of(path).await, JoinSet::new());
    while let Some(entry) = entries.next().await {
        count::task();
        tasks.spawn(async move {
            if let Some(path) = directory_block(&entry).await {
                count::lock(list().await).await.push(path);
            }
            link_block(&entry.path()).await;
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("a walk does not panic");
    }
}

/// The entries of a directory, one by one. Each hop to the blocking pool is counted.
pub(super) struct Entries<'p> {
    path: &'p Path,
    /// `None` after an error, which was then printed.
    entries: Option<ReadDir>,
    seen: u64,
}

impl<'p> Entries<'p> {
    pub(super) async fn of(path: &'p Path) -> Self {
        count::hops(1);
        let entries = fs::read_dir(path).await.map_err(|error| output::complain(path, &error)).ok();
        Self { path, entries, seen: 0 }
    }

    pub(super) async fn next(&mut self) -> Option<DirEntry> {
        match self.entries.as_mut()?.next_entry().await {
            Ok(Some(entry)) => {
                self.seen += 1;
                Some(entry)
            }
            Ok(None) => {
                // The first chunk comes with the directory; after a full chunk another fetch is needed to find the end.
                count::hops(self.seen / CHUNK);
                None
            }
            Err(error) => {
                output::complain(self.path, &error);
                self.entries = None;
                None
            }
        }
    }
}

/// Returns the entry's path if it is a directory.
pub(super) async fn directory_block(entry: &DirEntry) -> Option<PathBuf> {
    let path = entry.path();
    count::hops(1);
    match entry.metadata().await {
        Ok(metadata) if metadata.is_dir() => {
            output::directory(&path);
            Some(path)
        }
        Ok(_) => None,
        Err(error) => {
            output::complain(&path, &error);
            None
        }
    }
}

/// Prints a link to a directory. The check blocks the worker.
pub(super) async fn link_block(path: &Path) {
    count::hops(1);
    sync::link(path, fs::read_link(path).await);
}

fn spawned_directory(entry: &Arc<DirEntry>, found: &Arc<Mutex<Vec<PathBuf>>>) -> tokio::task::JoinHandle<()> {
    let (entry, found) = (entry.clone(), found.clone());
    count::task();
    tokio::spawn(async move {
        if let Some(path) = directory_block(&entry).await {
            count::lock(&found).await.push(path);
        }
    })
}

fn spawned_link(entry: &Arc<DirEntry>) -> tokio::task::JoinHandle<()> {
    let path = entry.path();
    count::task();
    tokio::spawn(async move { link_block(&path).await })
}
