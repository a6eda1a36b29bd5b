//! `tasks` over bundled firmware, as a user runs it.

use std::process::Command;

use serde_json::Value;

use crate::common::{cyclescope, elf, folder, json, runs_as_printed_below, suite, text, tools, unpack};

const PRESSES: &str = "presses 5 of PC13 low from 10ms gap 20ms..30ms seed 1";

const RUN: [&str; 9] =
    ["tasks", "fw.elf", "--chip", "stm32c031c6", "--guest-output", "none", "--for", "200ms", "--stimulus"];

#[test]
fn the_file_is_exact_and_stable() {
    let folder = folder();
    unpack("button-embassy-interrupt-s-stm32c031c6", &folder.path().join("fw.elf"));
    let arguments = [&RUN[..], &[PRESSES, "--format", "json"]].concat();
    let output = cyclescope(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(output.stdout, cyclescope(folder.path(), &arguments).stdout);
    let file = json(&output);
    let mut keys: Vec<&str> = file.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expect = "asleep attached chip clock_hz cores cycles files flash_written image image_sha256 memory model owners picoseconds \
                  runtime schema stimuli tasks tasks_are tool";
    assert_eq!(keys.join(" "), expect);
    let number = |value: &Value| value.as_u64().expect("a number");
    let owners = file["owners"].as_array().expect("a list");
    assert_eq!(owners.iter().map(|row| number(&row["cycles"])).sum::<u64>(), number(&file["cycles"]));
    let tasks = file["tasks"].as_array().expect("a list");
    let names: Vec<&str> = tasks.iter().filter_map(|task| task["name"].as_str()).collect();
    assert_eq!(names, ["main", "send", "blink", "report"]);
    for task in tasks {
        let own = owners.iter().find(|row| row["kind"] == "task" && row["name"] == task["name"]);
        assert_eq!(number(&own.expect("its cycles")["cycles"]), number(&task["busy"]), "{task}");
        assert!(number(&task["longest_poll"]["own"]) <= number(&task["longest_poll"]["cycles"]), "{task}");
    }

    // The same run without an X-ray ends in the same cycle.
    let profile = [&["profile"], &RUN[1..], &[PRESSES, "--format", "json"]].concat();
    let profiled = json(&cyclescope(folder.path(), &profile));
    assert_eq!(profiled["total"]["cycles"], file["cycles"]);
}

#[test]
fn tables_say_who_runs_who_wakes_and_where_it_waits() {
    let folder = folder();
    unpack("button-embassy-interrupt-s-stm32c031c6", &folder.path().join("fw.elf"));
    let output = cyclescope(folder.path(), &[&RUN[..], &[PRESSES]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for part in
        ["tasks of Embassy", "EXTI4_15  exception", "src/button/main.rs:83", "Timer", "Each cycle once", "100.0"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn the_page_s_examples_run_as_printed() {
    for (image, name, heading) in [
        ("button-rtic-interrupt-s-stm32f446ze", "rtic.elf", "## RTIC and lilos"),
        ("button-freertos-interrupt-s-stm32c031c6", "button.elf", "## Threads"),
    ] {
        let folder = folder();
        unpack(image, &folder.path().join(name));
        runs_as_printed_below("tasks.md", heading, &folder);
    }
}

#[test]
fn an_image_that_tells_no_types_says_how_to_build_it() {
    let folder = folder();
    let path = folder.path().join("fw.elf");
    unpack("button-c-plain-interrupt-s-stm32c031c6", &path);
    let output = cyclescope(folder.path(), &[&RUN[..], &[PRESSES]].concat());
    assert_eq!(output.status.code(), Some(65), "{}", text(&output.stderr));
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("build it with full debug information (Rust: `debug = 2`"), "{said}");

    // Debug information that is cut off in the middle of an entry.
    let mut bytes = elf("button-embassy-interrupt-s-stm32c031c6");
    let image = cyclescope::image::Image::parse(&bytes).expect("an image");
    let info = image.section(".debug_info").expect("debug information");
    let wanted = image.section_bytes(info).get(..64).expect("more than that").to_vec();
    let place = bytes.windows(64).position(|window| window == wanted).expect("it is in the file");
    bytes[place..place + 4].copy_from_slice(&0x7FFF_FFFFu32.to_le_bytes());
    std::fs::write(&path, &bytes).expect("the folder is ours");
    let output = cyclescope(folder.path(), &[&RUN[..], &[PRESSES]].concat());
    assert_eq!(output.status.code(), Some(65), "{}", text(&output.stderr));
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("the debug information cannot be read") && said.contains("build the image again"), "{said}");
}

/// A thread of FreeRTOS that waits for what a lower one holds while a third runs.
#[test]
fn inversions_of_priorities_have_a_table() {
    let (folder, path) = (folder(), suite("threads-semaphore"));
    let run = ["tasks", path.to_str().expect("a path"), "--chip", "stm32f446ze", "--for", "100ms"];
    let said = text(&cyclescope(folder.path(), &run).stdout);
    let (_, table) = said.split_once("Waits for what a lower priority held").expect("a table");
    assert!(table.contains("low      middle"), "{said}");
    let file = json(&cyclescope(folder.path(), &[&run[..], &["--format", "json"]].concat()));
    let high = file["tasks"].as_array().expect("a list").iter().find(|task| task["name"] == "high");
    let held_up = &high.expect("there is one")["held_up"];
    assert!(held_up["inversions"].as_u64() > Some(2) && held_up["longest"]["held_by"] == "low", "{held_up}");
    assert_eq!(held_up["longest"]["ran"][0]["name"], "middle", "{held_up}");
}

/// A span that never was is told of and left out; one has no place without a timeline.
#[test]
fn spans_need_a_timeline() {
    let (folder, path) = (folder(), suite("threads-mutex"));
    let run = ["tasks", path.to_str().expect("a path"), "--chip", "stm32f446ze", "--for", "5ms"];
    let span = ["--span", "never=symbol:main..pin:PC13:rise"];
    let output = cyclescope(folder.path(), &[&run[..], &span].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let output = cyclescope(folder.path(), &[&run[..], &span, &["--perfetto", "a.pftrace"]].concat());
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.status.success() && said.contains("the timeline goes without the span"), "{said}");
}

/// Reads a timeline with the classes that Perfetto publishes for Python, and tells of its events as JSON.
const READER: &str = "
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace, tracks, events = Trace(), {}, []
trace.ParseFromString(open(sys.argv[1], 'rb').read())
for packet in trace.packet:
    if packet.HasField('track_descriptor'):
        track = packet.track_descriptor
        tracks[track.uuid] = track.name
    else:
        event = packet.track_event
        events.append({
            'ns': packet.timestamp, 'track': tracks[event.track_uuid], 'type': event.type, 'name': event.name,
            'arguments': {one.name: one.uint_value for one in event.debug_annotations},
            'begins': list(event.flow_ids), 'ends': list(event.terminating_flow_ids), 'level': event.counter_value,
        })
print(json.dumps(events))
";

/// Perfetto's own classes read what the timeline tells, and it is what the file of results says.
#[test]
fn a_timeline_is_read_by_perfettos_own_schema() {
    let folder = folder();
    unpack("button-embassy-interrupt-s-stm32c031c6", &folder.path().join("fw.elf"));
    let span = ["--span", "answer=exception:EXTI4_15:entered..pin:PA1:fall"];
    let arguments = [&RUN[..], &[PRESSES, "--format", "json", "--perfetto", "fw.pftrace"], &span].concat();
    let file = json(&cyclescope(folder.path(), &arguments));
    let path = folder.path().join("fw.pftrace");
    let written = std::fs::read(&path).expect("it was written");
    cyclescope(folder.path(), &arguments);
    assert_eq!(std::fs::read(&path).expect("it was written"), written, "the same each time");
    if !tools::wanted("python3") {
        return;
    }
    let python = |arguments: &[&str]| {
        let mut python = Command::new("python3");
        let output = python.current_dir(folder.path()).env("PYTHONPATH", "packages").args(arguments).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        output
    };
    let packages = ["-m", "pip", "install", "-q", "--no-deps", "--target", "packages"];
    python(&[&packages[..], &["perfetto==0.59.1", "protobuf==7.36.2"]].concat());
    let events = json(&python(&["-c", READER, "fw.pftrace"]));
    let events = events.as_array().expect("a list");
    assert!(events.is_sorted_by_key(|event| event["ns"].as_u64()), "in order of time");

    let number = |value: &Value| value.as_u64().expect("a number");
    const BEGIN: u64 = 1;
    let begun: Vec<&Value> = events.iter().flat_map(|event| event["begins"].as_array().expect("a list")).collect();
    for task in file["tasks"].as_array().expect("a list") {
        let track = format!("task {}", task["name"].as_str().expect("a name"));
        let polls: Vec<&Value> =
            events.iter().filter(|event| event["track"] == track && event["type"] == BEGIN).collect();
        assert_eq!(polls.len() as u64, number(&task["polls"]), "{track}");
        // Each poll has an arrow from the wake or spawn before it.
        let arrows: Vec<&Value> = polls.iter().flat_map(|poll| poll["ends"].as_array().expect("a list")).collect();
        assert_eq!(arrows.len(), polls.len(), "{track}");
        assert!(arrows.iter().all(|arrow| begun.contains(arrow)), "{track}");
        let at = &task["longest_poll"]["at"];
        let longest = polls.iter().find(|poll| poll["arguments"]["cycle"] == *at).expect("the longest is among them");
        // The part begins at 12 MHz and goes on at 48.
        assert!(number(&longest["ns"]) > number(at) * 1_000 / 48, "{longest}");
    }
    let has = |track: &str, name: &str| events.iter().any(|event| event["track"] == track && event["name"] == name);
    assert!(has("EXTI4_15", "wakes report") && has("task report", "wakes send") && has("asleep", "asleep"));

    // What the program prints goes over the wire, and each span lasts from the handler to the pin.
    let on = |track: &str| events.iter().filter(|event| event["track"] == track).collect::<Vec<_>>();
    let sent = on("transfers of USART2").into_iter().map(|event| {
        let digits = event["name"].as_str().and_then(|name| name.strip_prefix("sent 0x")).expect("a character");
        char::from(u8::from_str_radix(digits, 16).expect("in hexadecimal"))
    });
    let sent: String = sent.collect();
    assert!(sent.starts_with("Button is 0 (1)\nButton is 1 (2)\n") && sent.lines().count() >= 5, "{sent}");
    let cycles = |events: Vec<&Value>, is: &dyn Fn(&Value) -> bool| {
        let events = events.into_iter().filter(|event| is(event));
        events.map(|event| number(&event["arguments"]["cycle"])).collect::<Vec<_>>()
    };
    let begins = |event: &Value| event["type"] == BEGIN;
    assert_eq!(cycles(on("span answer"), &begins), cycles(on("EXTI4_15"), &begins));
    let falls = cycles(on("pin PA1"), &|event| event["level"] == 0);
    assert_eq!(cycles(on("span answer"), &|event| !begins(event)), falls[falls.len() - 7..]);
    let levels = events.iter().filter(|event| event["track"] == "pin PC13").map(|event| event["level"].as_i64());
    let levels: Vec<_> = levels.collect();
    assert!(levels.len() >= 8 && levels.windows(2).all(|pair| pair[0] != pair[1]), "several presses: {levels:?}");
}
