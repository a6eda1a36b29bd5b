//! `sweep` over bundled firmware, as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{self, json, signal, text, unpack, until_at_work};

const IMAGE: &str = "button-freertos-interrupt-s-stm32c031c6";

/// A plan over `IMAGE`: 2 memory settings, 61 layouts, 3 seeds.
const PLAN: &str = "
chip = ['stm32c031c6']
memory = ['shipped', 'ideal']
layouts = 60
seeds = {from = 1, count = 3}
span = ['answer=pin:PC13:edge..symbol:cyclescope_button_runs']
stimulus = ['presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1']
for = '20ms'
chunk-cycles = 10_000_000
[[image]]
elf = 'button.elf'
";

fn folder(plan: &str) -> TempDir {
    let folder = common::folder();
    unpack(IMAGE, &folder.path().join("button.elf"));
    fs::write(folder.path().join("plan.toml"), plan).expect("the folder is ours");
    folder
}

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    common::cyclescope(folder, &[&["sweep", "plan.toml"], arguments].concat())
}

/// Begins a sweep to `out`, and returns it when it has worked for a while.
fn at_work(folder: &Path, out: &str) -> std::process::Child {
    let mut command = common::command(folder);
    command.args(["sweep", "plan.toml", "--jobs", "1", "--out", out]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    until_at_work(&child);
    child
}

#[test]
fn a_sweep_that_is_killed_or_interrupted_goes_on_and_its_file_is_the_same() {
    let folder = folder(PLAN);
    let path = |name: &str| folder.path().join(name);
    let whole = sweep(folder.path(), &["--out", "whole.parquet", "--jobs", "2", "--format", "json"]);
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let shown = json(&whole);
    assert_eq!((&shown["points"], &shown["out"]), (&Value::from(366), &Value::from("whole.parquet")));
    let groups = shown["groups"].as_array().expect("a list");
    assert_eq!(
        (groups.len(), &groups[0]["points"], &groups[1]["memory"]),
        (2, &Value::from(183), &Value::from("ideal"))
    );
    assert!(groups[0]["min"].as_f64() < groups[0]["max"].as_f64(), "layouts matter where flash waits");
    assert!(!path("whole.parquet.parts").exists(), "nothing is left beside it");
    let expected = fs::read(path("whole.parquet")).expect("it is there");

    let mut killed = at_work(folder.path(), "killed.parquet");
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    assert!(!path("killed.parquet").exists());
    let again = sweep(folder.path(), &["--out", "killed.parquet", "--keep-parts"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("there already, of "), "{}", text(&again.stderr));
    assert!(fs::read(path("killed.parquet")).expect("it is there") == expected);
    assert!(path("killed.parquet.parts/0000000.parquet").exists(), "parts were to be kept");
    assert!(text(&again.stdout).contains("memory") && text(&again.stdout).contains("366 points in all"));

    let interrupted = at_work(folder.path(), "interrupted.parquet");
    signal(&interrupted, "INT");
    let interrupted = interrupted.wait_with_output().expect("it ends");
    let told = text(&interrupted.stderr);
    assert_eq!(interrupted.status.code(), Some(130), "{told}");
    assert!(told.contains("chunks are kept in interrupted.parquet.parts; the same command goes on"), "{told}");
    let again = sweep(folder.path(), &["--out", "interrupted.parquet"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(fs::read(path("interrupted.parquet")).expect("it is there") == expected);
}

/// A file may grow to 1 kB only, as on a disk that is full then.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_its_code_and_the_same_command_goes_on() {
    let folder = folder(&PLAN.replace("layouts = 60", "layouts = 1"));
    let mut shell = std::process::Command::new("bash");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" sweep plan.toml --out out.parquet";
    let full = shell.args(["-c", script, common::PROGRAM]).current_dir(folder.path()).output().expect("there is bash");
    let told = text(&full.stderr);
    assert_eq!(full.status.code(), Some(73), "{told}");
    assert!(told.contains("cannot be written: ") && told.contains("the same command then goes on"), "{told}");
    assert!(!folder.path().join("out.parquet").exists());
    let again = sweep(folder.path(), &["--out", "out.parquet"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

/// Files may be as large as the largest part, and the joined one is larger.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_at_the_join_keeps_all_parts_and_nothing_runs_again() {
    let folder = folder(&PLAN.replace("chunk-cycles = 10_000_000", "chunk-cycles = 1_000_000"));
    let path = |name: &str| folder.path().join(name);
    let whole = sweep(folder.path(), &["--out", "whole.parquet", "--keep-parts"]);
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let expected = fs::read(path("whole.parquet")).expect("it is there");
    let parts = |name: &str| -> Vec<u64> {
        let entries = fs::read_dir(path(name)).expect("it is there").map(|entry| entry.expect("it is there"));
        let parts = entries.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "parquet"));
        parts.map(|entry| entry.metadata().expect("it is there").len()).collect()
    };
    let all = parts("whole.parquet.parts");
    let limit = all.iter().max().expect("there are parts").div_ceil(1024);
    assert!(limit * 1024 < expected.len() as u64, "{all:?}: the joined file has only {} bytes", expected.len());
    let mut shell = std::process::Command::new("bash");
    let script = "trap '' XFSZ; ulimit -f \"$1\"; exec \"$0\" sweep plan.toml --out out.parquet";
    let shell = shell.args(["-c", script, common::PROGRAM, &limit.to_string()]).current_dir(folder.path());
    let full = shell.output().expect("there is bash");
    let told = text(&full.stderr);
    assert_eq!(full.status.code(), Some(73), "{told}");
    assert!(
        told.contains("out.parquet cannot be written: ") && told.contains("the same command then goes on"),
        "{told}"
    );
    assert!(!path("out.parquet").exists());
    assert_eq!(parts("out.parquet.parts").len(), all.len(), "{told}");
    let again = sweep(folder.path(), &["--out", "out.parquet"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let there = format!("{0} chunks are there already, of {0}", all.len());
    assert!(text(&again.stderr).contains(&there), "{}", text(&again.stderr));
    assert!(fs::read(path("out.parquet")).expect("it is there") == expected);
    assert!(!path("out.parquet.parts").exists());
}

#[test]
fn what_is_wrong_has_its_code_and_its_reason() {
    let folder = folder(PLAN);
    let check = |arguments: &[&str], code: i32, says: &str| {
        let output = common::command(folder.path())
            .env("CYCLESCOPE_PYTHON", "/no/such/python")
            .args([&["sweep"], arguments].concat())
            .output()
            .expect("it runs");
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(code) && told.contains(says), "{arguments:?}: {told}");
    };
    check(&["no.toml", "--out", "a"], 66, "no.toml cannot be read");
    check(&["plan.toml", "--out", "./plan.toml"], 2, "the plan and --out are one file");
    check(&["plan.toml", "--out", "-"], 2, "`-` is taken for a file's name");
    check(&["plan.toml", "--out", "no/such/a"], 73, "cannot be written");
    check(&["plan.toml", "--out", "a", "--address", "auto"], 66, "/no/such/python cannot be started");
    fs::write(folder.path().join("typo.toml"), PLAN.replace("layouts", "layout")).expect("ours");
    check(&["typo.toml", "--out", "a"], 65, "typo.toml: line 4: there is no key `layout`; did you mean `layout");
    let dry = sweep(folder.path(), &["--out", "a", "--dry-run"]);
    assert!(text(&dry.stdout).starts_with("366 points in "), "{}", text(&dry.stdout));
    fs::write(folder.path().join("until.toml"), PLAN.replace("for =", "until = 'pin:PC14:rise'\nfor =")).expect("ours");
    check(&["until.toml", "--out", "b"], 84, "183 points have no figure for `answer`: pin:PC14:rise did not happen");
}
