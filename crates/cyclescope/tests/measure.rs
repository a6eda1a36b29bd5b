//! `measure` over bundled firmware, as a user runs it.

use std::process::Output;

use cyclescope::records::{Record, RecordFile, Unit};
use vcd::{Command as Change, Value};

use crate::common;

use common::{text, unpack};

/// Some image of the button experiment on FreeRTOS, as `button.elf` in a folder of its own.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    unpack("button-freertos-interrupt-s-stm32c031c6", &folder.path().join("button.elf"));
    folder
}

fn measure(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    common::cyclescope(folder.path(), &[&["measure"], arguments].concat())
}

const BUTTON: [&str; 3] = ["button.elf", "--chip", "stm32c031c6"];
const PRESSES: &str = "presses 5 of PC13 low from 100ms gap 20ms..220ms seed 1";
const IRQ: &str = "irq=pin:PA0:rise..pin:PA0:fall";

fn button(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    measure(folder, &[&BUTTON[..], &["--for", "2s"], arguments].concat())
}

fn records(output: &Output) -> Vec<Record> {
    RecordFile::from_json(&text(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
        .records
}

fn of<'a>(records: &'a [Record], metric: &str) -> &'a Record {
    records.iter().find(|record| record.metric == metric).unwrap_or_else(|| panic!("no {metric}"))
}

#[test]
fn what_happened_once_has_one_figure_and_no_histogram() {
    let press = "presses 1 of PC13 low from 100ms gap 20ms..220ms seed 1";
    let span = "held=pin:PC13:fall..pin:PC13:rise";
    let arguments = ["--guest-output", "none", "--histogram", "--stimulus", press, "--span", span];
    let output = button(&folder(), &arguments);
    let said = text(&output.stdout);
    let row = said.lines().find(|line| line.trim_start().starts_with("held ")).expect("its row");
    assert_eq!(row.matches('/').count(), 1, "{said}");
    assert!(!said.contains("median") && said.contains("held: no histogram, because it happened once."), "{said}");
}

/// The examples of docs/measure.md give what it prints. `CYCLESCOPE_BLESS=1` writes what they give into the page.
#[test]
fn the_page_s_examples_run_as_printed() {
    let folder = folder();
    let given = common::runs_as_printed("measure.md", &folder);
    let page = common::page("measure.md");
    let toml = common::block(&page, "toml");
    std::fs::write(folder.path().join("button.toml"), toml).expect("the folder is ours");
    let file = measure(&folder, &["--file", "button.toml", "--guest-output", "none"]);
    assert_eq!(text(&file.stdout), given, "{}", text(&file.stderr));
}

#[test]
fn records_hold_what_was_asked_and_what_came_of_it() {
    let folder = folder();
    let arguments = ["--span", IRQ, "--span", "press=pin:PC13:fall..pin:PC13:rise", "--stimulus", PRESSES];
    let output = button(&folder, &[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let all = records(&output);
    let irq = of(&all, "irq");
    assert_eq!((irq.n, irq.unit, irq.mode.as_str()), (10, Unit::Cycles, "span"), "one for each edge");
    assert_eq!(irq.histogram.as_ref().map(|histogram| histogram.samples()), Some(10));
    assert_eq!(irq.params["span.irq"].to_string(), "pin:PA0:rise..pin:PA0:fall");
    assert_eq!(irq.params["stimulus.01"].to_string(), PRESSES);
    let press = of(&all, "press");
    let [min, max] = [press.min, press.max].map(|number| number.as_integer().unwrap());
    assert!(press.n == 5 && min >= 960_000 && max <= 10_560_000, "gaps of 20 to 220 ms at 48 MHz: {min} {max}");
    let run = |metric| of(&all, metric).mean.as_integer().unwrap();
    // Before the firmware has set up its clock, cycles are longer.
    assert!(
        run("elapsed") < 48_000_000 * 2
            && (1_999_999_999.0..2_000_000_100.0).contains(&of(&all, "elapsed.time").mean.as_f64())
    );
    assert_eq!((run("stimuli"), run("asleep") + run("awake")), (10, run("elapsed")));
    assert!(run("wakes") > 10 && run("instructions") > 1_000);
    // What the firmware sends comes out, and it counted the same edges.
    assert!(text(&output.stderr).contains("Button is 0 (1)\nButton is 1 (2)\n"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Button is 1 (10)\n"));
    let again = button(&folder, &[&arguments[..], &["--format", "json", "--vcd", "x.vcd"]].concat());
    assert_eq!(again.stdout, output.stdout, "looking at it changes nothing");
    let other =
        button(&folder, &["--span", IRQ, "--stimulus", &PRESSES.replace("seed 1", "seed 2"), "--format", "json"]);
    assert_ne!(records(&other), all);
}

#[test]
fn a_dump_shows_what_spans_count() {
    let folder = folder();
    let arguments = [
        "--span",
        IRQ,
        "--stimulus",
        PRESSES,
        "--vcd",
        "x.vcd",
        "--vcd-time",
        "cycles",
        "--task-pointer",
        "pxCurrentTCB",
    ];
    let output = button(&folder, &[&arguments[..], &["--format", "json", "--guest-output", "none"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let all = records(&output);
    let dump = std::fs::read(folder.path().join("x.vcd")).expect("it was written");
    let mut parser = vcd::Parser::new(&dump[..]);
    let header = parser.parse_header().expect("a header");
    let wire = |path: [&str; 2]| header.find_var(&["stm32c031c6", path[0], path[1]]).expect(path[1]).code;
    let (pin, task, sleeping) = (wire(["pins", "PA0"]), wire(["core", "task"]), wire(["core", "sleeping"]));
    let (mut now, mut rose, mut lengths, mut tasks) = (0, None, Vec::new(), std::collections::BTreeSet::new());
    let (mut slept, mut asleep) = (None, 0);
    for change in parser {
        match change.expect("it reads") {
            Change::Timestamp(at) => now = at,
            Change::ChangeScalar(wire, value) if wire == pin => match (value, rose) {
                (Value::V1, _) => rose = Some(now),
                (Value::V0, Some(since)) => lengths.push(now - since),
                _ => {}
            },
            Change::ChangeScalar(wire, Value::V1) if wire == sleeping => slept = Some(now),
            Change::ChangeScalar(wire, Value::V0) if wire == sleeping => {
                asleep += slept.take().map_or(0, |since| now - since);
            }
            Change::ChangeString(wire, value) if wire == task => {
                tasks.insert(value);
            }
            _ => {}
        }
    }
    asleep += slept.map_or(0, |since| now - since);
    let irq = of(&all, "irq");
    assert_eq!(lengths.len() as u64, irq.n);
    assert_eq!(lengths.iter().max().map(|most| *most as i64), irq.max.as_integer());
    assert_eq!(Some(asleep as i64), of(&all, "asleep").mean.as_integer());
    assert!(tasks.len() >= 4, "three tasks and the idle task: {tasks:?}");
}

#[test]
fn a_span_that_fails_leaves_the_others_their_numbers() {
    let folder = folder();
    for (span, code, expect) in [
        ("bad=pin:PB0:rise..sleep", 84, "span `bad` never began"),
        ("bad=pin:PC13:fall..pin:PB0:rise", 84, "span `bad` began again after"),
        ("bad=time:1ms..pin:PB0:rise", 84, "span `bad` began after 33,627 cycles and never ended"),
        ("bad=pin:PC13:fall..time:1ms", 84, "span `bad` ended after 33,627 cycles, before it began"),
    ] {
        let arguments = ["--span", span, "--span", IRQ, "--stimulus", PRESSES, "--guest-output", "none"];
        let output = button(&folder, &arguments);
        assert_eq!(output.status.code(), Some(code), "{span}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expect), "{span}: {}", text(&output.stderr));
        let table = text(&output.stdout);
        assert!(table.lines().any(|line| line.starts_with(" irq ") && line.contains(" 10 ")), "{table}");
        assert!(table.lines().any(|line| line.starts_with(" bad ") && line.contains("none")), "{table}");
    }
    let counted =
        button(&folder, &["--span", "r=first pin:PC13:edge..time:1999ms", "--stimulus", PRESSES, "--format", "json"]);
    assert_eq!(of(&records(&counted), "r").n, 1);
}

#[test]
fn runs_end_when_they_should_and_say_when_they_do_not() {
    let folder = folder();
    let span = ["--span", IRQ, "--guest-output", "none", "--format", "json"];
    let until = ["--stimulus", PRESSES, "--until", "pin:PA1:fall"];
    let output = button(&folder, &[&span[..], &until].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("warning: the run ended before 9 of its stimuli"),
        "{}",
        text(&output.stderr)
    );
    let all = records(&output);
    assert_eq!((of(&all, "irq").n, of(&all, "stimuli").mean.as_integer()), (1, Some(1)));
    assert!(of(&all, "elapsed").mean.as_integer() < Some(20_000_000));

    let never = button(&folder, &[&span[..], &["--stimulus", PRESSES, "--until", "pin:PB0:rise"]].concat());
    assert_eq!(never.status.code(), Some(82));
    let said = text(&never.stderr);
    assert!(said.contains("pin:PB0:rise did not happen within 2s; the run is at pc 0x0800"), "{said}");
    assert_eq!(of(&records(&never), "irq").n, 10);
}

#[test]
fn what_cannot_be_done_is_refused_before_the_run() {
    let folder = folder();
    std::fs::write(folder.path().join("bad.toml"), "elf = 'button.elf'\nchip = 'stm32c031c6'\nspam = ['a=b..c']\n")
        .unwrap();
    for (arguments, code, expect) in [
        (&["--span", IRQ, "--stimulus", "at 1ms pin PG0 low"][..], 65, "the part has no pin PG0; the nearest are P"),
        (&["--span", IRQ, "--stimulus", "at 1ms uart 9 \"x\""], 65, "the part has no serial port 9; it has 1, 2"),
        (&["--span", IRQ, "--stimulus", "after symbol:mian pin PC13 low"], 65, "no symbol `mian`"),
        (&["--span", IRQ, "--until", "symbol:mian"], 65, "no symbol `mian`"),
        (&["--span", "bad=symbol:cyclescope_button_run..sleep", "--span", IRQ], 65, "cyclescope_button_runs"),
        (&["--span", "bad=exception:EXTI4_16:entered..sleep"], 65, "exception `EXTI4_16`; the nearest are EXTI4_15"),
        (&["--span", IRQ, "--vcd", "x.vcd", "--task-pointer", "pxCurentTCB"], 65, "pxCurrentTCB"),
        (&["--span", IRQ, "--stimulus", "at 1ms pin PC13 lwo"], 2, "did you mean `low`?"),
        (&["--span", "irq"], 2, "`irq` is not a span"),
        (&["--span", IRQ, "--span", IRQ], 2, "two spans are called `irq`"),
        (&["--span", IRQ, "--for", "2h"], 2, "`2h` is not a time"),
        (&[], 2, "no span is given"),
        (&["--span", IRQ, "--guest-output", "stdout"], 2, "to a file with --out"),
        (&["--file", "bad.toml"], 65, "bad.toml: line 3: unknown field `spam`"),
        (&["--file", "none.toml"], 66, "none.toml cannot be read"),
        (&["--span", IRQ, "--out", "no/such/folder.json"], 73, "cannot be written"),
    ] {
        let output = measure(&folder, &[&BUTTON[..], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expect), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(!folder.path().join("x.vcd").exists(), "nothing is left behind");
}

#[test]
fn every_wrong_name_is_told_at_once() {
    let folder = folder();
    let arguments = [
        &["--span", "x=mian..sleep", "--span", "b=pin:PG0:rise..sleep", "--until", "symbol:cyclescope_bttn"][..],
        &["--stimulus", "after symbol:foo pin PC13 low", "--stimulus", "at 1ms uart 9 \"x\""],
    ];
    let output = button(&folder, &arguments.concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(65), 0));
    let said = text(&output.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 5, "{said}");
    // A function that was inlined is explained, wherever it is named.
    let inlined = button(&folder, &["--span", "x=led_on..sleep", "--stimulus", "after symbol:led_on pin PC13 low"]);
    let explained = text(&inlined.stderr).matches("help: `led_on` was inlined into ").count();
    assert_eq!(explained, 2, "{}", text(&inlined.stderr));
    for part in [
        "stimulus `after symbol:foo pin PC13 low`: no symbol `foo`",
        "the part has no serial port 9",
        "no symbol `cyclescope_bttn`",
        "span `x`: no symbol `mian`; did you mean `main`?",
        "span `b`: the part has no pin PG0; the nearest are P",
    ] {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn levels_that_change_nothing_are_told_at_the_end() {
    let folder = folder();
    let said = |stimuli: &[&str]| {
        let stimuli: Vec<&str> = stimuli.iter().flat_map(|stimulus| ["--stimulus", stimulus]).collect();
        text(&button(&folder, &[&["--span", IRQ, "--guest-output", "none"], &stimuli[..]].concat()).stderr)
    };
    // The board's pull-up holds the button high, so that the first of these presses is none.
    let inverted = said(&["presses 2 of PC13 high from 100ms gap 20ms..30ms seed 1", "at 1s pin PC13 low"]);
    assert!(
        inverted.contains("warning: 2 of 5 stimuli changed nothing: PC13 was high already, PC13 was low"),
        "{inverted}"
    );
    for changing in [PRESSES, "at 0ms pin PC13 low"] {
        assert!(!said(&[changing]).contains("changed nothing"), "{changing}");
    }
}
