//! `tasks` over bundled firmware, as a user runs it.

use serde_json::Value;

use crate::common::{cyclescope, elf, folder, json, text, unpack};

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
