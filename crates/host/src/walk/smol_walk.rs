//! The walk with smol and with async-std: one task for each directory, which returns its entries, and each library's
//! asynchronous file calls.

use std::path::{Path, PathBuf};

use futures::StreamExt;

use super::{output, sync};
use crate::count;

/// The whole walk with one library's calls. They have the same names and shapes, and no trait in common.
macro_rules! walk {
    ($root:expr, $spawn:path, $fs:ident) => {{
        let root: PathBuf = $root.to_owned();
        output::directory(&root);
        let mut level = vec![root];
        while !level.is_empty() {
            let mut tasks = Vec::new();
            for path in level.drain(..) {
                count::task();
                tasks.push($spawn(async move {
                    let mut found: Vec<PathBuf> = Vec::new();
                    let mut entries = match $fs::read_dir(&path).await {
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
                        let path: PathBuf = entry.path().into();
                        // `DirEntry::metadata` follows the link in one library and not in the other.
                        match $fs::symlink_metadata(&path).await {
                            Ok(metadata) if metadata.is_dir() => {
                                output::directory(&path);
                                found.push(path.clone());
                            }
                            Ok(_) => {}
                            Err(error) => output::complain(&path, &error),
                        }
                        sync::link(&path, $fs::read_link(&path).await.map(Into::into));
                    }
                    found
                }));
            }
            for task in tasks {
                level.extend(task.await);
            }
        }
    }};
}

pub(super) fn smol(root: &Path) {
    use smol::fs;
    smol::block_on(async { walk!(root, smol::spawn, fs) });
}

pub(super) fn async_std(root: &Path) {
    use async_std::fs;
    async_std::task::block_on(async { walk!(root, async_std::task::spawn, fs) });
}
