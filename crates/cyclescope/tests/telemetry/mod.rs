//! `tasks` of a trace that tokio's telemetry has written, as a user runs it. README.md beside this file has its program.

use std::fs;

use serde_json::Value;

use crate::common::{cyclescope, folder, json, text};

/// The trace, or one that `.ci/long` has just recorded.
fn trace() -> Vec<u8> {
    match std::env::var_os("CYCLESCOPE_TRACE") {
        Some(path) => fs::read(path).expect("it was recorded"),
        None => include_bytes!("trace.bin.gz").to_vec(),
    }
}

/// A folder with the trace.
fn recorded() -> tempfile::TempDir {
    let folder = folder();
    fs::create_dir(folder.path().join("traces")).expect("it is empty");
    fs::write(folder.path().join("traces/trace.0.bin"), trace()).expect("there is room");
    folder
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The task that was spawned in this line of the program.
fn task(file: &Value, line: u32) -> &Value {
    let place = format!("src/main.rs:{line}:");
    let tasks = file["tasks"].as_array().expect("a list");
    let found = tasks.iter().find(|task| task["name"].as_str().is_some_and(|name| name.contains(&place)));
    found.unwrap_or_else(|| panic!("no task of line {line}: {tasks:?}"))
}

#[test]
fn the_tasks_of_a_real_program_are_those_that_it_spawned() {
    let folder = recorded();
    let output = cyclescope(folder.path(), &["tasks", "traces/trace.0.bin", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = json(&output);
    assert_eq!((file["runtime"].as_str(), number(&file["cores"])), (Some("tokio"), 2));
    let owners = file["owners"].as_array().expect("a list");
    let sum: u64 = owners.iter().map(|row| number(&row["cycles"])).sum();
    assert_eq!(sum, 2 * number(&file["cycles"]));

    // Ten that sleep 30 times, one that computes 5 times for 8 ms, one that blocks its worker 3 times for 25 ms.
    let [ticks, computes, blocks] = [TICKS, COMPUTES, BLOCKS].map(|line| task(&file, line));
    assert_eq!([ticks, computes, blocks].map(|task| number(&task["spawns"])), [10, 1, 1]);
    // Each sleep ends a poll; one more sees the end. Timers may wake before their time, once in a while.
    assert!((310..340).contains(&number(&ticks["polls"])), "{}", ticks["polls"]);
    let blocked = |task: &Value| (number(&task["blocked"]["polls"]), number(&task["blocked"]["sum"]));
    let (polls, time) = blocked(blocks);
    assert!(polls == 3 && time >= 75_000_000, "{polls} {time}");
    let (polls, time) = blocked(computes);
    assert!(polls == 5 && time >= 40_000_000, "{polls} {time}");
    assert!(number(&blocks["longest_poll"]["cycles"]) >= 25_000_000);
    assert!(number(&ticks["wake_to_poll"]["times"]) >= 300);
}

const TICKS: u32 = 44;
const COMPUTES: u32 = 46;
const BLOCKS: u32 = 47;

#[test]
fn a_folder_is_read_whole_and_shown_as_tables_and_a_timeline() {
    let folder = recorded();
    let output = cyclescope(folder.path(), &["tasks", "traces", "--perfetto", "a.pftrace", "--blocking", "10ms"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for part in [
        "tasks of tokio on the host",
        "wake to poll",
        "Moves between workers",
        "The workers",
        "Each worker's time once",
    ] {
        assert!(shown.contains(part), "{part} is missing\n{shown}");
    }
    let timeline = fs::read(folder.path().join("a.pftrace")).expect("it is written");
    let has = |text: &str| timeline.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("worker 0") && has("worker 1") && has("src/main.rs:47:"));
    let none = cyclescope(folder.path(), &["tasks", "."]);
    assert!(text(&none.stderr).contains("the folder has no file of a trace"), "{}", text(&none.stderr));
}

#[test]
fn options_of_a_firmware_and_damaged_traces_are_refused() {
    let folder = recorded();
    let refused = |arguments: &[&str], why: &str| {
        let output = cyclescope(folder.path(), arguments);
        assert!(!output.status.success() && text(&output.stderr).contains(why), "{}", text(&output.stderr));
    };
    refused(&["tasks", "traces", "--chip", "stm32f446ze"], "this is a trace of a runtime on the host");
    fs::write(folder.path().join("bad.bin"), b"TRC\0\x01\xff").expect("there is room");
    refused(&["tasks", "bad.bin"], "it is damaged");
    fs::write(folder.path().join("bad.bin"), b"\x1f\x8bnothing").expect("there is room");
    refused(&["tasks", "bad.bin"], "it cannot be unpacked");
}
