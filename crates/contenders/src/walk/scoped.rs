//! The walk with the standard library's scoped threads: the directories of each level in even shares, a thread each.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use super::{output, sync};
use crate::count;

pub(super) fn walk(root: &Path) {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    output::directory(root);
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let shares = level.chunks(level.len().div_ceil(processors));
        level = thread::scope(|scope| {
            let threads: Vec<_> = shares.map(|share| scope.spawn(|| read(share))).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a walk does not panic")).collect()
        });
    }
}

/// Reads a thread's share of directories and returns their subdirectories.
fn read(share: &[PathBuf]) -> Vec<PathBuf> {
    count::thread();
    let mut found = Vec::new();
    for path in share {
        count::task();
        sync::directory(path, &mut found);
    }
    found
}
