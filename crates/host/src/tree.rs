//! A tree of directories, files and links, always the same for a seed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The size of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Directories below the root.
    pub dirs: u32,
    /// Files, all empty.
    pub files: u32,
    /// Symbolic links: of each eight, four lead to directories, two to files, one nowhere and one to itself.
    pub links: u32,
    /// The greatest depth of directories: those in the root are at depth 1.
    pub depth: u32,
    /// The seed of the random choices.
    pub seed: u64,
}

impl Shape {
    /// Returns the number of entries.
    pub fn entries(self) -> u64 {
        u64::from(self.dirs) + u64::from(self.files) + u64::from(self.links)
    }
}

/// Creates the tree in `root`, an empty folder. Each directory, file and link goes into a random directory created
/// before; with a `depth` of 0 only the root has entries.
///
/// # Errors
/// Errors of the file system, such as a full disk.
pub fn make(root: &Path, shape: Shape) -> io::Result<()> {
    let mut random = Pcg64::seed_from_u64(shape.seed);
    // Each directory with its depth, and the number of those that may contain directories.
    let mut directories: Vec<(PathBuf, u32)> = vec![(root.to_owned(), 0)];
    let mut parents = vec![0usize];
    if shape.depth > 0 {
        for index in 0..shape.dirs {
            let (parent, depth) = &directories[parents[random.random_range(0..parents.len())]];
            let (path, depth) = (parent.join(format!("d{index:05}")), depth + 1);
            fs::create_dir(&path)?;
            if depth < shape.depth {
                parents.push(directories.len());
            }
            directories.push((path, depth));
        }
    }
    let mut place = |name: String| {
        let (directory, _) = &directories[random.random_range(0..directories.len())];
        directory.join(name)
    };
    let mut files = Vec::new();
    for index in 0..shape.files {
        let path = place(format!("f{index:06}"));
        File::create_new(&path)?;
        files.push(path);
    }
    for index in 0..shape.links {
        let (path, other) = (place(format!("l{index:05}")), place(String::new()));
        let target = match index % 8 {
            0..4 => other,
            4 | 5 if !files.is_empty() => files[index as usize % files.len()].clone(),
            7 => path.clone(),
            _ => PathBuf::from("nowhere"),
        };
        symlink(target, path)?;
    }
    Ok(())
}

/// Refuses to make a link: the system tells links to directories from others.
#[cfg(not(unix))]
fn symlink(_: PathBuf, _: PathBuf) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "links need a Unix system"))
}

/// Returns the lines of `output`, sorted. Equal lines become one; no walk may print a line twice.
pub fn lines(output: &[u8]) -> BTreeSet<&[u8]> {
    output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(root: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
        let mut all = Vec::new();
        let mut list = vec![root.to_owned()];
        while let Some(path) = list.pop() {
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap();
                let target = fs::read_link(entry.path()).ok();
                let relative = |path: PathBuf| path.strip_prefix(root).map(Path::to_owned).unwrap_or(path);
                all.push((relative(entry.path()), target.map(relative)));
                if entry.file_type().unwrap().is_dir() {
                    list.push(entry.path());
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_tree_is_as_asked_for_and_the_same_each_time() {
        let shape = Shape { dirs: 20, files: 30, links: 16, depth: 3, seed: 5 };
        let trees: Vec<_> = (0..2)
            .map(|_| {
                let root = tempfile::tempdir().unwrap();
                make(root.path(), shape).unwrap();
                let listed = listed(root.path());
                let is = |find: &dyn Fn(&Path) -> bool| {
                    listed.iter().filter(|(path, _)| find(&root.path().join(path))).count()
                };
                assert_eq!(is(&|path| path.is_dir() && !path.is_symlink()), 20);
                assert_eq!(is(&|path| path.is_file() && !path.is_symlink()), 30);
                assert_eq!(is(&|path| path.is_symlink() && path.is_dir()), 8);
                assert_eq!(is(&|path| path.is_symlink() && path.is_file()), 4);
                assert!(
                    listed.iter().all(|(path, _)| path.components().count() <= 4),
                    "a file in a directory at depth 3"
                );
                listed
            })
            .collect();
        assert_eq!(trees[0], trees[1]);
    }

    #[test]
    fn a_tree_may_be_empty_or_flat() {
        let root = tempfile::tempdir().unwrap();
        make(root.path(), Shape { dirs: 4, files: 0, links: 8, depth: 0, seed: 1 }).unwrap();
        assert_eq!(listed(root.path()).len(), 8, "links only");
    }
}
