//! All walks print the same, whatever the tree contains.

use crate::common;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use common::walked;
use cyclescope_host::spec::Counts;
use cyclescope_host::tree::{self, Shape, lines};
use cyclescope_host::walk::Variant;

/// Checks that each variant's output on `root` equals the plain walk's, and returns that.
fn all_alike(root: &Path) -> (BTreeSet<Vec<u8>>, Vec<String>) {
    let plain = walked(Variant::Sync, root, false).expect("it walks");
    let expected = lines(&plain.output);
    for variant in Variant::all() {
        let ran = walked(variant, root, false).expect("it walks");
        if variant.is_ring() && ran.account.absent.is_some() {
            continue;
        }
        let found = lines(&ran.output);
        assert_eq!(ran.output.iter().filter(|byte| **byte == b'\n').count(), found.len(), "{}: twice", variant.name());
        let name = variant.name();
        assert!(found == expected, "{name} says {} lines and sync {}", found.len(), expected.len());
        assert_eq!(ran.complaints, plain.complaints, "{name}");
    }
    (expected.into_iter().map(<[u8]>::to_vec).collect(), plain.complaints)
}

#[test]
fn all_find_the_same_in_a_tree() {
    let root = tempfile::tempdir().unwrap();
    // More entries than tokio reads at once, at least in the root.
    tree::make(root.path(), Shape { dirs: 60, files: 300, links: 64, depth: 4, seed: 7 }).unwrap();
    for index in 0..80 {
        fs::write(root.path().join(format!("more{index}")), "").unwrap();
    }
    let (lines, complaints) = all_alike(root.path());
    let links = lines.iter().filter(|line| line.windows(5).any(|part| part == b"@ -> ")).count();
    assert_eq!((lines.len() - links, links), (61, 32), "each directory and the root, and half of the links");
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn all_take_links_that_loop_or_lead_nowhere_and_names_of_any_bytes() {
    let root = tempfile::tempdir().unwrap();
    let odd = root.path().join(OsStr::from_bytes(b"not \xff UTF-8"));
    fs::create_dir(&odd).unwrap();
    symlink("..", odd.join("up")).unwrap();
    symlink("itself", root.path().join("itself")).unwrap();
    symlink("b", root.path().join("a")).unwrap();
    symlink("a", root.path().join("b")).unwrap();
    symlink("/nowhere/at/all", root.path().join("dangling")).unwrap();
    symlink(&odd, root.path().join(".hidden link")).unwrap();
    fs::create_dir(root.path().join(".hidden")).unwrap();
    fs::write(root.path().join(".gitignore"), "*").unwrap();
    let (lines, complaints) = all_alike(root.path());
    assert_eq!(lines.len(), 5, "root, odd, .hidden, and the links up and .hidden link");
    assert!(lines.iter().any(|line| line.ends_with(b"not \xff UTF-8/up@ -> ..")));
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn all_complain_alike_of_a_root_that_is_not_there_or_is_none() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("missing");
    let (lines, complaints) = all_alike(&missing);
    assert!(lines.is_empty());
    assert_eq!(complaints, [format!("{}: NotFound", missing.display())]);
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(all_alike(&file).1, [format!("{}: NotADirectory", file.display())]);
}

#[test]
fn all_complain_alike_of_a_folder_that_may_not_be_read() {
    let root = tempfile::tempdir().unwrap();
    let closed = root.path().join("d/closed");
    fs::create_dir_all(&closed).unwrap();
    fs::create_dir(root.path().join("e")).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
    // A user who may read everything has no such folder.
    let may_read_all = fs::read_dir(&closed).is_ok();
    let (lines, complaints) = all_alike(root.path());
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    assert_eq!(lines.len(), 4);
    let expected = if may_read_all { vec![] } else { vec![format!("{}: PermissionDenied", closed.display())] };
    assert_eq!(complaints, expected);
}

#[test]
fn counts_are_of_what_was_done() {
    let root = tempfile::tempdir().unwrap();
    tree::make(root.path(), Shape { dirs: 20, files: 100, links: 16, depth: 3, seed: 9 }).unwrap();
    for index in 0..64 {
        fs::write(root.path().join(format!("more{index}")), "").unwrap();
    }
    let entries = 20 + 100 + 16 + 64;
    let counts = |variant| walked(variant, root.path(), true).unwrap().account.counts.unwrap();
    let full: u64 = std::iter::once(root.path().to_owned())
        .chain(directories(root.path()))
        .map(|path| fs::read_dir(path).unwrap().count() as u64 / 32)
        .sum();
    let hops = Some(21 + full + 2 * entries);
    assert!(full >= 2, "the root has some chunks");
    for (variant, tasks) in [
        (Variant::TokioAwait, 0),
        (Variant::TokioSpawnOne, entries),
        (Variant::TokioSpawnBoth, 2 * entries),
        (Variant::TokioJoin, 2 * entries),
        (Variant::TokioJoinset, 21 + entries),
        (Variant::TokioJoinsetValues, 21 + entries),
    ] {
        let counted = counts(variant);
        assert_eq!((counted.tasks, counted.hops), (tasks, hops), "{}", variant.name());
        assert_eq!(counted.locks == 0, variant == Variant::TokioJoinsetValues, "{}", variant.name());
        let threads = counted.threads.unwrap();
        assert!((3..=6).contains(&threads), "two workers and at most four that block: {threads}");
    }
    assert_eq!(counts(Variant::TokioBlocking).hops, Some(1));
    assert_eq!(counts(Variant::TokioBounded).hops, Some(21));
    let none = Counts { hops: Some(0), threads: Some(0), ..Counts::default() };
    assert_eq!(counts(Variant::Sync), none);
    assert_eq!(counts(Variant::Smol).hops, None, "not known");
    assert!(walked(Variant::Sync, root.path(), false).unwrap().account.counts.is_none());
}

fn directories(root: &Path) -> Vec<std::path::PathBuf> {
    let ran = walked(Variant::Sync, root, false).expect("it walks");
    let text = String::from_utf8(ran.output).expect("the names are ASCII");
    text.lines().filter(|line| !line.contains("@ -> ")).skip(1).map(Into::into).collect()
}
