//! The walk with two runtimes over io_uring.
//!
//! io_uring has no call that lists a directory or reads a link. A directory is one hop to the runtime's pool of threads, which
//! lists it and reads its entries as links; the metadata of all entries goes through the ring, many at once.

use std::future::Future;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use futures::{StreamExt, stream};

use super::{output, sync};
use crate::count;

/// The directories under way at once, and the entries of each: together fewer than a ring has places.
const DIRECTORIES: usize = 16;
const ENTRIES: usize = 32;

/// An entry, and what reading it as a link gave.
type Listed = (PathBuf, io::Result<PathBuf>);

/// Walks with compio.
///
/// # Errors
/// This machine does not allow io_uring.
pub(super) fn compio(root: &Path) -> Result<(), String> {
    let runtime = compio_runtime()?;
    let list = |path: PathBuf| {
        let listed = compio::runtime::spawn_blocking(move || list(&path));
        async { listed.await.expect("a walk does not panic") }
    };
    let is_directory =
        |path: PathBuf| async { compio::fs::symlink_metadata(path).await.map(|metadata| metadata.is_dir()) };
    runtime.block_on(walk(root, list, is_directory));
    Ok(())
}

/// Returns compio's runtime.
pub(crate) fn compio_runtime() -> Result<compio::runtime::Runtime, String> {
    compio::runtime::Runtime::new().map_err(|error| refused(&error))
}

/// Walks with monoio.
///
/// # Errors
/// This machine does not allow io_uring.
pub(super) fn monoio(root: &Path) -> Result<(), String> {
    let mut runtime = monoio_runtime()?;
    let list = |path: PathBuf| {
        let listed = monoio::spawn_blocking(move || list(&path));
        async { listed.await.expect("nobody cancels it") }
    };
    let is_directory =
        |path: PathBuf| async { monoio::fs::symlink_metadata(path).await.map(|metadata| metadata.is_dir()) };
    runtime.block_on(walk(root, list, is_directory));
    Ok(())
}

/// Returns monoio's runtime over io_uring, with its own pool of threads for what blocks.
pub(crate) fn monoio_runtime() -> Result<monoio::Runtime<monoio::IoUringDriver>, String> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let pool = monoio::blocking::DefaultThreadPool::new(threads);
    monoio::RuntimeBuilder::<monoio::IoUringDriver>::new()
        .attach_thread_pool(Box::new(pool))
        .build()
        .map_err(|error| refused(&error))
}

fn refused(error: &io::Error) -> String {
    format!("this machine does not allow io_uring: {error}")
}

async fn walk<L, M>(root: &Path, list: impl Fn(PathBuf) -> L, is_directory: impl Fn(PathBuf) -> M)
where
    L: Future<Output = Vec<Listed>>,
    M: Future<Output = io::Result<bool>>,
{
    output::directory(root);
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let (list, is_directory) = (&list, &is_directory);
        let read = |path: PathBuf| async move {
            count::hops(1);
            let entries = stream::iter(list(path).await);
            let told = entries.map(|entry| one(entry, is_directory)).buffer_unordered(ENTRIES);
            told.filter_map(std::future::ready).collect::<Vec<PathBuf>>().await
        };
        let found = stream::iter(level).map(read).buffer_unordered(DIRECTORIES);
        level = found.map(stream::iter).flatten().collect().await;
    }
}

/// Tells of one entry, and returns its path if it is a directory.
async fn one<M>((path, target): Listed, is_directory: &impl Fn(PathBuf) -> M) -> Option<PathBuf>
where
    M: Future<Output = io::Result<bool>>,
{
    let known = is_directory(path.clone()).await;
    if let Ok(true) = known {
        output::directory(&path);
    }
    if let Err(error) = &known {
        output::complain(&path, error);
    }
    sync::link(&path, target);
    matches!(known, Ok(true)).then_some(path)
}

/// Lists `path` and reads each entry as a link.
fn list(path: &Path) -> Vec<Listed> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => {
            output::complain(path, &error);
            return Vec::new();
        }
    };
    let mut listed = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                let target = std::fs::read_link(&path);
                listed.push((path, target));
            }
            Err(error) => output::complain(path, &error),
        }
    }
    listed
}
