//! `luck` over bundled firmware, as a user runs it.

use std::process::Output;

use cyclescope::records::{Record, RecordFile};

use crate::common::{self, text, unpack};

const IMAGE: &str = "button-freertos-interrupt-s-stm32c031c6";
const PRESSES: &str = "presses 3 of PC13 low from 10ms gap 20ms..30ms seed 1";
const SPAN: &str = "answer=pin:PC13:edge..symbol:cyclescope_button_runs";
const RUN: [&str; 6] = ["--span", SPAN, "--stimulus", PRESSES, "--for", "200ms"];

fn luck(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    common::cyclescope(folder.path(), &[&["luck", "fw.elf"], &RUN[..], arguments].concat())
}

fn folder(image: &str) -> tempfile::TempDir {
    let folder = common::folder();
    unpack(image, &folder.path().join("fw.elf"));
    folder
}

fn records(output: &Output) -> Vec<Record> {
    let file = RecordFile::from_json(&text(&output.stdout));
    file.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr))).records
}

#[test]
fn the_page_s_example_runs_as_printed() {
    let folder = common::folder();
    unpack("button-freertos-interrupt-3-stm32f446ze", &folder.path().join("button.elf"));
    common::runs_as_printed("luck.md", &folder);
}

#[test]
fn a_seed_gives_the_same_layouts_whatever_runs_at_once_and_another_gives_others() {
    let folder = folder(IMAGE);
    let run = |seed: &str, jobs: &str| {
        let options = ["--layouts", "6", "--traced", "2", "--seed", seed, "--jobs", jobs, "--format", "json"];
        let output = luck(&folder, &[&["--chip", "stm32c031c6"][..], &options].concat());
        let all = records(&output);
        assert_eq!((all.len(), all[0].metric.as_str(), all[0].mode.as_str(), all[0].n), (1, "answer", "luck", 7));
        all[0].layouts.clone().expect("it is about layouts")
    };
    let first = run("1", "1");
    assert_eq!(first.len(), 7, "its own and six");
    assert!(first.iter().any(|figure| *figure != first[0]), "flash waits on this part: {first:?}");
    assert_eq!(run("1", "3"), first);
    let other = run("2", "2");
    assert_eq!(other[0], first[0], "the firmware's own");
    assert_ne!(other, first);
}

#[test]
fn the_firmware_s_own_figure_is_that_of_measure_and_memory_without_waits_knows_no_luck() {
    let folder = folder(IMAGE);
    let ideal = ["--chip", "stm32c031c6", "--memory", "ideal", "--format", "json"];
    let own = records(&luck(&folder, &[&ideal[..], &["--layouts", "3"]].concat()))[0].clone();
    assert_eq!((own.min, own.max, own.stddev.as_f64()), (own.mean, own.mean, 0.0), "no flash waits");
    let measure = [&["measure", "fw.elf", "--guest-output", "none"], &RUN[..], &ideal[..]].concat();
    let measured = records(&common::cyclescope(folder.path(), &measure));
    assert_eq!(measured[0].mean.as_f64(), own.mean.as_f64());
}

#[test]
fn layouts_that_begin_at_an_event_count_what_comes_behind_it() {
    let folder = folder(IMAGE);
    // How long the button is held is a matter of the stimulus, and differs from press to press.
    let held = ["--chip", "stm32c031c6", "--span", "held=pin:PC13:fall..pin:PC13:rise", "--format", "json"];
    let of =
        |output: Output| records(&output).into_iter().find(|record| record.metric == "held").expect("it is asked for");
    let measured = |until: &[&str]| {
        let measure = [&["measure", "fw.elf", "--guest-output", "none"], &RUN[..], &held[..], until].concat();
        let held = of(common::cyclescope(folder.path(), &measure));
        (held.n as f64, held.mean.as_f64())
    };
    let ((all, mean), (before, mean_before)) = (measured(&[]), measured(&["--until", "time:60ms"]));
    assert!(before > 0.0 && before < all, "{before} of {all} samples lie before the event");
    let own = of(luck(&folder, &[&held[..], &["--layouts", "2", "--from", "time:60ms"]].concat()));
    let behind = (all * mean - before * mean_before) / (all - before);
    assert!((own.mean.as_f64() - behind).abs() < 1e-6 && behind != mean, "{} and not {behind}", own.mean.as_f64());
    assert_eq!(own.params["from"].to_string(), "time:60ms");

    let options = ["--chip", "stm32c031c6", "--layouts", "6", "--from", "time:45ms"];
    let said = text(&luck(&folder, &options).stdout);
    for what in ["Approximate: each layout", "answer: functions whose placement matters most"] {
        assert!(said.contains(what), "{what} is not said: {said}");
    }
    let output = luck(&folder, &["--chip", "stm32c031c6", "--layouts", "2", "--from", "time:300ms"]);
    let said = text(&output.stderr);
    assert!(said.contains("before time:300ms happened"), "{said}");
    assert_eq!(output.status.code(), Some(84), "{said}");
}

#[test]
fn an_experiment_runs_each_program_in_the_layouts_that_its_elf_has() {
    let folder = folder("primes-c-plain-plain-s-stm32f446ze");
    let own = ["luck", "fw.elf", "--chip", "stm32f446ze", "--layouts", "3", "--traced", "0", "--format", "json"];
    let span = ["--for", "1s", "--span", "elapsed=symbol:cyclescope_start..symbol:cyclescope_stop"];
    let own = records(&common::cyclescope(folder.path(), &[&own[..], &span].concat()));
    let run = ["run", "primes", "--chip", "stm32f446ze", "--contender", "c-plain", "--opt", "s", "--memory", "shipped"];
    let all = records(&common::cyclescope(folder.path(), &[&run[..], &["--luck=3", "--format", "json"]].concat()));
    let of = |metric: &str, mode: &str| all.iter().find(|record| record.metric == metric && record.mode == mode);
    let plain = of("elapsed", "plain").expect("it was run");
    assert_eq!(plain.layouts, own[0].layouts);
    // A yield is what lies between two programs, each in its layout of the same number.
    let layouts = |metric, mode| of(metric, mode).and_then(|record| record.layouts.clone()).expect("it has some");
    let dispatches = of("dispatches", "one").expect("it counts them").mean.as_f64();
    let yields = layouts("yield", "one");
    assert_eq!(yields.len(), 4);
    for ((one, plain), each) in layouts("elapsed", "one").iter().zip(layouts("elapsed", "plain")).zip(yields) {
        assert!(
            ((one.as_f64() - plain.as_f64()) / dispatches - each.as_f64()).abs() < 1e-9,
            "{one:?} {plain:?} {each:?}"
        );
    }
    assert_eq!(of("flash", "plain").and_then(|record| record.layouts.clone()), None, "a size has no luck");
}

#[test]
fn on_an_avr_placement_does_nothing() {
    let folder = folder("switch-c-loop-plain-s-atmega328p");
    let arguments = ["luck", "fw.elf", "--chip", "atmega328p", "--for", "1ms", "--span", "all=time:10us..time:500us"];
    let output = common::cyclescope(folder.path(), &arguments);
    let said = text(&output.stdout);
    assert!(said.contains("no time depends on an address") && said.contains(" 0.00"), "{said}");
    assert!(!said.contains("linker script"), "{said}");
}

#[test]
fn two_files_of_layouts_are_told_from_luck() {
    let folder = folder(IMAGE);
    for (seed, file) in [("1", "old.json"), ("2", "new.json")] {
        let options = ["--chip", "stm32c031c6", "--layouts", "40", "--traced", "0", "--seed", seed, "--out", file];
        assert_eq!(luck(&folder, &options).status.code(), Some(0));
    }
    let compare = |arguments: &[&str]| {
        common::cyclescope(folder.path(), &[&["compare", "old.json", "new.json"], arguments].concat())
    };
    let same = compare(&["--luck", "--fail-on", "answer > +1% beyond luck", "--fail-on", "answer p50 > +1%"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    assert!(text(&same.stdout).contains("same"), "one ELF: {}", text(&same.stdout));
    // The figure of the layouts is the mean of samples, and no median.
    let other = compare(&["--luck", "--fail-on", "answer median > +1% beyond luck"]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));

    // The same file with two percent more work in every layout.
    let written = std::fs::read_to_string(folder.path().join("old.json")).expect("it was written");
    let mut file = RecordFile::from_json(&written).expect("records");
    for figure in file.records[0].layouts.iter_mut().flatten() {
        *figure = cyclescope::records::stats::Number::real(figure.as_f64() * 1.02).expect("a number");
    }
    std::fs::write(folder.path().join("new.json"), file.to_json().expect("it can be written")).expect("ours");
    let more = compare(&["--luck", "--fail-on", "answer > +1% beyond luck"]);
    assert_eq!(more.status.code(), Some(1), "{}", text(&more.stdout));
    assert!(
        text(&more.stdout).contains("+2.00 %") && text(&more.stdout).contains("  regression"),
        "{}",
        text(&more.stdout)
    );
    let json = common::json(&compare(&["--luck", "--format", "json"]));
    assert_eq!(
        (json["luck"][0]["verdict"].as_str(), json["luck"][0]["metric"].as_str()),
        (Some("regression"), Some("answer"))
    );
    let back = ["compare", "new.json", "old.json", "--luck", "--fail-on", "answer > +1% beyond luck"];
    let less = common::cyclescope(folder.path(), &back);
    assert!(less.status.success() && text(&less.stdout).contains("improvement"), "{}", text(&less.stdout));
}

#[test]
fn what_cannot_be_moved_or_measured_is_told() {
    let folder = folder(IMAGE);
    let check = |arguments: &[&str], code: i32, words: &str| {
        let output = luck(&folder, &[&["--chip", "stm32c031c6"], arguments].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(code) && said.contains(words), "{arguments:?}: {said}");
    };
    check(&["--layouts", "0"], 2, "at least 1");
    check(&["--map", "fw.elf"], 65, "no input sections");
    check(&["--map", "nowhere.map"], 66, "nowhere.map");
    check(&["--span", SPAN], 2, "answer");
    check(&["--span", "b=symbol:nowhere..symbol:cyclescope_button_runs", "--layouts", "1"], 65, "nowhere");
    check(&["--span", "b=symbol:cyclescope_button_runs..symbol:main", "--layouts", "1"], 84, "wrong way round");
    std::fs::write(folder.path().join("fw.elf"), b"\x7fELF").expect("ours");
    check(&[], 65, "fw.elf");
}
