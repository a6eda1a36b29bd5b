//! Guests in loops that nothing can end: `exec` ends at once, unless the run has an end of its own or something is ahead.

use crate::common;
use crate::elf;

use std::io::Write;
use std::process::Stdio;
use std::slice;

use common::{command, folder, text};

/// The initial stack pointer.
const STACK: u32 = 0x2000_2000;

/// A branch to itself, twice.
const FOR_EVER: [u32; 3] = [STACK, 0x0800_0009, 0xE7FE_E7FE];

/// Starts SysTick with its interrupt, whose handler only returns, and branches to itself.
const TICKS: [u32; 6] = [0xF242_4804, 0x6041_710F, 0x6081_2100, 0x6001_2107, 0x4770_E7FE, 0xE000_E010];

/// Switches the clock of QUADSPI on, and polls bit 1 of QUADSPI_SR.
const POLLS: [u32; 8] =
    [STACK, 0x0800_0009, 0x2102_4803, 0x4803_6001, 0x0789_6881, 0xE7FE_D5FC, 0x4002_3838, 0xA000_1000];

/// The same without the clock.
const FORGETS: [u32; 6] = [STACK, 0x0800_0009, 0x6881_4802, 0xD5FC_0789, 0x0000_E7FE, 0xA000_1000];

/// Polls bit 0 of GPIOA_IDR, and exits with 0 once it is set.
const BUTTON: [u32; 10] = [
    STACK,
    0x0800_0009,
    0x2101_4804,
    0x4804_6001,
    0x07C9_6901,
    0x2018_D5FC,
    0xBEAB_4902,
    0x4002_3830,
    0x4002_0000,
    0x0002_0026,
];

/// Lets QUADSPI_SR be 100 turns to say otherwise, and exits with 0.
const PATIENT: [u32; 8] = [
    STACK,
    0x0800_0009,
    // ldr r0, QUADSPI; movs r2, #100
    0x2264_4803,
    // turn: ldr r1, [r0, #8]; subs r2, #1
    0x3A01_6881,
    // bne turn; movs r0, #0x18
    0x2018_D1FC,
    // ldr r1, the reason of a successful end; bkpt 0xAB
    0xBEAB_4901,
    0x4000_2800,
    0x0002_0026,
];

/// Starts USART2 with its interrupt for each byte, whose handler leaves the byte in RAM, and waits there for one; writes it, and
/// after a `q` branches to itself with interrupts masked.
const ECHO: [u32; 17] = [
    0x2101_480D,
    0x6001_0449,
    0x218B_4D0C,
    0xF242_60A9,
    0x60E9_012C,
    0x2140_480A,
    0x2601_6001,
    0x6831_0776,
    0xD0FC_2900,
    0x2200_6069,
    0x2971_6032,
    0xB672_D1F7,
    0x686B_E7FE,
    0x4770_6033,
    0x4002_3840,
    0x4000_4400,
    0xE000_E104,
];

/// Puts a control block of RTT at the start of RAM. In each turn it counts down from 20,000, fills the buffer and waits for the probe.
const WRITER: [u32; 26] = [
    STACK,
    0x0800_0009,
    // ldr r0, the block; mov r1, RAM; movs r2, #48
    0xF04F_480A,
    0x2230_5100,
    // copy: subs r2, #4; ldr r3, [r0, r2]; str r3, [r1, r2]; bne copy
    0x5883_3A04,
    0xD1FB_508B,
    // turn: movw r4, #20000; delay: subs r4, #1; bne delay
    0x6420_F644,
    0xD1FD_3C01,
    // ldr r5, the read offset; the write offset is one less, modulo 8
    0x1E6E_6A8D,
    0x403E_2707,
    // wait: ldr r7, the read offset; cmp r7, r5; beq wait; b turn
    0x6A8F_624E,
    0xD0FC_42AF,
    0xBF00_E7F2,
    0x0800_0038,
    // The id, one up-buffer of 8 bytes.
    0x4747_4553,
    0x5220_5245,
    0x0000_5454,
    0,
    1,
    0,
    0,
    0x2000_0040,
    8,
    0,
    0,
    0,
];

/// `code` behind vectors for `start` and, for the exception `number`, the handler `into` bytes into the code.
fn with_handler(number: usize, into: u32, code: &[u32]) -> Vec<u32> {
    let mut words = vec![0; (number + 2) & !1];
    let start = 0x0800_0001 + 4 * words.len() as u32;
    (words[0], words[1], words[number]) = (STACK, start, start + into);
    words.extend_from_slice(code);
    words
}

/// Runs `code`, whose function `start` is at `offset`, on an STM32F446; exit code, standard output and standard error.
fn exec(code: &[u32], offset: u64, input: &str, more: &[&str]) -> (i32, String, String) {
    run("exec", code, offset, input, more)
}

/// The same with the subcommand `name`.
fn run(name: &str, code: &[u32], offset: u64, input: &str, more: &[&str]) -> (i32, String, String) {
    let start = ("start", offset + 1, 4 * code.len() as u64 - offset);
    run_elf(name, &elf::arm(0x0800_0000, code, slice::from_ref(&start)), input, more)
}

fn run_elf(name: &str, elf: &[u8], input: &str, more: &[&str]) -> (i32, String, String) {
    let folder = folder();
    std::fs::write(folder.path().join("x.elf"), elf).expect("the folder is ours");
    let mut child = command(folder.path())
        .args([name, "x.elf", "--chip", "stm32f446re"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it fits the pipe");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn a_loop_without_an_end_ends_the_run_and_is_named() {
    let (code, _, error) = exec(&FOR_EVER, 8, "", &[]);
    assert_eq!(code, 81, "{error}");
    contains(&error, &["the guest spins at pc 0x08000008 in start, and nothing can end its loop", "--for"]);
    // A pin that only the guest could move does not move.
    let (code, _, error) = exec(&FOR_EVER, 8, "", &["--until", "pin:PA5:rise"]);
    assert_eq!(code, 81, "{error}");
    contains(&error, &["the guest spins", "pin:PA5:rise did not come"]);
}

#[test]
fn a_run_with_an_end_or_an_event_ahead_goes_on() {
    for more in [["--for", "2s"], ["--until", "time:2s"]] {
        let (code, _, error) = exec(&FOR_EVER, 8, "", &more);
        assert_eq!((code, error.as_str()), (0, ""), "{more:?}");
    }
    let late = ["--stimulus", "at 100ms pin PA0 high"];
    for (code, offset, more) in
        [(with_handler(15, 18, &TICKS), 64, [].as_slice()), (FOR_EVER.to_vec(), 8, late.as_slice())]
    {
        let (code, _, error) = exec(&code, offset, "", &[&["--max-cycles", "1000000"], more].concat());
        assert_eq!(code, 82, "{more:?}: {error}");
    }
    // The pin that the loop reads moves.
    let (code, _, error) = exec(&BUTTON, 8, "", &["--stimulus", "at 10ms pin PA0 high"]);
    assert_eq!(code, 0, "{error}");
    // Once the stimulus has come nothing is ahead.
    let (code, _, error) = exec(&FOR_EVER, 8, "", &late);
    assert_eq!(code, 81, "{error}");
    let (_, at) = error.split_once("(at cycle ").expect("a cycle");
    let at = at.split(')').next().expect("a number");
    assert_eq!(at.matches(',').count(), 2, "digits are grouped: {at}");
    let at: u64 = at.replace(',', "").parse().expect("a number");
    assert!((1_600_000..1_700_000).contains(&at), "100 ms at 16 MHz: {error}");
}

#[test]
fn a_loop_that_polls_a_device_which_nothing_changes_names_the_bit() {
    let (code, _, error) = exec(&BUTTON, 8, "", &[]);
    assert_eq!(code, 81, "{error}");
    let parts =
        ["the guest spins at pc 0x08", "it waits for GPIOA_IDR.IDR0, read by start", "help: nothing that was set"];
    contains(&error, &parts);
}

#[test]
fn a_window_that_ends_in_a_poll_in_vain_says_so() {
    let (code, _, error) = exec(&BUTTON, 8, "", &["--for", "10ms"]);
    assert_eq!(code, 0, "{error}");
    contains(&error, &["it waits for GPIOA_IDR", "; --for ended the run\n"]);
    // An idle loop is how many programs wait for their interrupts.
    assert_eq!(exec(&FOR_EVER, 8, "", &["--for", "10ms"]), (0, String::new(), String::new()));
}

#[test]
fn a_loop_that_polls_what_the_model_lacks_ends_the_run_and_names_the_register() {
    let (code, _, error) = exec(&POLLS, 8, "", &[]);
    assert_eq!(code, 81, "{error}");
    contains(
        &error,
        &[
            "the guest spins at pc ",
            "it waits for QUADSPI_SR.TCF, which the model lacks, read by start",
            "help: the program waits",
        ],
    );
    let (code, _, error) = exec(&POLLS, 8, "", &["--for", "10ms"]);
    assert_eq!(code, 0, "{error}");
    // One that gives up after a while is none.
    let (code, _, error) = exec(&PATIENT, 8, "", &[]);
    assert_eq!(code, 0, "{error}");
}

#[test]
fn a_loop_that_polls_a_block_without_a_clock_ends_the_run_and_says_so() {
    let (code, _, error) = exec(&FORGETS, 8, "", &[]);
    assert_eq!(code, 81, "{error}");
    let parts =
        ["model gap: clock of QUADSPI is off", "it waits for QUADSPI_SR.TCF, whose clock is off, read by start"];
    contains(&error, &parts);
}

#[test]
fn input_that_can_end_the_loop_is_waited_for() {
    let echo = with_handler(54, 50, &ECHO);
    let (code, out, error) = exec(&echo, 224, "abc", &[]);
    assert_eq!((code, out.as_str()), (87, "abc"), "{error}");
    contains(&error, &["standard input has ended, and the guest waits for more"]);
    // No input can end this one, whatever is left of it.
    let (code, out, error) = exec(&echo, 224, "abqdef", &[]);
    assert_eq!((code, out.as_str()), (81, "abq"), "{error}");
    contains(&error, &["the guest spins at pc 0x08000110"]);
}

/// Options that make each command run, with a window that takes half a minute of real time where every instruction is counted.
const WATCHED: [(&str, &[&str]); 3] = [
    ("measure", &["--span", "x=time:10us..time:20us", "--for", "1000s"]),
    ("trace", &["--from", "time:10us", "--to", "time:20us", "--occurrence", "all", "--for", "1000s"]),
    ("profile", &["--for", "1000s"]),
];

/// Returns the cycle at which `said` has a run end.
fn end(said: &str) -> u64 {
    let (_, at) = said.split_once("(at cycle ").expect("a cycle");
    at.split(')').next().expect("a number").replace(',', "").parse().expect("a number")
}

#[test]
fn watched_runs_end_where_nothing_can_happen_any_more() {
    for (name, options) in WATCHED {
        let (code, out, error) = run(name, &FOR_EVER, 8, "", &[options, &["--format", "json"]].concat());
        assert_eq!(code, 0, "{name}: {error}");
        contains(
            &error,
            &["the guest spins at pc 0x08000008 in start, and nothing can end its loop", "the run ends there"],
        );
        assert!(out.contains("160") || name == "profile", "10 us at 16 MHz: {out}");
        assert!(end(&error) < 200_000, "{name}: {error}");
        let (code, _, error) = run(name, &FOR_EVER, 8, "", &[options, &["--until", "pin:PA5:rise"]].concat());
        assert_eq!(code, 81, "{name}: {error}");
        contains(&error, &["the guest spins", "pin:PA5:rise did not happen"]);
        let (code, _, error) = run(name, &POLLS, 8, "", options);
        assert_eq!(code, 0, "{name}: {error}");
        contains(&error, &["it waits for QUADSPI_SR.TCF, which the model lacks, read by start"]);
    }
}

#[test]
fn watched_runs_go_on_while_something_is_ahead() {
    let ticks = with_handler(15, 18, &TICKS);
    let late = ["--stimulus", "at 100ms pin PA0 high"];
    for (name, options) in WATCHED {
        let short = [&options[..options.len() - 1], &["10ms"]].concat();
        // An interrupt.
        let (code, _, error) = run(name, &ticks, 64, "", &short);
        assert_eq!((code, error.as_str()), (0, ""), "{name}");
        // A stimulus, and a time that ends the run.
        for code in [&FOR_EVER[..], &BUTTON] {
            let (code, _, error) = run(name, code, 8, "", &[options, &late].concat());
            assert!(
                code == 0 && (error.contains("spins") && end(&error) > 1_600_000 || error.contains("exited")),
                "{name}: {error}"
            );
        }
        let (code, _, error) = run(name, &FOR_EVER, 8, "", &[&short[..], &["--until", "time:9ms"]].concat());
        assert_eq!((code, error.as_str()), (0, ""), "{name}");
    }
    // An event in the loop.
    let (code, out, error) =
        run("measure", &FOR_EVER, 8, "", &["--span", "x=start..start", "--for", "20ms", "--format", "json"]);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
}

#[test]
fn a_guest_that_waits_for_the_probe_goes_on() {
    let functions = [("start", 9, 0x2A), ("_SEGGER_RTT", 0x1800_0000, 48)];
    let elf = elf::arm(0x0800_0000, &WRITER, &functions);
    for (name, options) in WATCHED {
        let options = [&options[..options.len() - 1], &["100ms", "--guest-output", "none"]].concat();
        let (code, _, error) = run_elf(name, &elf, "", &options);
        assert_eq!((code, error.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn sleep_without_an_end_says_what_did_not_come() {
    // turn: wfi; b turn
    let sleeps = [STACK, 0x0800_0009, 0xE7FD_BF30];
    let (code, _, error) = exec(&sleeps, 8, "", &["--until-output", "bye"]);
    assert_eq!(code, 81, "{error}");
    contains(&error, &["the guest sleeps and nothing can wake it", "; the output `bye` did not come\n", "--for"]);
}
