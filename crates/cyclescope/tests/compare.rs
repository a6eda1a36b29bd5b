//! `compare` as a user runs it: the workflow that docs/ci.md shows, ELFs against each other, bounds.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common;
use crate::elf;

use common::{PROGRAM, text, unpack};

fn compare(folder: &Path, arguments: &[&str]) -> Output {
    common::cyclescope(folder, &[&["compare"], arguments].concat())
}

/// The lines of the workflow's step `name`.
fn step(page: &str, name: &str) -> String {
    let from = page.find(&format!("- name: {name}\n        run: |\n")).expect("the step is there");
    let lines = page[from..].lines().skip(2).take_while(|line| line.starts_with("          "));
    lines.map(|line| line.trim_start_matches("          ").to_owned() + "\n").collect()
}

/// The value of the workflow's variable `name`.
fn variable<'p>(page: &'p str, name: &str) -> &'p str {
    let from = page.find(&format!("      {name}: ")).expect("the variable is there");
    page[from..].lines().next().and_then(|line| line.split_once(": ")).expect("it has a value").1
}

#[test]
fn the_page_s_workflow_runs_and_stops_what_it_should() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md")).expect("the page");
    let folder = tempfile::tempdir().expect("there is room");
    let (fast, slow) = ("button-c-plain-interrupt-3-stm32c031c6", "button-freertos-interrupt-3-stm32c031c6");
    let programs = Path::new(PROGRAM).parent().expect("a folder").to_owned();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths("/usr/bin:/bin")));
    let path = path.expect("a path");
    let run = |name: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-e", "-c", &step(&page, name)]).current_dir(folder.path()).env("PATH", &path);
        shell.env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        for name in ["CHIP", "PRESSES"] {
            shell.env(name, variable(&page, name));
        }
        shell.output().expect("there is a shell")
    };
    let good = |name: &str| {
        let output = run(name);
        let told = text(&output.stderr);
        assert!(output.status.success() && !told.contains("warning"), "{name}: {}{told}", text(&output.stdout));
    };
    let builds = |base: &str, head: &str| {
        unpack(base, &folder.path().join("base/app.elf"));
        unpack(head, &folder.path().join("head/app.elf"));
    };

    builds(slow, slow);
    for name in ["measure", "what changed", "gate"] {
        good(name);
    }
    builds(fast, slow);
    good("measure");
    let measured = std::fs::read_to_string(folder.path().join("base.json")).expect("the step wrote it");
    let measured: Value = serde_json::from_str(&measured).expect("JSON");
    let mut records = measured["records"].as_array().expect("a list").iter();
    let response = records.find(|record| record["metric"] == "response").expect("the span is measured");
    assert_eq!(response["n"], 10, "five presses, each with its release");
    good("what changed");
    let summary = std::fs::read_to_string(folder.path().join("summary.md")).expect("the step wrote it");
    assert!(summary.contains("| app.elf |") && summary.contains("functions that gained or lost"), "{summary}");
    let stopped = run("gate");
    assert_eq!(stopped.status.code(), Some(1), "{}", text(&stopped.stderr));
    let said = text(&stopped.stdout);
    assert!(said.starts_with("::error title=cyclescope%3A response max > +1%25::measure app.elf"), "{said}");
    let size = said.lines().nth(1).unwrap_or_default();
    assert!(size.starts_with("::error title=cyclescope%3A flash > +256::") && said.lines().count() == 2, "{said}");
}

#[test]
fn two_elfs_are_compared_from_event_to_event_and_by_function() {
    let folder = tempfile::tempdir().expect("there is room");
    for (level, name) in [("s", "old.elf"), ("3", "new.elf")] {
        unpack(&format!("button-freertos-interrupt-{level}-stm32c031c6"), &folder.path().join(name));
    }
    let span = ["--chip", "stm32c031c6", "--from", "main", "--to", "vTaskStartScheduler", "--format", "json"];
    let output = compare(folder.path(), &[&["old.elf", "new.elf"][..], &span].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |list: &str, metric: &str, side: &str| -> i64 {
        let rows = file[list].as_array().expect("a list").iter().filter(|row| row["metric"] == metric);
        rows.filter_map(|row| row[side].as_i64()).sum()
    };
    for side in ["old", "new"] {
        assert!(of("changes", "elapsed", side) > 0);
    }
    // Functions that only one side has are not among the changes, so those are at most the whole.
    assert!(of("changes", "function", "old") <= of("changes", "elapsed", "old"));
    assert!(of("changes", "function", "old") > 0);

    let same = compare(folder.path(), &[&["old.elf", "old.elf", "--fail-on", "cycles>+0"][..], &span].concat());
    assert!(same.status.success(), "{}", text(&same.stderr));

    // No column says only `image`, and none is empty.
    let table = compare(folder.path(), &[&["old.elf", "new.elf"][..], &span[..6]].concat());
    let table = text(&table.stdout);
    let heading = table.lines().nth(1).expect("a table");
    assert!(heading.starts_with(" metric"), "{table}");
}

/// A loop that goes round twice on one side and five times on the other.
#[test]
fn sums_over_different_numbers_of_occurrences_are_told() {
    let folder = common::folder();
    for (name, rounds) in [("old.elf", 2), ("new.elf", 5)] {
        // li t0, rounds; work: addi t0, t0, -1; bnez t0, work; the end.
        let begin = [rounds << 20 | 0x293, 0xFFF2_8293, 0xFE02_9EE3];
        let code = [&begin[..], &[0x0010_05B7, 0x0000_5637, 0x5556_0613, 0x00C5_A023, 0x0000_006F]].concat();
        let image = elf::riscv(0x8000_0000, &code, &[("start", 0, 4), ("work", 4, 28)]);
        std::fs::write(folder.path().join(name), image).expect("the folder is ours");
    }
    let span = ["--chip", "virt", "--from", "work", "--to", "address:0x80000008", "--occurrence"];
    let said = |files: [&str; 2], number| {
        let output = compare(folder.path(), &[&files[..], &span, &[number]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let told = "The span happened 2 times on the old side and 5 times on the new";
    assert!(said(["old.elf", "new.elf"], "all").contains(told));
    assert!(!said(["old.elf", "old.elf"], "all").contains("The span happened"));
    assert!(!said(["old.elf", "new.elf"], "1").contains("The span happened"));
}

#[test]
fn an_elf_takes_the_place_of_the_image_that_an_experiment_has() {
    let folder = tempfile::tempdir().expect("there is room");
    for mode in ["plain", "profiled"] {
        unpack(&format!("switch-ply-{mode}-3-atmega328p"), &folder.path().join(format!("{mode}.elf")));
    }
    let place = ["--experiment", "switch", "--chip", "atmega328p", "--contender", "ply", "--opt", "3"];
    let plain =
        |more: &[&str]| compare(folder.path(), &[&["plain.elf", "plain.elf", "--all"][..], &place, more].concat());
    let output = plain(&["--mode", "plain"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("switch.above_floor"));
    // Which image it stands for has to be said.
    let many = plain(&[]);
    assert_eq!(many.status.code(), Some(2));
    assert!(text(&many.stderr).contains("takes the place of one image, but this chooses 2"), "{}", text(&many.stderr));
    // And it has to do that image's work.
    let wrong = compare(folder.path(), &[&["plain.elf", "profiled.elf", "--mode", "plain"][..], &place].concat());
    assert_eq!(wrong.status.code(), Some(84), "{}", text(&wrong.stderr));
    assert!(text(&wrong.stderr).contains("profiled.elf"), "{}", text(&wrong.stderr));
}

#[test]
fn what_does_not_go_together_is_said() {
    let folder = tempfile::tempdir().expect("there is room");
    unpack("switch-ply-plain-3-atmega328p", &folder.path().join("a.elf"));
    std::fs::write(folder.path().join("a.json"), br#"{"schema":1,"tool":"x","records":[]}"#).expect("ours");
    for (arguments, code, says) in [
        (&["a.elf", "a.json"][..], 2, "compare two files of one kind"),
        (&["a.elf", "a.elf"], 2, "--chip"),
        (&["a.json", "a.json", "--chip", "atmega328p"], 2, "--chip goes with two ELFs"),
        (&["a.json", "a.json", "--fail-on", "cycles>+1%"], 2, "both sides have 0 metrics in common"),
        (&["a.json", "a.json", "--fail-on", "cycles>1%"], 2, "+1%"),
        (&["a.elf", "a.elf", "--chip", "atmega328p", "--from", "main"], 2, "--to"),
        (&["a.elf", "a.elf", "--chip", "atmega328q"], 2, "did you mean `atmega328p`"),
        (&["a.elf", "a.elf", "--chip", "stm32c031c6"], 65, "a.elf"),
        (&["a.elf", "a.elf", "--chip", "atmega328p", "--experiment", "swich"], 2, "did you mean `switch`"),
        (
            &["a.elf", "a.elf", "--chip", "atmega328p", "--from", "main", "--to", "cyclescope_strt"],
            65,
            "cyclescope_strt",
        ),
    ] {
        let output = compare(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
    }
}
