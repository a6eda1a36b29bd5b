//! `import`: what a board printed, beside the model. The boards here are the model itself, whose error is none.

use std::path::Path;

use serde_json::Value;

use crate::common;

use common::{cyclescope, text, unpack};

/// Returns the output of the bundled image `name` on `chip`.
fn said(folder: &Path, name: &str, chip: &str) -> String {
    unpack(name, &folder.join("app.elf"));
    text(&cyclescope(folder, &["exec", "app.elf", "--chip", chip]).stdout)
}

#[test]
fn a_serial_log_becomes_records_beside_the_model_s() {
    let folder = tempfile::tempdir().expect("there is room");
    let switch = said(folder.path(), "switch-ply-plain-3-atmega328p", "atmega328p").replace('\n', "\r\n");
    assert!(switch.contains("cyclescope switch contender=ply"), "{switch}");
    // A terminal that was opened in the middle, a reset in the middle of a run, another program's line.
    let cut = &switch[..switch.len() / 2];
    let log = format!("\u{fffd}?us\r\ncyclescope other contender=x mode=y\r\n{switch}\r\nboot\r\n{cut}{switch}bye");
    std::fs::write(folder.path().join("serial.log"), log).expect("the folder is ours");
    let import = |more: &[&str]| {
        let arguments = ["import", "serial.log", "--chip", "atmega328p", "--board", "uno"];
        cyclescope(folder.path(), &[&arguments[..], more].concat())
    };
    let output = import(&["--opt", "3", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let records = file["records"].as_array().expect("records");
    let row = |source: &str| {
        let of = |record: &&Value| {
            record["source"] == source
                && record["metric"] == "elapsed.own_clock"
                && record["params"]["row"] == "CoroutineScheduling"
        };
        records.iter().find(of).expect("the row's")
    };
    let (silicon, model) = (row("silicon"), row("simulated"));
    assert_eq!((silicon["n"].as_u64(), silicon["settings"]["board"].as_str()), (Some(2), Some("uno")));
    assert_eq!(silicon["mean"], model["mean"]);
    assert!(silicon["model"].is_null() && !model["model"].is_null());
    let table = text(&import(&["--opt", "3"]).stdout);
    assert!(table.contains("uno (atmega328p) beside the model") && table.contains("0.0000"), "{table}");

    let several = import(&[]);
    assert_eq!(several.status.code(), Some(2), "{}", text(&several.stderr));
    assert!(text(&several.stderr).contains("--opt"), "{}", text(&several.stderr));
}

#[test]
fn a_run_that_is_wrong_gives_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let right = said(folder.path(), "switch-ply-plain-3-atmega328p", "atmega328p");
    for (log, code, says) in [
        (right.replace("EmptyLoop=10000/", "EmptyLoop=10001/"), 84, "the counter of EmptyLoop is 10001"),
        (
            right.replace("contender=ply", "contender=plywood"),
            65,
            "there is no bundled image of switch for plywood in mode plain on atmega328p at 3",
        ),
        (right.replace("cyclescope", "cycloscope"), 65, "the log has no line with the result"),
    ] {
        std::fs::write(folder.path().join("serial.log"), log).expect("the folder is ours");
        let arguments = ["import", "serial.log", "--chip", "atmega328p", "--board", "uno", "--opt", "3"];
        let output = cyclescope(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says) && output.stdout.is_empty(), "{}", text(&output.stderr));
    }
}
