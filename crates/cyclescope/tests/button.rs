//! `cyclescope run button` as a user runs it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use cyclescope::records::{Record, RecordFile};
use vcd::{Command as Change, Value};

use crate::common;

use common::{PROGRAM, text};

const ONE: [&str; 8] = ["--contender", "embassy", "--chip", "stm32c031c6", "--mode", "interrupt", "--opt", "3"];

fn run(arguments: &[&str]) -> Output {
    common::cyclescope(Path::new("."), &[&["run"], arguments].concat())
}

fn good(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn records(json: &str) -> Vec<Record> {
    RecordFile::from_json(json).expect("records").records
}

fn of<'a>(records: &'a [Record], metric: &str) -> &'a Record {
    records.iter().find(|record| record.metric == metric).unwrap_or_else(|| panic!("no {metric}"))
}

#[test]
fn the_same_bytes_on_one_thread_and_two() {
    let chosen =
        ["button", "--chip", "stm32c031c6", "--opt", "3", "--mode", "interrupt", "--mode", "bare", "--format", "json"];
    let some = [&chosen[..], &["--contender", "embassy", "--contender", "c-plain"]].concat();
    let one = good(&[&some[..], &["--jobs", "1"]].concat());
    assert_eq!(good(&[&some[..], &["--jobs", "2"]].concat()), one);
    let all = records(&one);
    for (contender, mode) in [("embassy", "interrupt"), ("embassy", "bare"), ("c-plain", "interrupt")] {
        let found = all.iter().find(|record| {
            (record.contender.as_str(), record.mode.as_str(), record.metric.as_str())
                == (contender, mode, "latency.edge")
        });
        assert_eq!(found.map(|record| record.n), Some(2000), "{contender} {mode}");
    }
    let seeded = good(&[&["button"], &ONE[..], &["--format", "json", "--seed", "5"]].concat());
    let seeded = records(&seeded);
    assert!(seeded.iter().all(|record| record.params["stimulus"].to_string().ends_with("seed 5")));
    assert_ne!(of(&seeded, "asleep").mean, of(&all, "asleep").mean);
}

#[test]
fn every_arrival_on_any_number_of_threads_and_its_worst_alone() {
    let chosen = [&["button"], &ONE[..], &["--arrivals", "exhaustive", "--window", "3000"]].concat();
    let json = |jobs| good(&[&chosen[..], &["--format", "json", "--jobs", jobs]].concat());
    let one = json("1");
    assert_eq!(json("2"), one);
    let all = records(&one);
    let edge = of(&all, "latency.edge");
    let worst = edge.params["worst_arrival"].to_string();
    let alone = good(&[&["button"], &ONE[..], &["--arrival", &worst, "--format", "json"]].concat());
    assert_eq!(of(&records(&alone), "latency.edge").min, edge.max);
    let table = good(&chosen);
    assert!(table.contains("every arrival of a window"), "{table}");
    // The table's own advice, as it stands there.
    let (_, advice) = table.split_once("alone again: `cyclescope run ").expect("it tells how");
    let (advice, _) = advice.split_once('`').expect("it ends");
    assert!(advice.ends_with(&format!("--arrival {worst}")), "{advice}");
    let again = good(&advice.split_whitespace().collect::<Vec<_>>());
    assert!(again.contains(&format!("one edge at cycle {worst}")), "{again}");
}

#[test]
fn differences_are_from_the_base() {
    let some = ["button", "--chip", "stm32c031c6", "--opt", "3", "--mode", "interrupt", "--contender", "embassy"];
    let table = good(
        &[&some[..], &["--contender", "c-plain", "--base", "embassy", "--details", "--format", "markdown"]].concat(),
    );
    let row = |title: &str| {
        let line = table.lines().find(|line| line.contains(title)).unwrap_or_else(|| panic!("{title}: {table}"));
        line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    };
    let head = row("c-plain |");
    let column = |name: &str| head.iter().position(|cell| cell == name).expect("a column");
    let (base, other) = (column("embassy"), column("c-plain"));
    for (title, sign) in [("edge to the task", "(-"), ("static RAM", "(-"), ("wake-ups", "(")] {
        let cells = row(title);
        assert!(!cells[base].contains('('), "the base is plain: {cells:?}");
        assert!(cells[other].contains(sign) && cells[other].ends_with(" %)"), "{cells:?}");
    }
    // An absolute difference and a share of the base that agree with the columns.
    let cells = row("edge to the task");
    let number = |text: &str| text.replace(',', "").parse::<f64>().expect("a number");
    let (value, rest) = cells[other].split_once(" (-").expect("a difference");
    let (difference, share) = rest.trim_end_matches(" %)").split_once(", -").expect("a share");
    let of = number(&cells[base]);
    assert!((of - number(value) - number(difference)).abs() < 0.11, "{cells:?}");
    assert!((number(difference) / of * 100.0 - number(share)).abs() < 0.11, "{cells:?}");
}

#[test]
fn a_dump_of_one_run_has_its_pins_and_tasks() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("out.vcd");
    let name = path.to_str().expect("text");
    let chosen = ["button", "--chip", "stm32c031c6", "--opt", "3", "--mode", "interrupt", "--format", "json"];
    let random = [&chosen[..], &["--contender", "freertos"]].concat();
    let plain = good(&random);
    assert_eq!(
        good(&[&random[..], &["--vcd", name, "--vcd-time", "cycles"]].concat()),
        plain,
        "looking changes nothing"
    );
    let (edges, irq, tasks) = read_back(&path);
    let all = records(&plain);
    let interrupt = of(&all, "interrupt");
    assert_eq!((edges, irq.len() as u64), (2000, interrupt.n));
    assert_eq!(irq.iter().max().map(|most| *most as i64), interrupt.max.as_integer());
    assert!(tasks >= 4, "three tasks and the idle task");

    let alone = ["--contender", "freertos", "--arrival", "19300000", "--vcd", name, "--vcd-time", "cycles"];
    let all = records(&good(&[&chosen[..], &alone].concat()));
    let (edges, irq, _) = read_back(&path);
    let length = of(&all, "interrupt").max.as_integer().expect("cycles");
    assert_eq!((edges, irq), (1, vec![length as u64]));
}

/// Of a dump: the button's edges, how long pin A was high each time, and how many tasks ran.
fn read_back(path: &std::path::Path) -> (usize, Vec<u64>, usize) {
    let dump = std::fs::read(path).expect("it was written");
    let mut parser = vcd::Parser::new(&dump[..]);
    let header = parser.parse_header().expect("a header");
    let wire = |scope: &str, name: &str| header.find_var(&["stm32c031c6", scope, name]).expect(name).code;
    let (button, pin, task) = (wire("pins", "PC13"), wire("pins", "PA0"), wire("core", "task"));
    let active = wire("exceptions", "active");
    let (mut now, mut edges, mut rose, mut lengths) = (0, 0, None, Vec::new());
    let (mut tasks, mut exceptions) = (std::collections::BTreeSet::new(), 0);
    let mut begun = false;
    for change in parser {
        match change.expect("it reads") {
            Change::Timestamp(at) => now = at,
            Change::End(_) => begun = true,
            Change::ChangeScalar(wire, _) if wire == button && begun => edges += 1,
            Change::ChangeScalar(wire, value) if wire == pin && begun => match (value, rose) {
                (Value::V1, _) => rose = Some(now),
                (Value::V0, Some(since)) => lengths.push(now - since),
                _ => {}
            },
            Change::ChangeString(wire, value) if wire == task => {
                tasks.insert(value);
            }
            Change::ChangeReal(wire, _) if wire == active => exceptions += 1,
            _ => {}
        }
    }
    assert!(exceptions > 10);
    (edges, lengths, tasks.len())
}

#[test]
fn what_cannot_be_run_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("out.vcd");
    let name = path.to_str().expect("text");
    let button = |more: &[&'static str]| [&["button"], &ONE[..], more].concat();
    for (arguments, code, expect) in [
        (vec!["primes", "--arrivals", "exhaustive"], 2, "primes has no arrivals"),
        (vec!["primes", "--seed", "3"], 2, "primes draws nothing at random"),
        (vec!["syscall", "--seed", "3"], 2, "syscall draws nothing at random"),
        (vec!["syscall", "--base", "kernel"], 2, "the tables of syscall show no differences"),
        (vec!["--base", "embassy"], 2, "the digest shows no differences"),
        (vec!["switch", "primes", "--base", "embassy"], 2, "the tables of primes, switch show no differences"),
        (vec!["button", "--mode", "bare", "--arrivals", "exhaustive"], 2, "only in the modes interrupt, dma, blocking"),
        (vec!["button", "--mode", "bounce", "--arrival", "19300000"], 2, "only in the modes interrupt, dma, blocking"),
        (
            button(&["--arrival", "1"]),
            65,
            "the window goes from cycle 1 to 1; the program waits for another edge only after",
        ),
        (button(&["--arrival", "18446744073709551615"]), 65, "arrivals are tried up to cycle"),
        (button(&["--arrivals", "exhaustive", "--window", "99999999"]), 65, "arrivals are tried up to cycle"),
        (button(&["--arrivals", "exhaustive", "--window", "0"]), 2, "--window"),
        (button(&["--window", "10"]), 2, "`--arrivals exhaustive`"),
        (button(&["--arrivals", "exhaustive", "--seed", "2"]), 2, "it is for arrivals at random"),
        (button(&["--arrival", "5", "--window", "10"]), 2, "--window"),
        (button(&["--base", "embasy"]), 2, "there is no contender `embasy`; did you mean `embassy`?"),
        (button(&["--base", "rtic"]), 2, "--base names `rtic`"),
        (vec!["button", "--opt", "5"], 2, "there is no optimisation level `5`; there are `3` and `s`"),
        (vec!["button", "--mode", "interupt"], 2, "did you mean `interrupt`?"),
        (
            vec!["button", "--contender", "embassy", "--vcd", name],
            2,
            "writes the trace of one run, but 56 runs are chosen: button-embassy-",
        ),
        (
            vec![
                "primes",
                "--contender",
                "embassy",
                "--chip",
                "stm32c031c6",
                "--mode",
                "one",
                "--opt",
                "3",
                "--vcd",
                name,
            ],
            2,
            "no trace of this run of primes",
        ),
        (
            [&["button"], &ONE[..], &["--arrivals", "exhaustive", "--vcd", name]].concat(),
            2,
            "each arrival is a run of its own",
        ),
        (button(&["--vcd", "no/such/folder.vcd"]), 73, "cannot be written"),
        (button(&["--vcd-time", "cycles"]), 2, "--vcd"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expect), "{arguments:?}: {}", text(&output.stderr));
        assert!(!text(&output.stdout).contains("edge to the task"), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
}

#[test]
fn the_list_shows_the_experiment_and_its_modes() {
    let output = Command::new(PROGRAM).args(["list", "experiments"]).output().expect("it runs");
    let list = text(&output.stdout);
    let line = list.lines().find(|line| line.contains("button")).expect("it is listed");
    assert!(line.contains("interrupt, dma, blocking, bare, bounce"), "{line}");
    assert!(list.contains("How long from the edge on the pin until the task runs"), "{list}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_run_of_all_arrivals() {
    // Minutes of work, in one part: it ends with 130 where Ctrl-C is heeded in the midst of it.
    let chosen =
        ["run", "button", "--arrivals", "exhaustive", "--window", "4000000", "--jobs", "2", "--format", "json"];
    let mut command = Command::new(PROGRAM);
    let child = command.args([&chosen[..], &ONE[..]].concat()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it starts");
    common::until_at_work(&child);
    common::signal(&child, "INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted: the results are not complete"));
    assert!(records(&text(&output.stdout)).is_empty(), "a part of a window is no distribution");
}
