//! Walks over a tree that changes meanwhile, and walks without permission or file descriptors.

use crate::common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{LIMIT, contender};
use cyclescope_host::process::{self, Program};
use cyclescope_host::spec::{Spec, Work};
use cyclescope_host::tree::lines;
use cyclescope_host::walk::{self, COMPLAINT, Variant};

fn spec(variant: Variant) -> Spec {
    let walk = walk::Spec { variant, workers: Some(2), blocking_threads: Some(4) };
    Spec { work: Work::Walk(walk), cpus: None, count: false }
}

/// Returns a root with `count` directories of long names, each with one subdirectory.
fn wide(count: usize) -> (tempfile::TempDir, Vec<PathBuf>) {
    let root = tempfile::tempdir().expect("there is room");
    let directories: Vec<PathBuf> =
        (0..count).map(|number| root.path().join(format!("{number:03}{}", "-".repeat(180)))).collect();
    for directory in &directories {
        fs::create_dir_all(directory.join("inner")).expect("the test may do that");
    }
    (root, directories)
}

/// Returns all lines of an undisturbed walk from `root`.
fn whole(root: &Path, directories: &[PathBuf]) -> BTreeSet<Vec<u8>> {
    let below = directories.iter().flat_map(|path| [path.clone(), path.join("inner")]);
    std::iter::once(root.to_owned()).chain(below).map(|path| path.as_os_str().as_bytes().to_vec()).collect()
}

/// The number of lines read before something vanishes.
const SEEN: usize = 60;

/// Returns the output of `variant` on `root`, from which `vanish` removes something meanwhile. Standard output is not
/// read until then, and its pipe holds less than all names, so the walk stops before it has printed them all.
fn interrupted(variant: Variant, root: &Path, vanish: impl FnOnce()) -> (Vec<u8>, Vec<String>) {
    let program = contender();
    let mut command = Command::new(&program.path);
    command.arg(serde_json::to_string(&spec(variant)).expect("the test may do that")).arg(root);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the contender starts");
    let mut stdout = BufReader::with_capacity(1, child.stdout.take().expect("it is piped"));
    let mut output = Vec::new();
    for _ in 0..SEEN {
        stdout.read_until(b'\n', &mut output).expect("the test may do that");
    }
    vanish();
    let mut stderr = child.stderr.take().expect("it is piped");
    let complaints = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).expect("the test may do that");
        text.lines().filter_map(|line| line.strip_prefix(COMPLAINT)).map(str::to_owned).collect::<Vec<_>>()
    });
    let mut rest = stdout.into_inner();
    rest.read_to_end(&mut output).expect("the test may do that");
    assert!(child.wait().expect("the test may do that").success(), "{}", variant.name());
    (output, complaints.join().expect("the test may do that"))
}

#[test]
fn all_go_on_and_say_so_when_directories_vanish_under_them() {
    let variants: Vec<Variant> = Variant::all().collect();
    for variant in variants {
        // More bytes than a pipe holds.
        let (root, directories) = wide(400);
        // Early and late directories are equally likely.
        let (gone, left): (Vec<_>, Vec<_>) =
            directories.iter().cloned().enumerate().partition(|(number, _)| number % 3 == 0);
        let [gone, left] = [gone, left].map(|all| all.into_iter().map(|(_, path)| path).collect::<Vec<_>>());
        let (output, complaints) = interrupted(variant, root.path(), || {
            for directory in &gone {
                fs::remove_dir_all(directory).unwrap();
            }
        });
        let name = variant.name();
        let found: BTreeSet<Vec<u8>> = lines(&output).into_iter().map(<[u8]>::to_vec).collect();
        let missing = whole(root.path(), &left).difference(&found).count();
        assert_eq!(missing, 0, "{name}: what stayed is found");
        let known = whole(root.path(), &directories);
        assert!(found.is_subset(&known), "{name}: nothing is made up");
        let unread: BTreeSet<&str> = complaints.iter().map(String::as_str).collect();
        assert_eq!(unread.len(), complaints.len(), "{name}: each once");
        assert!(!complaints.is_empty(), "{name}: it had seen some of those that vanished");
        for complaint in unread {
            let (path, why) = complaint.rsplit_once(": ").unwrap();
            assert_eq!(why, "NotFound", "{name}: {complaint}");
            assert!(gone.iter().any(|gone| Path::new(path).starts_with(gone)), "{name}: {complaint}");
        }
    }
}

#[test]
fn all_end_and_say_so_when_they_may_not_open_more_files() {
    let (root, directories) = wide(300);
    let all = whole(root.path(), &directories);
    let mut short = Vec::new();
    for variant in Variant::all() {
        let few = Program {
            path: "/bin/sh".into(),
            arguments: vec!["-c".into(), "ulimit -n 24; exec \"$0\" \"$@\"".into(), contender().path.into()],
        };
        let name = variant.name();
        let ran =
            process::run(&few, &spec(variant), Some(root.path()), LIMIT).unwrap_or_else(|why| panic!("{name}: {why}"));
        let found: BTreeSet<Vec<u8>> = lines(&ran.output).into_iter().map(<[u8]>::to_vec).collect();
        assert!(found.is_subset(&all), "{name}: nothing is made up");
        // The walk found all, or it reports what it could not open.
        assert_eq!(found.len() == all.len(), ran.complaints.is_empty(), "{name}: {:?}", ran.complaints.first());
        assert!(ran.complaints.iter().all(|why| why.ends_with(": EMFILE")), "{name}: {:?}", ran.complaints.first());
        if !ran.complaints.is_empty() {
            short.push(name);
        }
    }
    for one_at_a_time in ["sync", "tokio-await", "tokio-blocking", "rayon"] {
        assert!(!short.contains(&one_at_a_time), "{one_at_a_time} holds few directories open");
    }
    assert!(short.contains(&"tokio-joinset"), "it opens all directories of a level at once: {short:?}");
}
