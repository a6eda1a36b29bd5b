//! The plain walk, and the parts of it that other variants use.

use std::fs;
use std::path::{Path, PathBuf};

use super::output;

/// Walks on this thread.
pub(super) fn walk(root: &Path) {
    output::directory(root);
    let mut list = vec![root.to_owned()];
    while !list.is_empty() {
        for path in std::mem::take(&mut list) {
            directory(&path, &mut list);
        }
    }
}

/// Reads one directory and appends its subdirectories to `found`.
pub(super) fn directory(path: &Path, found: &mut Vec<PathBuf>) {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return output::complain(path, &error),
    };
    for entry in entries {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => {
                        output::directory(&path);
                        found.push(path.clone());
                    }
                    Ok(_) => {}
                    Err(error) => output::complain(&path, &error),
                }
                link(&path, fs::read_link(&path));
            }
            Err(error) => output::complain(path, &error),
        }
    }
}

/// Prints the result of reading an entry as a link. An entry that is no link gives an error, which is not printed.
pub(super) fn link(path: &Path, target: std::io::Result<PathBuf>) {
    if let Ok(target) = target
        && path.is_dir()
    {
        output::link(path, &target);
    }
}
