//! The walk with smol: one task for each directory, which returns its entries, and the library's asynchronous file calls.

use std::path::{Path, PathBuf};

use smol::fs;
use smol::stream::StreamExt;

use super::{output, sync};
use crate::count;

pub(super) fn smol(root: &Path) {
    let root = root.to_owned();
    smol::block_on(async {
        output::directory(&root);
        let mut level = vec![root];
        while !level.is_empty() {
            let mut tasks = Vec::new();
            for path in level.drain(..) {
                count::task();
                tasks.push(smol::spawn(directory(path)));
            }
            for task in tasks {
                level.extend(task.await);
            }
        }
    });
}

/// The directories in `path`.
async fn directory(path: PathBuf) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut entries = match fs::read_dir(&path).await {
        Ok(entries) => entries,
        Err(error) => {
            output::complain(&path, &error);
            return found;
        }
    };
    while let Some(entry) = entries.next().await {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                output::complain(&path, &error);
                break;
            }
        };
        let path = entry.path();
        // `DirEntry::metadata` follows the link.
        match fs::symlink_metadata(&path).await {
            Ok(metadata) if metadata.is_dir() => {
                output::directory(&path);
                found.push(path.clone());
            }
            Ok(_) => {}
            Err(error) => output::complain(&path, &error),
        }
        sync::link(&path, fs::read_link(&path).await);
    }
    found
}
