//! The plain walk, and its parts for those that run it elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use super::say;

/// The whole walk on this thread.
pub(super) fn walk(root: &Path) {
    say::directory(root);
    let mut list = vec![root.to_owned()];
    while !list.is_empty() {
        for path in std::mem::take(&mut list) {
            directory(&path, &mut list);
        }
    }
}

/// Reads one directory; the directories in it are appended to `found`.
pub(super) fn directory(path: &Path, found: &mut Vec<PathBuf>) {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return say::complain(path, &error),
    };
    for entry in entries {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => {
                        say::directory(&path);
                        found.push(path.clone());
                    }
                    Ok(_) => {}
                    Err(error) => say::complain(&path, &error),
                }
                link(&path, fs::read_link(&path));
            }
            Err(error) => say::complain(path, &error),
        }
    }
}

/// What is said of an entry whose link was read; what is no link gives an error, which is no complaint.
pub(super) fn link(path: &Path, target: std::io::Result<PathBuf>) {
    if let Ok(target) = target
        && path.is_dir()
    {
        say::link(path, &target);
    }
}
