//! Model gaps on standard error: when they are met, once a register, quiet ones only on request.

use crate::common;
use crate::elf;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::{command, cyclescope, folder, text};

/// Enables CEC, reads its CR, sets two bits of it, and polls ISR.
const POLLS: [u32; 10] = [
    0x2000_2000,
    0x0800_0009,
    0xF04F_4805,
    0x6001_6100,
    0x6801_4804,
    0x0103_F240,
    0x6902_6001,
    0xD0FC_07D2,
    0x4002_3840,
    0x4000_6C00,
];

const FUNCTIONS: [(&str, u64, u64); 2] = [("start", 9, 0x12), ("wait_for_the_start_of_a_transfer_on_the_bus", 0x1B, 6)];

#[test]
fn a_wait_for_what_the_model_lacks_is_told_while_the_run_goes_on() {
    let folder = folder();
    std::fs::write(folder.path().join("x.elf"), elf::arm(0x0800_0000, &POLLS, &FUNCTIONS)).expect("the folder is ours");
    let mut process = command(folder.path())
        .args(["exec", "x.elf", "--chip", "stm32f446re"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(process.stderr.take().expect("piped")).lines().map(|line| line.expect("text"));
    assert_eq!(lines.next().as_deref(), Some("model gap: CEC_CR.CECEN, written by start at cycle 13"));
    let waits = lines.next().expect("a second line");
    assert!(waits.starts_with("the guest seems to wait for CEC_ISR.RXBR, which the model lacks"), "{waits}");
    assert!(waits.ends_with("1,000 times in a row, read by wait_for_the_start_of_a_transfer_on_the_bus"), "{waits}");
    let _ = process.kill();
    process.wait().expect("it ends");
}

/// Enables CEC and writes its CR by a helper that was not inlined.
const BY_HELPER: [u32; 10] = [
    0x2000_2000,
    0x0800_0009,
    0xF04F_4805,
    0x6001_6100,
    0x2101_4804,
    0xF801_F000,
    0xB580_E7FE,
    0xBD80_6001,
    0x4002_3840,
    0x4000_6C00,
];

#[test]
fn a_helper_that_was_not_inlined_has_its_driver_named() {
    let folder = folder();
    let functions = [("enable_the_bus", 9, 0x12), ("core::ptr::write_volatile", 0x1B, 6)];
    // The CFA is the stack pointer; the helper pushes r7 and lr.
    let frames = elf::debug_frame(
        14,
        &[
            (0x0800_0008, 0x12, &[0x0C, 13, 0, 0x07, 14]),
            (0x0800_001A, 6, &[0x0C, 13, 0, 0x42, 0x0E, 8, 0x8E, 1, 0x87, 2]),
        ],
    );
    let image = elf::arm_with_frames(0x0800_0000, &BY_HELPER, &functions, frames);
    std::fs::write(folder.path().join("x.elf"), image).expect("the folder is ours");
    for all in [&[][..], &["--gaps", "all"]] {
        let arguments = [&["exec", "x.elf", "--chip", "stm32f446re", "--for", "1ms"], all].concat();
        let said = text(&cyclescope(folder.path(), &arguments).stderr);
        let gaps: Vec<&str> = said.lines().filter(|line| line.contains("CEC_CR.CECEN")).collect();
        assert_eq!(gaps.len(), 1 + usize::from(!all.is_empty()), "{said}");
        for gap in gaps {
            assert!(gap.contains("CEC_CR.CECEN, written by enable_the_bus"), "{said}");
        }
    }
}

#[test]
fn a_wait_where_nothing_is_says_that_the_part_may_be_another() {
    let folder = folder();
    let mut elsewhere = POLLS;
    elsewhere[9] = 0x4003_0000;
    std::fs::write(folder.path().join("x.elf"), elf::arm(0x0800_0000, &elsewhere, &FUNCTIONS))
        .expect("the folder is ours");
    let said = text(&cyclescope(folder.path(), &["exec", "x.elf", "--chip", "stm32f446re", "--for", "1ms"]).stderr);
    let waits = "the guest seems to wait at 0x40030000, where the part has no peripheral: 1,000";
    let waits = said.lines().find(|line| line.starts_with(waits)).expect(&said);
    assert!(waits.ends_with("; was it built for another part?"), "{said}");
    // The loop is seen within the run, however short that is.
    let end = said.lines().last().expect("a line");
    assert!(end.starts_with("the guest spins at pc 0x080000"), "{said}");
    assert!(end.contains("it waits for no peripheral at 0x40030000"), "{said}");
}

#[test]
fn quiet_gaps_are_listed_on_request_and_none_are_told_on_request() {
    let folder = folder();
    std::fs::write(folder.path().join("x.elf"), elf::arm(0x0800_0000, &POLLS, &FUNCTIONS)).expect("the folder is ours");
    let said = |more: &[&str]| {
        let run = ["exec", "x.elf", "--chip", "stm32f446re", "--max-cycles", "100000"];
        text(&cyclescope(folder.path(), &[&run[..], more].concat()).stderr)
    };
    let quiet = "- CEC_CR, read by start: once, first at cycle 9; without effect";
    let all = said(&["--gaps", "all"]);
    assert!(
        all.contains(quiet) && all.contains("- CEC_CR.TXSOM, written by start: once, first at cycle 13\n"),
        "{all}"
    );
    let met = said(&[]);
    assert!(met.contains("model gap: CEC_CR.CECEN") && !met.contains("without effect"), "{met}");
    assert_eq!(met.matches("CEC_CR").count(), 1, "once a register: {met}");
    let none = said(&["--gaps", "none"]);
    assert!(!none.contains("model gap:") && !none.contains("seems to wait"), "{none}");
}

#[test]
fn measure_trace_and_run_tell_them_too() {
    let folder = folder();
    std::fs::write(folder.path().join("x.elf"), elf::arm(0x0800_0000, &POLLS, &FUNCTIONS)).expect("the folder is ours");
    for command in [
        ["measure", "--for", "100us", "--span", "x=start..time:50us"].as_slice(),
        &["trace", "--for", "100us", "--from=start", "--to=time:50us"],
        &["run", "syscall", "--for", "100us", "--from=start", "--to=time:50us", "--image"],
    ] {
        let run = [command, &["x.elf", "--chip", "stm32f446re"]].concat();
        let said = text(&cyclescope(folder.path(), &run).stderr);
        assert_eq!(
            said.matches("model gap: CEC_CR.CECEN, written by start at cycle 13").count(),
            1,
            "{command:?}: {said}"
        );
    }
}
