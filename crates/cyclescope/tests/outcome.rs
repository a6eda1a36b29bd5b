//! `exec --outcome`: the end of a run as a file.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{self, suite, text};
use crate::elf;

/// Runs `firmware` with an outcome, and returns the code of the process and the outcome.
fn outcome(folder: &Path, firmware: &Path, more: &[&str]) -> (i32, Value) {
    let mut command = common::command(folder);
    command.args(["exec", "--chip", "stm32f446re", "--outcome", "o.json"]).arg(firmware).args(more);
    let output = command.output().expect("it runs");
    let said = text(&output.stderr);
    assert!(said.contains("wrote the outcome to o.json"), "{said}");
    let file = std::fs::read(folder.join("o.json")).expect("it was written");
    (output.status.code().expect("a code"), serde_json::from_slice(&file).expect("it is JSON"))
}

#[test]
fn a_fault_is_written_with_its_report() {
    let folder = common::folder();
    let (code, file) = outcome(folder.path(), &suite("panic-fault"), &[]);
    assert_eq!((code, &file["exit_code"], &file["end"]), (80, &json!(80), &json!("fault")));
    assert_eq!(
        (&file["schema"], &file["chip"], &file["memory"]),
        (&json!(1), &json!("stm32f446re"), &json!("shipped"))
    );
    assert_eq!(file["image_sha256"].as_str().map(str::len), Some(64));
    assert!(file["message"].as_str().is_some_and(|text| text.starts_with("the guest faulted: access to")), "{file:#}");
    assert_eq!(file["fault"]["address"], 0x7000_0000);
    assert!(["cycles", "instructions", "time_ps"].iter().all(|key| file[*key].as_u64() > Some(0)), "{file:#}");
    let report = &file["report"];
    assert!(report["reason"].as_str().is_some_and(|text| text.contains("BusFault")), "{report:#}");
    assert_eq!(report["registers"]["pc"], file["fault"]["at"]["pc"]);
    let first = &report["backtrace"][0];
    assert_eq!(
        (&first["kind"], &first["pc"], &first["guessed"]),
        (&json!("call"), &file["fault"]["at"]["pc"], &json!(false))
    );
    let frame = &first["frames"][0];
    assert_eq!((&frame["function"], &frame["inlined"]), (&json!("panics::end"), &json!(false)));
}

#[test]
fn a_jump_to_nowhere_has_the_last_branch_and_a_good_end_no_report() {
    let folder = common::folder();
    // `ldr r0, =0x30000001; blx r0; b .`
    let code = [0x2000_8000, 0x0800_0011, 0, 0, 0x4780_4801, 0xBF00_E7FE, 0x3000_0001];
    let firmware = folder.path().join("app.elf");
    std::fs::write(&firmware, elf::arm(0x0800_0000, &code, &[("reset", 0x10, 12)])).expect("the folder is ours");
    let (_, file) = outcome(folder.path(), &firmware, &["--guest-handles-faults"]);
    assert_eq!(file["end"], "lockup");
    let report = &file["report"];
    assert_eq!(
        report["last_branch"],
        "the last branch out of a function went to 0x30000000, from pc 0x08000012 in reset"
    );
    let levels = report["backtrace"].as_array().expect("levels");
    assert!(
        levels.iter().any(|level| *level == json!({"kind": "exception", "number": 3, "name": "HardFault"})),
        "{report:#}"
    );

    let (code, file) = outcome(folder.path(), &suite("panic-exit"), &[]);
    assert_eq!((code, &file["end"], &file["guest_code"]), (0, &json!("exit"), &json!(0)));
    assert_eq!((&file["report"], &file["fault"]), (&Value::Null, &Value::Null));
    let (code, file) = outcome(folder.path(), &suite("panic-exit"), &["--until-output", "begins"]);
    assert_eq!((code, &file["end"]), (0, &json!("output")));
    let (code, file) = outcome(folder.path(), &suite("panic-rtt"), &[]);
    assert_eq!((code, &file["end"]), (81, &json!("spins")));
}

#[test]
fn an_outcome_has_a_file_of_its_own_with_its_extension() {
    let folder = common::folder();
    let refused = |firmware: &str, more: &[&str], why: &str| {
        let mut command = common::command(folder.path());
        let output = command.args(["exec", "--chip", "stm32f446re"]).arg(suite(firmware)).args(more).output();
        let output = output.expect("it runs");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is ours").count(), 0, "nothing is written");
    };
    refused("panic-exit", &["--outcome", "o.csv"], "--outcome writes JSON");
    refused("panic-exit", &["--outcome", "o"], "--outcome writes JSON");
    refused("panic-exit", &["--outcome", "o.json", "--record", "o.json"], "--outcome");
    refused("embedded-passing", &["--outcome", "o.json"], "no --outcome");
}
