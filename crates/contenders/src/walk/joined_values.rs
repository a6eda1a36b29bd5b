//! The walk with tokio and without a shared list: tasks return their entries.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use cyclescope_host::walk::Spec;
use futures::{StreamExt, stream};
use tokio::task::{JoinSet, spawn_blocking};

use super::shared_list::{Entries, directory_block, link_block};
use super::{output, runtime, sync};
use crate::count;

/// Walks with a JoinSet of directories for each level and a JoinSet of entries for each directory.
pub(super) fn joinset(spec: &Spec, root: &Path) {
    let root = root.to_owned();
    runtime(spec).block_on(async move {
        output::directory(&root);
        let mut level = vec![root];
        while !level.is_empty() {
            let mut directories = JoinSet::new();
            for path in level.drain(..) {
                count::task();
                directories.spawn(async move { directory(&path).await });
            }
            while let Some(found) = directories.join_next().await {
                level.extend(found.expect("a walk does not panic"));
            }
        }
    });
}

async fn directory(path: &Path) -> Vec<PathBuf> {
    let (mut entries, mut tasks) = (Entries::of(path).await, JoinSet::new());
    while let Some(entry) = entries.next().await {
        count::task();
        tasks.spawn(async move {
            let found = directory_block(&entry).await;
            link_block(&entry.path()).await;
            found
        });
    }
    let mut found = Vec::new();
    while let Some(done) = tasks.join_next().await {
        found.extend(done.expect("a walk does not panic"));
    }
    found
}

/// Runs the plain walk as one blocking task.
pub(super) fn blocking(spec: &Spec, root: &Path) {
    let root = root.to_owned();
    count::hops(1);
    runtime(spec).block_on(async { spawn_blocking(move || sync::walk(&root)).await.expect("a walk does not panic") });
}

/// Walks with a blocking task for each directory, as many at once as there are processors.
pub(super) fn bounded(spec: &Spec, root: &Path) {
    let at_once = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let root = root.to_owned();
    runtime(spec).block_on(async move {
        output::directory(&root);
        let mut level = vec![root];
        while !level.is_empty() {
            let read = |path: PathBuf| async move {
                count::hops(1);
                let one = move || {
                    let mut found = Vec::new();
                    sync::directory(&path, &mut found);
                    found
                };
                spawn_blocking(one).await.expect("a walk does not panic")
            };
            level = stream::iter(level).map(read).buffer_unordered(at_once).map(stream::iter).flatten().collect().await;
        }
    });
}
