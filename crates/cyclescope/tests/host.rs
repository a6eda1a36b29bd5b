//! The experiments on the host, as a user runs them; small ones, of which no time is looked at.
#![cfg(unix)]

use crate::common;

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use assert_cmd::Command;
use cyclescope::records::{Record, RecordFile, Scalar, Source};
use predicates::prelude::*;
use predicates::str::contains;

fn cyclescope(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cyclescope").expect("it is built for tests");
    command.args(arguments);
    command
}

/// The records of a run that must succeed.
fn records(arguments: &[&str]) -> Vec<Record> {
    let output = cyclescope(arguments).args(["--format", "json"]).assert().success().get_output().stdout.clone();
    RecordFile::from_json(&String::from_utf8(output).expect("JSON is UTF-8")).expect("it is a file of records").records
}

fn of<'r>(records: &'r [Record], contender: &str, metric: &str) -> &'r Record {
    let found = records.iter().find(|record| record.contender == contender && record.metric == metric);
    found.unwrap_or_else(|| panic!("{contender} has no {metric}"))
}

const SMALL: [&str; 10] = ["--dirs", "12", "--files", "50", "--links", "8", "--depth", "3", "--warmup", "0"];

#[test]
fn a_walk_has_a_row_for_each_contender_and_says_in_which_order_they_ran() {
    let arguments = [&["run", "dirwalk", "--runs", "3", "--seed", "7"], &SMALL[..]].concat();
    let all = records(&arguments);
    assert!(
        all.iter().all(|record| record.source == Source::Host && record.chip.is_none() && record.clock_hz.is_none())
    );
    let contenders: BTreeSet<&str> =
        all.iter().filter(|record| record.metric == "elapsed").map(|record| record.contender.as_str()).collect();
    // A machine may forbid io_uring.
    let absent = all.iter().filter(|record| record.metric == "absent" && record.mode == "walk").count();
    assert!(absent <= 2 && contenders.len() == 16 - absent, "{contenders:?}");
    for contender in contenders {
        for metric in
            ["elapsed", "time.user", "time.system", "ratio.sync", "switches.voluntary", "switches.involuntary"]
        {
            assert_eq!(of(&all, contender, metric).n, 3, "{contender} {metric}");
        }
        assert!(!of(&all, contender, "elapsed").contender_version.is_empty());
    }
    // By its own rounds, sync is as fast as sync; others have an interval around their ratio, and outliers are counted.
    let number = |contender: &str, metric: &str, name: &str| match &of(&all, contender, metric).settings[name] {
        Scalar::Number(number) => number.as_f64(),
        other => panic!("{name} is {other}"),
    };
    let ratio = |contender, end: &str| number(contender, "ratio.sync", &format!("ratio.{end}"));
    assert_eq!(["low", "of_means", "high"].map(|end| ratio("sync", end)), [1.0; 3]);
    assert!(ratio("smol", "low") <= ratio("smol", "of_means") && ratio("smol", "of_means") <= ratio("smol", "high"));
    assert_eq!(number("smol", "ratio.sync", "ratio.confidence"), 0.95);
    assert_eq!(number("smol", "elapsed", "outliers.severe"), 0.0, "three samples have no quartiles");
    // The root, 12 directories, and half of the links.
    assert_eq!(of(&all, "sync", "elapsed").settings["lines"], Scalar::from(17));
    assert_eq!(of(&all, "tokio-spawn-both", "tasks").mean.as_integer(), Some(140), "two an entry");
    let rounds = of(&all, "(all)", "rounds");
    assert_eq!(rounds.mean.as_integer(), Some(3));
    let order = |records: &[Record]| of(records, "(all)", "rounds").settings["order"].to_string();
    assert_eq!(order(&all).split("; ").count(), 3);
    assert_eq!(order(&records(&arguments)), order(&all), "the seed decides");
}

#[test]
fn an_operation_is_taken_apart_into_parts_that_add_up() {
    let arguments = ["run", "dirwalk", "--mode", "operation", "--runs", "2", "--warmup", "0", "--contender"];
    let all = records(&[&arguments[..], &["tokio-await", "--contender", "smol"]].concat());
    let contenders: BTreeSet<&str> =
        all.iter().filter(|record| record.metric == "operation").map(|record| record.contender.as_str()).collect();
    assert_eq!(contenders.into_iter().collect::<Vec<_>>(), ["smol", "sync", "tokio-await"]);
    for contender in ["sync", "tokio-await", "smol"] {
        let parts = all.iter().filter(|record| record.contender == contender && record.metric.starts_with("part."));
        let sum: f64 = parts.map(|record| record.mean.as_f64()).sum();
        let whole = of(&all, contender, "operation");
        assert_eq!((whole.n, whole.mode.as_str()), (2, "operation"));
        assert!((sum - whole.mean.as_f64()).abs() < 0.01, "{contender}: {sum} and {}", whole.mean);
    }
    let mean = |contender: &str, metric: &str| of(&all, contender, metric).mean.as_f64();
    assert!(mean("tokio-await", "allocations") >= 2.0, "the counting program lies beside this one");
    assert!(mean("tokio-await", "allocation") > 0.0);
    let added = mean("smol", "hand_over") + mean("smol", "part.call") + mean("smol", "part.poll");
    assert!((added - mean("smol", "operation")).abs() < 0.01, "{added}");
    let table = cyclescope(&[&arguments[..], &["tokio-await"]].concat()).assert().success();
    table.stdout(contains("One operation of a walk, taken apart").and(contains("wake a thread")));
}

#[test]
fn axes_are_jobs_of_their_own_beside_sync() {
    let chosen = ["--contender", "tokio-join", "--contender", "rayon", "--workers", "1,2", "--contend", "0"];
    let all = records(&[&["run", "dirwalk", "--runs", "1"], &SMALL[..], &chosen].concat());
    let rows: Vec<(String, String, String)> = all
        .iter()
        .filter(|record| record.metric == "elapsed")
        .map(|record| {
            let value = record.params.values().next().map(Scalar::to_string).unwrap_or_default();
            (record.mode.clone(), value, record.contender.clone())
        })
        .collect();
    let row = |mode: &str, value: &str, contender: &str| (mode.to_owned(), value.to_owned(), contender.to_owned());
    assert_eq!(
        rows,
        [
            row("workers", "1", "sync"),
            row("workers", "1", "tokio-join"),
            row("workers", "2", "sync"),
            row("workers", "2", "tokio-join"),
            row("contend", "0", "sync"),
            row("contend", "0", "tokio-join"),
            row("contend", "0", "rayon"),
        ]
    );
}

#[test]
fn axes_are_drawn_with_their_ideal_and_system_calls_can_be_left_out() {
    let folder = tempfile::tempdir().expect("there is room");
    let picture = folder.path().join("axes.svg");
    let path = picture.to_string_lossy().into_owned();
    let chosen = ["--contender", "tokio-bounded", "--workers", "1,2", "--plot", &path];
    let arguments = [&["run", "dirwalk", "--runs", "2"], &SMALL[..], &chosen].concat();
    let text = cyclescope(&arguments).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(text).expect("it is text");
    let drawn = text.split_once("Time against workers: sync, tokio-bounded\nreal time (ms)\n").expect("a chart").1;
    let (plot, notes) = drawn.split_once("\n\n").expect("the notes stand apart");
    assert!(plot.is_ascii(), "in a pipe: {plot}");
    assert!(plot.ends_with("A sync   B tokio-bounded   . ideal   | confidence interval"), "{plot}");
    assert!(notes.contains("divided by as many times as there is more to use"), "{notes}");
    let picture = fs::read_to_string(picture).expect("it is drawn");
    assert!(picture.starts_with("<svg") && picture.contains("tokio-bounded"), "{picture}");

    let chosen = ["--contender", "tokio-bounded", "--no-syscalls"];
    let all = records(&[&["run", "dirwalk", "--runs", "2"], &SMALL[..], &chosen].concat());
    assert!(all.iter().all(|record| !record.metric.starts_with("system_calls")));
    assert_eq!(of(&all, "tokio-bounded", "hops").mean.as_integer(), Some(13), "one a directory");
    let elapsed = of(&all, "tokio-bounded", "elapsed");
    let mean = |end: &str| match elapsed.settings[&format!("mean.{end}")] {
        Scalar::Number(number) => number.as_f64(),
        _ => panic!("a number"),
    };
    assert!(mean("low") <= elapsed.mean.as_f64() && elapsed.mean.as_f64() <= mean("high"));
}

#[test]
fn who_runs_into_a_limit_is_named_and_gives_no_number() {
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\""]).arg(assert_cmd::cargo::cargo_bin("cyclescope"));
    limited.args(["run", "dirwalk", "--dirs", "300", "--files", "0", "--links", "0", "--depth", "1", "--runs", "2"]);
    limited.args(["--warmup", "0", "--no-syscalls", "--contender", "tokio-joinset"]);
    // `sync` is told; the other is counted, with its reason.
    limited.assert().failure().stdout(contains(" sync ")).stderr(
        contains("tokio-joinset walk: 2 runs gave no number")
            .and(contains("and sync 0: such as"))
            .and(contains("EMFILE")),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_complete_when_it_is_interrupted_is_shown() {
    let folder = common::folder();
    let mut command = common::command(folder.path());
    command.args(["run", "dirwalk", "--runs", "100000", "--contender", "sync", "--out", "walk.txt"]).args(SMALL);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // Dozens of rounds.
    common::until_at_work(&child);
    // Twice at once, as `timeout` does it: once to the process and once to its group.
    common::signal(&child, "TERM");
    common::signal(&child, "TERM");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let text = std::fs::read_to_string(folder.path().join("walk.txt")).expect("what is finished is written");
    let said = common::text(&output.stderr);
    let (_, rest) = text.split_once(", opt ").expect("the foot says how it was measured");
    let (_, rest) = rest.split_once(". ").expect("a sentence ends");
    let rounds: u32 = rest.split(' ').next().and_then(|word| word.parse().ok()).expect("a number of rounds");
    assert!((1..100_000).contains(&rounds), "{rounds}");
    assert!(said.contains("interrupted: the results are not complete"), "{said}");
}

#[test]
fn orders_of_results_are_measured() {
    let all = records(&[
        "run",
        "join",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--count",
        "20",
        "--sleep",
        "20ms",
        "--contender",
        "smol",
    ]);
    let order = |mode: &str, spawned: bool| {
        let record = all.iter().find(|record| {
            record.metric == "elapsed" && record.mode == mode && record.params["spawned"] == Scalar::from(spawned)
        });
        let record = record.unwrap_or_else(|| panic!("no {mode}"));
        (record.settings["order_of_results"].to_string(), record.params["count"].to_string())
    };
    let expected = |order: &str, count: &str| (order.to_owned(), count.to_owned());
    assert_eq!(order("vec", true), expected("made", "20"));
    assert_eq!(order("vec", false), expected("both", "4"), "one by one");
    assert_eq!(order("futures-unordered", true), expected("done", "20"));
    assert_eq!(order("in-loop", true), expected("both", "4"));
    assert!(all.iter().any(|record| record.metric == "allocations"), "the counting program lies beside this one");
    assert!(all.iter().all(|record| record.mode != "join-set"), "that is tokio's");
}

#[test]
fn yields_are_checked_and_have_the_columns_of_the_chips() {
    let arguments =
        ["run", "yield", "--runs", "1", "--warmup", "0", "--contender", "local-pool", "--contender", "embassy-std"];
    cyclescope(&arguments)
        .assert()
        .success()
        .stdout(contains("yield").and(contains("beside")).and(contains("embassy-std")));
    let all = records(&arguments);
    for contender in ["local-pool", "embassy-std"] {
        let dispatches = |mode: &str| {
            let found = all
                .iter()
                .find(|record| record.contender == contender && record.mode == mode && record.metric == "dispatches");
            found.and_then(|record| record.mean.as_integer())
        };
        assert_eq!(
            ["plain", "one", "two", "ping-pong"].map(dispatches),
            [Some(0), Some(202_346), Some(202_346), Some(200_000)]
        );
    }
}

#[test]
fn what_cannot_be_run_on_the_host_is_refused_with_a_reason() {
    let refused = |arguments: &[&str], why: &str| {
        cyclescope(arguments).assert().failure().stderr(contains(why));
    };
    refused(&["run", "dirwalk", "--chip", "stm32c031c6"], "dirwalk runs on the host, and --chip chooses a chip");
    refused(&["run", "join", "--contender", "rayon"], "the contenders of join are tokio-multi-thread");
    refused(&["run", "dirwalk", "--mode", "cpus"], "--cpus 1,2");
    refused(&["run", "primes", "--runs", "3"], "experiments on the host");
    refused(&["run", "dirwalk", "--runs", "0"], "at least");
    refused(&["run", "dirwalk", "--plot", "/dev/null"], "--workers 1,2,4");
    refused(&["run", "dirwalk", "--plot", "/dev/null", "--cpus", "1,1"], "two values or more");
    refused(&["run", "dirwlk"], "dirwalk");
    refused(&["run", "dirwalk", "--contender", "tokio-jonset"], "tokio-joinset");
    refused(&["run", "dirwalk", "--mode", "worker"], "workers");
    refused(&["run", "join", "--sleep", "5"], "a whole number and its unit");
    let folder = tempfile::tempdir().expect("there is room");
    let missing = folder.path().join("missing");
    refused(&["run", "dirwalk", "--root", &missing.to_string_lossy()], "cannot be walked");
}

#[test]
fn a_folder_of_ones_own_is_walked_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("there is room");
    fs::create_dir_all(folder.path().join("a/b/c")).expect("it is empty");
    let root = folder.path().to_string_lossy().into_owned();
    let all = records(&["run", "dirwalk", "--root", &root, "--runs", "1", "--contender", "ignore"]);
    assert_eq!(of(&all, "ignore", "elapsed").settings["lines"], Scalar::from(4));
    assert!(folder.path().join("a/b/c").is_dir());
}

#[test]
fn they_are_listed_and_left_out_of_the_digest() {
    cyclescope(&["list"])
        .assert()
        .success()
        .stdout(contains("the host, when named").and(contains("tokio-joinset-values")));
    cyclescope(&["--help"]).assert().success().stdout(contains("contender of an experiment").not());
}

#[test]
fn a_quick_run_says_so_and_how_long_it_takes() {
    let arguments = [&["run", "dirwalk", "--contender", "rayon", "--quick"], &SMALL[..8]].concat();
    let assert = cyclescope(&arguments).assert().success();
    let output = assert.get_output();
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let said = "Running 2 ways of dirwalk in 3 rounds after 1 of warm-up, on this machine: about ";
    assert!(
        told.starts_with(said) && told.lines().next().is_some_and(|line| line.ends_with(" s on an idle machine.")),
        "{told}"
    );
    let tables = text.matches("A quick run (--quick): 3 rounds only; a whole run's figures may differ.").count();
    assert_eq!(tables, 3, "above each table\n{text}");
    assert!(text.contains("System calls: not counted; "), "{text}");
    cyclescope(&["run", "dirwalk", "--quick", "--thorough"]).assert().code(2).stderr(contains("cannot be used with"));

    let quick = records(&arguments);
    assert!(quick.iter().all(|record| record.settings.get("quick") == Some(&Scalar::from(true))));
    assert_eq!(of(&quick, "rayon", "elapsed").n, 3);
    let whole =
        records(&[&["run", "dirwalk", "--contender", "rayon", "--runs", "3", "--no-syscalls"], &SMALL[..]].concat());
    assert!(whole.iter().all(|record| !record.settings.contains_key("quick")));
    // One is no later version of the other.
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str, records: Vec<Record>| {
        let path = folder.path().join(name);
        let file = RecordFile::new("test", records);
        fs::write(&path, file.to_json().expect("records are written")).expect("there is room");
        path.to_string_lossy().into_owned()
    };
    let (quick, whole) = (path("quick.json", quick), path("whole.json", whole));
    let compared = cyclescope(&["compare", &whole, &quick]).assert().get_output().stdout.clone();
    let compared = String::from_utf8_lossy(&compared).into_owned();
    assert!(compared.starts_with("0 metrics compared: "), "{compared}");
    cyclescope(&["run", "yield", "--quick", "--runs", "2"]).assert().code(2).stderr(contains("cannot be used with"));
}
