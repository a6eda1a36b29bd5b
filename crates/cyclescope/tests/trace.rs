//! `trace` and `profile` over bundled firmware, as a user runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common;

use common::{PROGRAM, json, text, unpack};

const PRESSES: &str = "presses 5 of PC13 low from 10ms gap 20ms..30ms seed 1";

/// Some image of the button experiment on FreeRTOS, as `button.elf` in a folder of its own, and beside it the teaching kernel
/// that hands calls on by value, and by reference.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    unpack("button-freertos-interrupt-s-stm32c031c6", &folder.path().join("button.elf"));
    for pass in ["value", "reference"] {
        unpack(&format!("syscall-kernel-devel-{pass}-z-ibex"), &folder.path().join(format!("kernel-{pass}.elf")));
    }
    folder
}

fn cyclescope(folder: &tempfile::TempDir, command: &str, arguments: &[&str]) -> Output {
    let button = [command, "button.elf", "--chip", "stm32c031c6", "--guest-output", "none", "--for", "200ms"];
    common::cyclescope(folder.path(), &[&button[..], &["--stimulus", PRESSES], arguments].concat())
}

fn sum(list: &Value, unit: &str) -> u64 {
    list.as_array().expect("a list").iter().map(|row| row["own"][unit].as_u64().expect("a number")).sum()
}

/// Each list's own numbers sum to the total, and the file is the same each time.
#[test]
fn the_file_is_exact_and_stable() {
    let folder = folder();
    let arguments = ["--from", "pin:PA0:rise", "--to", "pin:PA1:fall", "--occurrence", "all", "--format", "json"];
    let first = cyclescope(&folder, "trace", &arguments);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(first.stdout, cyclescope(&folder, "trace", &arguments).stdout);
    let file = json(&first);
    let keys: Vec<&str> = file.as_object().expect("an object").keys().map(String::as_str).collect();
    let expect = "attached chip classes clock_hz elapsed elsewhere files flash_written from functions helpers image image_sha256 inlined \
                  instructions lines memory model occurrence occurrences paths schema stimuli to tool total";
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted.join(" "), expect);
    for unit in ["instructions", "cycles"] {
        for list in ["functions", "paths", "lines", "classes"] {
            assert_eq!(sum(&file[list], unit), file["total"][unit].as_u64().expect("a number"), "{list} {unit}");
        }
    }
    let elapsed: Vec<u64> = file["elapsed"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    assert_eq!(elapsed.len() as u64, file["occurrences"].as_u64().expect("a number"));
    assert_eq!(elapsed.iter().sum::<u64>(), file["total"]["cycles"].as_u64().expect("a number"));

    // `measure` says the same of the same span.
    let span = ["--span", "s=pin:PA0:rise..pin:PA1:fall", "--format", "json"];
    let measured = json(&cyclescope(&folder, "measure", &span));
    let record = measured["records"].as_array().expect("records").iter().find(|record| record["metric"] == "s");
    let record = record.expect("the span's");
    assert_eq!(record["n"].as_u64(), Some(elapsed.len() as u64));
    assert_eq!(record["min"].as_u64(), elapsed.iter().min().copied());
    assert_eq!(record["max"].as_u64(), elapsed.iter().max().copied());
}

/// Most traps of the kernel lead elsewhere: a span from the first of them holds others' calls.
#[test]
fn a_span_may_begin_with_the_last_of_several_events() {
    let folder = folder();
    let run = |command: &[&str]| {
        let all = [command, &["--chip", "ibex", "--guest-output", "none", "--format", "json"]].concat();
        let output = common::cyclescope(folder.path(), &all);
        assert!(output.status.success(), "{}", text(&output.stderr));
        json(&output)
    };
    let trace = |from: &str, occurrence: &str| {
        let span = ["--from", from, "--to", "cyclescope_driver_command", "--occurrence", occurrence];
        run(&[&["trace", "kernel-value.elf"], &span[..]].concat())
    };
    let elapsed = |file: &Value| -> Vec<u64> {
        file["elapsed"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect()
    };
    let last = trace("last trap", "all");
    let lengths = elapsed(&last);
    let span = ["--span", "s=last trap..symbol:cyclescope_driver_command"];
    let measured = run(&[&["measure", "kernel-value.elf"], &span[..]].concat());
    let record = measured["records"].as_array().expect("records").iter().find(|record| record["metric"] == "s");
    let record = record.expect("the span's");
    assert_eq!(record["n"].as_u64(), Some(lengths.len() as u64));
    assert_eq!(
        (record["min"].as_u64(), record["max"].as_u64()),
        (lengths.iter().min().copied(), lengths.iter().max().copied())
    );
    assert_eq!(lengths.iter().sum::<u64>(), last["total"]["cycles"].as_u64().expect("a number"));
    assert_eq!(last["from"], "last trap");
    assert!(elapsed(&trace("trap", "all")).iter().sum::<u64>() > lengths.iter().sum(), "others' calls count there");
    assert_eq!(elapsed(&trace("last trap", "3")), [lengths[2]]);
}

#[test]
fn the_trap_and_the_first_instruction_of_its_handler_are_two_events() {
    let folder = folder();
    let entry = ["--from", "trap", "--to", "exception:SVCall:entered", "--format", "json"];
    let file = json(&cyclescope(&folder, "trace", &entry));
    assert_eq!(file["total"]["instructions"], 1, "the SVC itself");
    let names: Vec<&str> =
        file["functions"].as_array().expect("a list").iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["(exception SVCall)", "vStartFirstTask"]);
    let handler = ["--from", "exception:SVCall:entered", "--to", "SVC_Handler", "--format", "json"];
    let file = json(&cyclescope(&folder, "trace", &handler));
    assert_eq!(file["total"]["cycles"], 0, "one cycle has both names");
}

/// A listing has each instruction counted and no other, with the cycle that it began at.
#[test]
fn a_listing_is_what_was_counted() {
    let folder = folder();
    for events in [["pin:PA0:rise", "pin:PA1:fall"], ["exception:EXTI4_15:entered", "exception:EXTI4_15:returned"]] {
        let arguments = ["--from", events[0], "--to", events[1], "--listing", "l.txt", "--format", "json"];
        let file = json(&cyclescope(&folder, "trace", &arguments));
        let listing = std::fs::read_to_string(folder.path().join("l.txt")).expect("the listing");
        let lines: Vec<&str> = listing.lines().filter(|line| line.starts_with(' ')).collect();
        assert_eq!(Some(lines.len() as u64), file["total"]["instructions"].as_u64(), "{listing}");
        assert!(lines[0].trim_start().starts_with("0 "), "{}", lines[0]);
    }
    let listing = std::fs::read_to_string(folder.path().join("l.txt")).expect("the listing");
    for line in [
        "EXTI4_15_IRQHandler:",
        "          0   6  08000308  b513       push    {r0, r1, r4, lr}",
        "         11   2  08000310  9101       str     r1, [sp, #4]             w:20002f84+4",
        "         32   3  08000326  f000 fce3  bl      #0x8000cf0               lr=0800032b",
        "         35  11  08000cf0  b5f7       push    {r0, r1, r2, r4, r5, r6, r7, lr} w:20002f60+32 sp=20002f60",
    ] {
        assert!(listing.lines().any(|other| other.trim_end() == line), "{line} of\n{listing}");
    }
}

#[test]
fn what_cannot_be_traced_is_said() {
    let folder = folder();
    for (arguments, code, expect) in [
        (["--from", "x*Task*", "--to", "sleep"], 65, "`x*Task*` matches 7 symbols: xTaskCreateStatic, "),
        (["--from", "maim", "--to", "sleep"], 65, "no symbol `maim`; did you mean `main`?"),
        (["--from", "Error_Handler_of_none", "--to", "sleep"], 65, "no symbol"),
        (["--from", "sleep", "--to", "main"], 84, "but not symbol:main after it"),
        (["--from", "exception:NMI:entered", "--to", "main"], 84, "did not happen; symbol:main did, first at cycle"),
        (["--from", "exception:NMI:entered", "--to", "exception:NMI:returned"], 84, "neither"),
    ] {
        let output = cyclescope(&folder, "trace", &arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(expect), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "no number for what did not happen");
    }
    let one = cyclescope(&folder, "trace", &["--from", "SysTick_H*", "--to", "exception:SysTick:returned"]);
    assert!(one.status.success(), "a pattern that fits one symbol is its name: {}", text(&one.stderr));
}

#[test]
fn a_whole_run_is_a_profile() {
    let folder = folder();
    let output = cyclescope(&folder, "profile", &["--format", "json", "--flamegraph", "b.svg"]);
    let file = json(&output);
    // 200 ms, at 12 MHz until the firmware has set up its clock.
    assert_eq!(file["total"]["cycles"], 9_585_627);
    assert_eq!(file["from"], Value::Null);
    let svg = std::fs::read_to_string(folder.path().join("b.svg")).expect("the picture");
    assert!(svg.contains("<svg") && svg.contains("xTaskIncrementTick"));
    let again = cyclescope(&folder, "profile", &["--format", "json", "--flamegraph", "c.svg"]);
    assert!(again.status.success());
    assert_eq!(svg, std::fs::read_to_string(folder.path().join("c.svg")).expect("the picture"));
}

/// Sleep is most of such a run; what is told of the rest has shares of its own.
#[test]
fn sleep_is_left_out_unless_asked_for() {
    let folder = folder();
    let tables = |command: &str, more: &[&str]| {
        let graph = ["--by", "function", "--by", "class", "--by", "path", "--by", "line", "--top", "0"];
        let output = cyclescope(&folder, command, &[&graph[..], &["--flamegraph", "d.svg"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), std::fs::read_to_string(folder.path().join("d.svg")).expect("the picture"))
    };
    let shares = |table: &str| -> f64 {
        let rows = table.split("By class of instruction").nth(1).expect("a table").split("\n\n").next().expect("text");
        rows.lines().filter_map(|line| line.split_whitespace().last()?.parse::<f64>().ok()).sum()
    };
    let (awake, graph) = tables("profile", &[]);
    assert!(awake.contains("The core was asleep for ") && awake.contains(" awake; --sleep counts all."), "{awake}");
    assert!(!awake.contains("(asleep)") && !graph.contains("(asleep)"), "{awake}");
    assert!((shares(&awake) - 100.0).abs() < 1.0, "{awake}");
    let (all, graph) = tables("profile", &["--sleep"]);
    assert!(!all.contains("The core was asleep") && all.contains("(asleep)") && graph.contains("(asleep)"), "{all}");
    // A span is as long as it is, asleep or not; a picture of it is of the time awake.
    let span = ["--from", "pin:PC13:fall", "--to", "pin:PC13:rise"];
    let (spanned, graph) = tables("trace", &span);
    assert!(spanned.contains("(asleep)") && !graph.contains("(asleep)"), "{spanned}");
    assert!(tables("trace", &[&span[..], &["--sleep"]].concat()).1.contains("(asleep)"));
}

/// The examples of docs/trace.md give what it prints. `CYCLESCOPE_BLESS=1` writes what they give into the page.
#[test]
fn the_page_s_examples_run_as_printed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace.md");
    let mut written = std::fs::read_to_string(&page).expect("the page");
    let folder = folder();
    let programs = PathBuf::from(PROGRAM).parent().expect("a folder").to_owned();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths("/usr/bin:/bin")));
    let path = path.expect("a path");
    let mut from = 0;
    let mut examples = 0;
    while let Some(begin) = written[from..].find("\n```console\n$ ").map(|at| from + at + "\n```console\n".len()) {
        let end = begin + written[begin..].find("```").expect("it ends");
        let block = &written[begin..end];
        let more: usize = block.lines().take_while(|line| line.ends_with('\\')).map(|line| line.len() + 1).sum();
        let command_ends = begin + more + block[more..].find('\n').expect("the command's last line") + 1;
        let command = written[begin + 2..command_ends].to_owned();
        let shell = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).env("PATH", &path).output();
        let shell = shell.expect("there is a shell");
        assert!(shell.status.success(), "{}", text(&shell.stderr));
        let given = text(&shell.stdout);
        if std::env::var_os("CYCLESCOPE_BLESS").is_some() {
            written.replace_range(command_ends..end, &given);
            std::fs::write(&page, &written).expect("the page can be written");
        } else {
            assert_eq!(
                given,
                written[command_ends..end],
                "docs/trace.md shows other output; CYCLESCOPE_BLESS=1 renews it"
            );
        }
        from = command_ends + given.len();
        examples += 1;
    }
    assert!(examples > 1);
}
