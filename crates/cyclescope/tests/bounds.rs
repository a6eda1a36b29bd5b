//! Small inputs that could take gigabytes, run in 396 MB of address space beside the program itself.
#![cfg(target_os = "linux")]

use crate::common;
use crate::elf;

use std::path::Path;
use std::process::{Command, Output};

use common::{json, text};

/// QEMU's finisher: writes the code of success to its address, and stays.
const FINISHER: [u32; 5] = [0x0010_05B7, 0x0000_5637, 0x5556_0613, 0x00C5_A023, 0x0000_006F];

/// Runs `cyclescope arguments` in `folder` in 396 MB beside the program, all of which lies in its address space.
fn limited(folder: &Path, arguments: &[&str]) -> Output {
    let program = std::fs::metadata(common::PROGRAM).expect("it was built").len();
    let limit = format!("ulimit -v {}; exec \"$0\" \"$@\"", 396 * 1024 + program / 1024);
    let mut command = Command::new("sh");
    command.current_dir(folder).env("COLUMNS", "200").args(["-c", &limit, common::PROGRAM]).args(arguments);
    command.output().expect("it runs")
}

/// A program that fills 3 MB of RAM with `c.nop`, and then runs all of them once.
fn million_addresses() -> Vec<u8> {
    let code = [
        0x8010_02B7, // lui t0, 0x80100
        0x8040_0337, // lui t1, 0x80400
        0x0001_03B7, // lui t2, 0x10
        0x0013_8393, // addi t2, t2, 1
        0x0072_A023, // sw t2, 0(t0)
        0x0042_8293, // addi t0, t0, 4
        0xFE62_9CE3, // bne t0, t1, -8
        0x0000_8E37, // lui t3, 8
        0x067E_0E13, // addi t3, t3, 0x67
        0x01C3_2023, // sw t3, 0(t1): a return
        0x8010_02B7, // lui t0, 0x80100
        0x0000_100F, // fence.i
        0x0002_80E7, // jalr ra, 0(t0)
    ];
    let code = [&code[..], &FINISHER].concat();
    elf::riscv(0x8000_0000, &code, &[("start", 0, 4 * code.len() as u64)])
}

#[test]
fn a_profile_of_a_million_addresses_in_ram_tells_some_of_them_apart() {
    let folder = common::folder();
    std::fs::write(folder.path().join("a.elf"), million_addresses()).expect("the folder is ours");
    let output = limited(folder.path(), &["profile", "a.elf", "--chip", "virt", "--format", "json"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    // Of 1,572,864 `c.nop` and the return, a quarter of a million are told apart.
    let beyond = 1_572_865 - (1 << 18);
    assert_eq!(beyond, 1_310_721);
    assert!(said.contains("at more than 262,144 addresses outside the image's sections; 1,310,721 "), "{said}");
    let file = json(&output);
    let number = |of: &serde_json::Value| of["instructions"].as_u64().expect("a number");
    let sum =
        |list: &str| -> u64 { file[list].as_array().expect("a list").iter().map(|row| number(&row["own"])).sum() };
    assert_eq!(number(&file["elsewhere"]), beyond);
    assert_eq!(sum("instructions") + beyond, number(&file["total"]));
    assert_eq!([sum("functions"), sum("lines"), sum("classes")], [number(&file["total"]); 3]);
}

#[test]
fn bytes_from_outside_wait_for_the_line_only_so_far() {
    let folder = common::folder();
    let code = [0x0000_006F];
    std::fs::write(folder.path().join("a.elf"), elf::riscv(0x8000_0000, &code, &[("start", 0, 4)]))
        .expect("it is ours");
    let stimulus = format!("every 1us from 0s uart 0 \"{}\"", "x".repeat(60_000));
    let arguments = ["measure", "a.elf", "--chip", "virt", "--span", "a=sleep..wake", "--for", "20ms", "--stimulus"];
    let output = limited(folder.path(), &[&arguments[..], &[stimulus.as_str()]].concat());
    let said = text(&output.stderr);
    assert!(said.contains("more than 1,048,576 bytes wait for the line of serial port 0"), "{said}");
}

#[test]
fn spans_beyond_the_samples_that_are_kept_go_on_in_sums() {
    let folder = common::folder();
    // A loop of two cycles.
    let code = [0x0000_0013, 0xFFDF_F06F];
    std::fs::write(folder.path().join("a.elf"), elf::riscv(0x8000_0000, &code, &[("again", 0, 8)]))
        .expect("it is ours");
    let measure = ["measure", "a.elf", "--chip", "virt", "--for", "8400000cy", "--span", "turn=again..again"];
    let table = limited(folder.path(), &measure);
    let expect =
        "Span turn: n, mean, min and max are of all 4,199,999 samples, the other columns of the first 4,000,000";
    assert!(text(&table.stdout).contains(expect), "{}", text(&table.stdout));
    // It begins after the first has taken all room.
    let late = "late=last time:8100000cy..address:0x80000004";
    let output = limited(folder.path(), &[&measure[..], &["--span", late, "--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let file = json(&output);
    let number = |metric: &str, field: &str| {
        let records = file["records"].as_array().expect("a list");
        let record = records.iter().find(|record| record["metric"] == metric).expect(metric);
        record.pointer(field).and_then(serde_json::Value::as_u64)
    };
    for (metric, mean) in [("turn", 2), ("turn.instructions", 2), ("turn.time", 20)] {
        assert_eq!(["/n", "/mean", "/max"].map(|field| number(metric, field)), [4_199_999, mean, mean].map(Some));
        assert_eq!(number(metric, "/settings/samples.first"), Some(4_000_000));
    }
    assert_eq!([number("late", "/n"), number("late", "/settings/samples.first")], [Some(1), None]);
}
