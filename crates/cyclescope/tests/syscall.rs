//! `run syscall` over images of one's own, and beside `trace`.

use crate::common;

use serde_json::Value;
use tempfile::TempDir;

use common::{cyclescope, json, text};

const IMAGE: &str = "syscall-freertos-yield-z-ibex";
const TRAP: &str = "cyclescope_trap_yield";
const DRIVER: &str = "vTaskSwitchContext";
const BACK: &str = "cyclescope_back_yield";

/// A bundled image as `own.elf` in a folder of its own, and beside it as `stripped.elf` without sections.
fn folder() -> TempDir {
    let folder = common::folder();
    let mut elf = common::elf(IMAGE);
    std::fs::write(folder.path().join("own.elf"), &elf).expect("the folder is ours");
    // e_shoff, and e_shnum with e_shstrndx: no section headers, and so no symbols.
    elf[0x20..0x24].fill(0);
    elf[0x30..0x34].fill(0);
    std::fs::write(folder.path().join("stripped.elf"), elf).expect("the folder is ours");
    folder
}

/// The calls of `elf` as records.
fn own(folder: &TempDir, elf: &str, events: &[&str]) -> Vec<Value> {
    let mut arguments = vec!["run", "syscall", "--image", elf, "--chip", "ibex", "--for", "10ms", "--format", "json"];
    arguments.extend(events);
    let output = cyclescope(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    json(&output)["records"].as_array().expect("records").clone()
}

fn of<'v>(records: &'v [Value], metric: &str) -> &'v Value {
    records.iter().find(|record| record["metric"] == metric).unwrap_or_else(|| panic!("no {metric}"))
}

/// A bundled image given as one's own has the bundled run's numbers, and `trace` says the same of the same events.
#[test]
fn an_image_of_ones_own_is_measured_as_bundled_ones_are() {
    let folder = folder();
    let records = own(&folder, "own.elf", &["--from", TRAP, "--to", DRIVER, "--back", BACK]);
    let chosen = ["--contender", "freertos", "--chip", "ibex", "--opt", "z", "--format", "json"];
    let bundled = json(&cyclescope(folder.path(), &[&["run", "syscall"], chosen.as_slice()].concat()));
    let bundled = bundled["records"].as_array().expect("records");
    let mut compared = 0;
    for record in bundled.iter().filter(|record| record["params"]["call"] == "yield") {
        let same = of(&records, record["metric"].as_str().expect("a name"));
        assert_eq!((&same["n"], &record["n"]), (&9.into(), &8.into()), "the first one warms up");
        assert_eq!(same["median"], record["median"], "{}", record["metric"]);
        compared += 1;
    }
    assert!(compared > 12, "{compared}");
    for (to, metric) in [(DRIVER, "trap_to_driver"), (BACK, "call")] {
        let trace = ["trace", "own.elf", "--chip", "ibex", "--guest-output", "none", "--format", "json"];
        let events = ["--from", TRAP, "--to", to, "--occurrence", "2", "--memory", "equal"];
        let file = json(&cyclescope(folder.path(), &[trace.as_slice(), events.as_slice()].concat()));
        assert_eq!(file["total"]["cycles"], of(&records, metric)["median"]);
        assert_eq!(file["total"]["instructions"], of(&records, &format!("{metric}.instructions"))["median"]);
    }
}

/// Addresses do where names are gone; then nothing tells copies from the rest, and all else stays.
#[test]
fn a_stripped_image_is_measured_by_addresses() {
    let folder = folder();
    let named = own(&folder, "own.elf", &["--from", TRAP, "--to", DRIVER, "--back", BACK]);
    let elf = std::fs::read(folder.path().join("own.elf")).expect("it is there");
    let image = cyclescope::image::Image::parse(&elf).expect("it is one");
    let address = |name| format!("address:{}", image.symbol(name).expect("it has it").address);
    let (from, to, back) = (address(TRAP), address(DRIVER), address(BACK));
    let events = ["--from", from.as_str(), "--to", to.as_str(), "--back", back.as_str()];
    let stripped = own(&folder, "stripped.elf", &events);
    for metric in ["trap_to_driver", "vector_to_driver", "driver_to_back", "call", "part.driver"] {
        for metric in [metric.to_owned(), format!("{metric}.instructions")] {
            assert_eq!(of(&stripped, &metric)["mean"], of(&named, &metric)["mean"], "{metric}");
        }
    }
}

/// Several calls at once, without a way back, and parts that one names oneself.
#[test]
fn calls_and_parts_are_as_they_are_named() {
    let folder = folder();
    let events = ["--from", TRAP, "--to", DRIVER, "--from", DRIVER, "--to", BACK, "--vector", "exception:11:entered"];
    let records = own(&folder, "own.elf", &[events.as_slice(), &["--part", "mine=vTaskSwitch*"]].concat());
    let calls: Vec<&Value> = records
        .iter()
        .filter(|record| record["metric"] == "trap_to_driver")
        .map(|record| &record["params"]["call"])
        .collect();
    assert_eq!(calls, ["symbol:cyclescope_trap_yield", "symbol:vTaskSwitchContext"]);
    let mine: Vec<&Value> = records.iter().filter(|record| record["metric"] == "part.mine").collect();
    assert_eq!(mine[0]["max"], 0, "none before the driver");
    let driver = own(&folder, "own.elf", &["--from", TRAP, "--to", DRIVER, "--back", BACK]);
    assert_eq!(mine[1]["median"], of(&driver, "part.driver")["median"]);
    assert!(records.iter().all(|record| record["metric"] != "call"), "there is no way back");
}

/// However parts are named, each instruction of a call is of one of them.
#[test]
fn named_parts_sum_to_the_call() {
    let folder = folder();
    for parts in [
        &["--part", "entry=freertos_risc_v_exception_handler"][..],
        &["--part", "entry=vTaskSwitch*", "--part", "mine=xTask*"],
        &["--part", "copies=vTaskSwitch*"],
    ] {
        let records = own(&folder, "own.elf", &[&["--from", TRAP, "--to", DRIVER, "--back", BACK], parts].concat());
        let mut names = std::collections::BTreeSet::new();
        let mut sum = 0.0;
        for record in &records {
            let metric = record["metric"].as_str().expect("a name");
            assert!(names.insert(metric), "{parts:?}: two of {metric}");
            if metric.starts_with("part.") && !metric.contains(".within") && !metric.ends_with(".instructions") {
                sum += record["mean"].as_f64().expect("a number");
            }
        }
        let whole = of(&records, "call")["mean"].as_f64().expect("a number");
        assert!((sum - whole).abs() < 1e-6, "{parts:?}: {sum} of {whole}");
    }
}

#[test]
fn what_cannot_be_measured_is_said_as_trace_says_it() {
    let folder = folder();
    let image = ["run", "syscall", "--image", "own.elf", "--chip", "ibex", "--for", "10ms"];
    for (arguments, code, expect) in [
        (vec!["--from", TRAP, "--to", DRIVER, "--details"], 2, "--details has nothing to add with --image"),
        (vec!["--from", "maim", "--to", DRIVER], 65, "no symbol `maim`; did you mean `main`?"),
        (vec!["--from", "xTask*", "--to", DRIVER], 65, "`xTask*` matches "),
        (vec!["--from", TRAP, "--to", DRIVER, "--back", "nowhere"], 65, "no symbol `nowhere`"),
        (vec!["--from", TRAP, "--to", DRIVER, "--part", "copies=memkopy*"], 65, "part `copies`: no symbol"),
        (
            vec!["--from", TRAP, "--to", DRIVER, "--part", "dispatch=memcpy"],
            2,
            "part `dispatch`: the parts `dispatch`, `interrupts`, `driver` have no functions",
        ),
        (vec!["--from", TRAP, "--to", DRIVER, "--part", "driver=vTask*"], 2, "give functions to `entry`"),
        (vec!["--from", TRAP, "--to", DRIVER, "--part", "interrupts=vTask*"], 2, "a name of your own"),
        (
            vec!["--from", TRAP, "--to", DRIVER, "--part", "a=memcpy", "--part", "a=memset"],
            2,
            "two parts are called `a`",
        ),
        (vec!["--from", TRAP, "--to", "main"], 84, "happened at cycle "),
        (vec!["--from", TRAP, "--to", "main"], 84, "symbol:main happened before, at cycle "),
        (vec!["--from", "exception:2:entered", "--to", DRIVER], 84, "did not happen; symbol:vTaskSwitchContext did"),
        (vec!["--from", "exception:2:entered", "--to", "exception:2:returned"], 84, "neither exception:2:entered nor"),
        (vec!["--from", TRAP], 2, "give each call a --from and a --to"),
        (vec!["--from", TRAP, "--to", DRIVER, "--back", BACK, "--back", BACK], 2, "give each --from a --back"),
        (vec!["--from", TRAP, "--to", DRIVER, "--opt", "z"], 2, "chooses among bundled images"),
        (vec!["--from", TRAP, "--to", DRIVER, "--chip", "virt"], 2, "needs one --chip"),
    ] {
        let output = cyclescope(folder.path(), &[image.as_slice(), &arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(expect), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "no number for what did not happen");
    }
    common::unpack("syscall-kernel-devel-value-z-ibex", &folder.path().join("kernel.elf"));
    let inlined = ["--from", "cyclescope_trap_command", "--to", "dispatch<syscall::Board>"];
    let image = ["run", "syscall", "--image", "kernel.elf", "--chip", "ibex"];
    let output = cyclescope(folder.path(), &[image.as_slice(), &inlined].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(said.contains("`dispatch<syscall::Board>` was inlined into kernel_trap (first at address:0x"), "{said}");
    let output = cyclescope(folder.path(), &["run", "primes", "--image", "own.elf", "--from", TRAP, "--to", DRIVER]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn one_call_that_fails_leaves_the_others_their_numbers() {
    let folder = folder();
    let arguments =
        ["--from", TRAP, "--to", DRIVER, "--from", TRAP, "--to", "main", "--format", "csv", "--for", "10ms"];
    let image = ["run", "syscall", "--image", "own.elf", "--chip", "ibex"];
    let output = cyclescope(folder.path(), &[image.as_slice(), &arguments].concat());
    assert_eq!(output.status.code(), Some(84));
    assert!(text(&output.stdout).contains("trap_to_driver"), "{}", text(&output.stderr));
}
