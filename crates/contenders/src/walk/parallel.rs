//! The walk with rayon over the plain walk, and with two crates that walk in parallel themselves.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{output, sync};
use crate::count;

/// Walks with the directories of each level in parallel.
pub(super) fn rayon(root: &Path) {
    let pool = rayon::ThreadPoolBuilder::new().start_handler(|_| count::thread()).build();
    pool.expect("the host has threads to give").install(|| {
        output::directory(root);
        let mut level = vec![root.to_owned()];
        while !level.is_empty() {
            let read = |path: PathBuf| {
                let mut found = Vec::new();
                sync::directory(&path, &mut found);
                found
            };
            count_all(level.len());
            level = level.into_par_iter().flat_map_iter(read).collect();
        }
    });
}

fn count_all(tasks: usize) {
    for _ in 0..tasks {
        count::task();
    }
}

/// Walks with jwalk. The work is done on its own reading threads.
pub(super) fn jwalk(root: &Path) {
    output::directory(root);
    let walk = jwalk::WalkDir::new(root).skip_hidden(false).follow_links(false).process_read_dir(
        |_, directory, (), entries| {
            count::task();
            for entry in entries.iter_mut() {
                match entry {
                    // The root comes once by itself, as an entry of no directory.
                    Ok(entry) if entry.depth == 0 => {}
                    Ok(entry) => {
                        if !of_entry(&entry.path(), entry.metadata().map_err(|error| jwalk_reason(&error))) {
                            entry.read_children = None;
                        }
                    }
                    Err(error) => output::complain_of(error.path().unwrap_or(directory), &jwalk_reason(error)),
                }
            }
        },
    );
    let said = |error: &jwalk::Error| output::complain_of(error.path().unwrap_or(root), &jwalk_reason(error));
    for entry in walk {
        match entry {
            Ok(entry) => {
                // An error in reading a directory is in the directory's own entry.
                if let Some(error) = entry.read_children.as_ref().and_then(|read| read.error()) {
                    said(error);
                }
            }
            // An entry's own error was printed when it was read.
            Err(error) if error.depth() > 0 => {}
            Err(error) => said(&error),
        }
    }
}

fn jwalk_reason(error: &jwalk::Error) -> String {
    error.io_error().map_or_else(|| error.to_string(), output::reason)
}

/// Walks with ignore and all its filters off. The work is done in its visitors.
pub(super) fn ignore(root: &Path) {
    output::directory(root);
    ignore::WalkBuilder::new(root).standard_filters(false).follow_links(false).build_parallel().run(|| {
        Box::new(|entry| {
            count::task();
            match entry {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => {
                    if !of_entry(entry.path(), entry.metadata().map_err(|error| ignore_reason(&error))) {
                        return ignore::WalkState::Skip;
                    }
                }
                Err(error) => output::complain_of(ignore_path(&error).unwrap_or(root), &ignore_reason(&error)),
            }
            ignore::WalkState::Continue
        })
    });
}

fn ignore_reason(error: &ignore::Error) -> String {
    error.io_error().map_or_else(|| error.to_string(), output::reason)
}

/// Returns the path of an error.
fn ignore_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => ignore_path(err),
        _ => None,
    }
}

/// Prints the result for an entry with its metadata, and tells if there was metadata. An entry without it was reported
/// already and must not be read, or it would be reported again.
fn of_entry(path: &Path, metadata: Result<std::fs::Metadata, String>) -> bool {
    let known = metadata.is_ok();
    match metadata {
        Ok(metadata) if metadata.is_dir() => output::directory(path),
        Ok(_) => {}
        Err(reason) => output::complain_of(path, &reason),
    }
    sync::link(path, std::fs::read_link(path));
    known
}
