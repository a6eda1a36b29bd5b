//! The measured libraries: records name the versions that the manifest pins, and release builds optimise all that they call.

use std::collections::BTreeSet;
use std::process::Command;

use cyclescope_host::built::LIBRARIES;

fn manifest(path: &str) -> toml::Table {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("Cargo has read it").parse().expect("Cargo has parsed it")
}

#[test]
fn the_versions_in_records_are_those_of_the_manifest() {
    let manifest = manifest("Cargo.toml");
    let dependencies = manifest["dependencies"].as_table().expect("it is one");
    // io_uring is Linux's.
    let on_linux = manifest["target"]["cfg(target_os = \"linux\")"]["dependencies"].as_table().expect("it is one");
    let mut pinned: Vec<(&str, &str)> = dependencies
        .iter()
        .chain(on_linux)
        .filter_map(|(name, wanted)| {
            let version = wanted.as_str().or_else(|| wanted.get("version")?.as_str())?;
            Some((name.as_str(), version.strip_prefix('=')?))
        })
        .collect();
    pinned.sort_unstable();
    assert_eq!(pinned, LIBRARIES);
}

/// Patterns, of which the walk by `ignore` asks for none.
const PATTERNS: [&str; 4] = ["aho-corasick", "globset", "regex-automata", "regex-syntax"];

#[test]
fn all_that_is_measured_is_optimised_in_release_builds() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "-p", "cyclescope-contenders", "-e", "normal,no-proc-macro"])
        .args(["--prefix", "depth", "--no-dedupe", "-f", " {p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("names are ASCII");
    let (mut measured, mut called) = (false, BTreeSet::new());
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        let (depth, name) = (words.next().expect("a depth"), words.next().expect("a name"));
        if depth == "1" {
            measured = LIBRARIES.iter().any(|(library, _)| *library == name);
        }
        if measured && !PATTERNS.contains(&name) {
            let version = words.next().and_then(|version| version.strip_prefix('v')).expect("a version");
            called.insert((name.to_owned(), format!("{name}@{version}")));
        }
    }
    assert!(called.len() > 40, "{called:?}");
    let workspace = manifest("../../Cargo.toml");
    let packages = &workspace["profile"]["release"]["package"];
    let optimised = |name: &str| packages.get(name).and_then(|package| package["opt-level"].as_integer()) == Some(3);
    let slow: Vec<_> = called.iter().filter(|(name, exact)| !optimised(name) && !optimised(exact)).collect();
    assert!(slow.is_empty(), "Cargo.toml optimises these in no release build: {slow:?}");
}
