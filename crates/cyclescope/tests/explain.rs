//! `explain`, as a user runs it on commands of his own.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;
use cyclescope::records::{Record, RecordFile, Source};
use predicates::prelude::*;
use predicates::str::contains;

use crate::common::{signal, text, tools};

fn cyclescope(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cyclescope").expect("it is built for tests");
    command.args(arguments);
    command
}

/// No source: these tests are of the rounds.
const ALONE: &str = "--without=syscalls,scheduler,waits,instructions";

fn read(json: &[u8]) -> Vec<Record> {
    RecordFile::from_json(&text(json)).expect("it is a file of records").records
}

fn of<'r>(records: &'r [Record], contender: &str, metric: &str) -> &'r Record {
    let found = records.iter().find(|record| record.contender == contender && record.metric == metric);
    found.unwrap_or_else(|| panic!("{contender} has no {metric}"))
}

#[test]
fn commands_have_records_and_parts_that_add_up() {
    let arguments = ["explain", "--runs", "3", ALONE, "--against", "sleep 0.03", "--name", "one", "--name", "other"];
    let arguments = [&arguments[..], &["--format", "json", "--", "sleep", "0.01"]].concat();
    let records = read(&cyclescope(&arguments).assert().success().get_output().stdout);
    assert!(records.iter().all(|record| record.source == Source::Host && record.experiment == "explain"));
    for (name, least) in [("one", 10e6), ("other", 30e6)] {
        let elapsed = of(&records, name, "elapsed");
        assert_eq!(elapsed.n, 3);
        assert!(elapsed.min.as_f64() >= least, "{elapsed:?}");
        let parts = records.iter().filter(|record| record.contender == name && record.metric.starts_with("part."));
        let (mut count, mut sum) = (0, 0.0);
        for part in parts {
            (count, sum) = (count + 1, sum + part.mean.as_f64());
        }
        assert_eq!(count, 5);
        assert!((sum - elapsed.mean.as_f64()).abs() < 1.0, "{sum} {elapsed:?}");
        assert!(of(&records, name, "part.waiting").mean.as_f64() > least * 0.9);
        assert!(of(&records, name, "switches.voluntary").min.as_f64() >= 1.0);
    }
    let rounds = of(&records, "(all)", "rounds");
    assert_eq!(rounds.mean.as_f64(), 3.0);
    assert_eq!(rounds.settings["contenders"].to_string(), "0 one, 1 other");
    assert_eq!(rounds.settings["order"].to_string().split("; ").count(), 3);
}

#[test]
fn the_tables_say_where_the_difference_went_and_what_each_source_was() {
    let shown = cyclescope(&["explain", "--runs", "2", ALONE, "--against", "sleep 0.01", "--", "sleep", "0.02"]);
    let stdout = text(&{ shown }.assert().success().get_output().stdout);
    for line in
        ["A: sleep 0.02", "B: sleep 0.01", "A − B", "waiting to be woken", "the whole run", "left out by --without"]
    {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}

#[test]
fn a_failure_is_told_with_its_own_code_and_the_rounds_before_it_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    std::fs::write(&count, "").unwrap();
    let script =
        format!("[ $(wc -c < {0}) -lt 3 ] && printf x >> {0} || {{ echo no more >&2; exit 9; }}", count.display());
    let failed = cyclescope(&["explain", ALONE, "--format", "json", "--", "sh", "-c", &script]).assert().code(88);
    let failed = failed.stderr(contains("exit status: 9").and(contains("no more")).and(contains("2 rounds before it")));
    assert_eq!(of(&read(&failed.get_output().stdout), "(all)", "rounds").mean.as_f64(), 2.0);
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--", "/nonexistent/program"], 66, "could not be started"),
        (&["--timeout", "100ms", "--", "sleep", "1000"], 88, "did not end within 0.1 s"),
        (&["--", "sh", "-c", "setsid sleep 1000 > /dev/null 2>&1 &"], 88, "and left sleep ("),
        (&["--prepare", "exit 4", "--", "true"], 88, "--prepare: `exit 4` ended with exit status: 4"),
        (&["--runs", "0", "--", "true"], 2, "0 is not in 1..="),
        (&["--against", "true", "--", "true"], 2, "two commands have one name"),
    ];
    for (arguments, code, message) in cases {
        let ended = cyclescope(&[&["explain", ALONE], arguments].concat()).assert().code(code);
        ended.stderr(contains(message)).stdout("");
    }
}

#[test]
fn ctrl_c_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("pid"), folder.path().join("other"));
    let script = format!(
        "setsid sh -c 'echo $$ > {1}; exec sleep 1000' & while [ ! -s {1} ]; do :; done; echo $$ > {0}; wait",
        file.display(),
        other.display()
    );
    let program = assert_cmd::cargo::cargo_bin("cyclescope");
    let mut command = std::process::Command::new(program);
    command.args(["explain", ALONE, "--", "sh", "-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while std::fs::read_to_string(&file).unwrap_or_default().trim().is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it runs until it is interrupted");
        std::thread::yield_now();
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("interrupted: no round was complete"));
    for file in [file, other] {
        let pid = std::fs::read_to_string(file).unwrap();
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid} runs");
    }
}

#[test]
fn processes_that_were_there_before_are_left_alone() {
    let program = assert_cmd::cargo::cargo_bin("cyclescope");
    // The shell's child becomes one of cyclescope.
    let script =
        format!("sleep 1000 > /dev/null 2>&1 & echo $!; exec '{}' explain --runs 1 {ALONE} -- true", program.display());
    let output = std::process::Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().unwrap();
    let shown = text(&output.stdout);
    let pid = shown.lines().next().unwrap();
    let is_there = Path::new("/proc").join(pid).exists();
    std::process::Command::new("kill").arg(pid).status().unwrap();
    assert!(output.status.success() && is_there, "{shown}{}", text(&output.stderr));
}

#[test]
fn counts_that_repeat_are_gates() {
    if !tools::wanted("strace") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let explained = |name: &str, script: &str| {
        let file = folder.path().join(name);
        let out = file.to_str().unwrap();
        let without = "--without=scheduler,waits,instructions";
        let arguments = ["explain", "--runs", "2", without, "--name", "it", "--out", out, "--", "sh", "-c", script];
        cyclescope(&arguments).assert().success();
        file
    };
    let (old, same) = (explained("old.json", "exit 0"), explained("same.json", "exit 0"));
    let more = explained("more.json", "umask 22; exit 0");
    let compare = |new: &Path| {
        let arguments = ["compare", old.to_str().unwrap(), new.to_str().unwrap(), "--fail-on", "syscalls > +0"];
        cyclescope(&arguments).assert()
    };
    compare(&same).success();
    compare(&more).code(1).stdout(contains("syscalls"));
    let history = folder.path().join("history.sqlite");
    let add = ["history", "add", old.to_str().unwrap(), "--file", history.to_str().unwrap()];
    cyclescope(&add).args(["--commit", "0123456789012345678901234567890123456789"]).assert().success();
    let page = folder.path().join("page.html");
    cyclescope(&["report", old.to_str().unwrap(), "--out", page.to_str().unwrap()]).assert().success();
    assert!(std::fs::read_to_string(page).unwrap().contains("syscalls"));
}
