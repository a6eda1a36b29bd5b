//! `exec` as a board on the desk: input and output of serial ports, ends that the user sets, and resets. The programs answer over
//! a serial port (firmware/suites/desk): on Arm they begin with the number of starts in RAM and the flag of a software reset, on
//! AVR with the flags of reset, then comes a prompt.

use crate::common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{PROGRAM, folder, suite, text};

/// The program of each kind of core, its chip and its port.
const ALL: [(&str, &str, &str); 3] =
    [("desk-arm", "stm32f446re", "usart2"), ("desk-avr", "atmega328p", "usart0"), ("desk-riscv", "virt", "uart0")];

/// Exit code, standard output, standard error.
fn run(subcommand: &str, (name, chip): (&str, &str), input: &[u8], more: &[&str]) -> (i32, String, String) {
    let mut child = Command::new(PROGRAM)
        .args([subcommand, "--chip", chip])
        .arg(suite(name))
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that ends early does not take all of it.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

fn arm(input: &str, more: &[&str]) -> (i32, String, String) {
    run("exec", ("desk-arm", "stm32f446re"), input.as_bytes(), more)
}

#[track_caller]
fn contains(said: &str, part: &str) {
    assert!(said.contains(part), "`{part}` is missing in:\n{said}");
}

/// The cycle that a message names.
fn cycle(said: &str) -> u64 {
    let (_, from) = said.split_once("at cycle ").unwrap_or_else(|| panic!("no cycle: {said}"));
    let digits = from.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit);
    digits.collect::<String>().parse().expect("a number")
}

#[test]
fn input_comes_at_line_rate_and_its_end_has_a_code() {
    for (name, chip, _) in ALL {
        let (code, out, error) = run("exec", (name, chip), b"hell", &[]);
        assert_eq!(code, 87, "{name}: {error}");
        assert!(out.contains(">hell"), "{out}");
        contains(&error, "standard input has ended, and the guest waits for more");
    }
}

#[test]
fn every_byte_arrives_however_many_there_are() {
    let long: String = (0..3_000).map(|index| char::from(b'A' + (index % 26) as u8)).collect();
    for (name, chip, _) in ALL {
        let (code, out, error) = run("exec", (name, chip), long.as_bytes(), &[]);
        assert_eq!(code, 87, "{name}: {error}");
        assert!(out.ends_with(&format!(">{long}")), "{name}: {out}");
    }
}

#[test]
fn a_guest_that_sleeps_for_input_ends_where_its_end_is_known() {
    // Interrupts echo the rest. The same cycle each time, long before a guest that polls is given up.
    let (code, out, error) = arm("abicde", &[]);
    assert_eq!((code, out.as_str()), (87, "10>abcde"), "{error}");
    assert!(cycle(&error) < 100_000, "{error}");
    assert_eq!(arm("abicde", &[]), (code, out, error));
    // It sleeps and would not hear another byte.
    let (code, _, error) = arm("abw", &[]);
    assert_eq!(code, 81, "{error}");
}

#[test]
fn a_guest_that_computes_in_silence_is_let_finish() {
    // Its interrupt keeps what comes, and the computation takes a second and a half.
    let (code, out, error) = arm("az", &[]);
    assert_eq!((code, out.as_str()), (0, "10>a."), "{error}");
}

#[test]
fn a_recording_replays_exactly() {
    let folder = folder();
    let record = folder.path().join("keys.txt");
    let [kept, replayed] = ["", "@"].map(|at| format!("{at}{}", record.display()));
    for (name, chip, _) in ALL {
        let (code, out, error) = run("exec", (name, chip), b"the last sentencew", &["--record", &kept]);
        assert_eq!(code, 81, "{name}: {error}");
        contains(&error, "wrote the input (18 bytes) to ");
        let (end, rules) = (cycle(&error), std::fs::read_to_string(&record).expect("it was written"));
        assert_eq!(rules.lines().count(), 18, "{rules}");
        // Another way of running, and with another standard input: the same cycles and the same output.
        let again = run("exec", (name, chip), b"", &["--stimulus", &replayed]);
        assert_eq!((again.0, &again.1, cycle(&again.2)), (81, &out, end), "{name}: {}", again.2);
        let vcd = folder.path().join("x.vcd");
        let vcd = vcd.to_str().expect("a name");
        let measured = run("measure", (name, chip), b"", &["--stimulus", &replayed, "--vcd", vcd]);
        contains(&measured.2, &out);
        assert_eq!(cycle(measured.2.split_once("sleeps").expect("it sleeps").1), end, "{name}");
    }
}

#[test]
fn a_recording_with_resets_replays_exactly() {
    let folder = folder();
    let record = folder.path().join("keys.txt");
    let [kept, replayed] = ["", "@"].map(|at| format!("{at}{}", record.display()));
    for (name, chip, _) in ALL {
        let (code, out, error) = run("exec", (name, chip), b"arbrcw", &["--record", &kept]);
        assert_eq!(code, 81, "{name}: {error}");
        let again = run("exec", (name, chip), b"", &["--stimulus", &replayed]);
        assert_eq!((again.0, &again.1), (81, &out), "{name}");
        let resets = |said: &str| said.lines().filter(|line| line.starts_with("reset ")).map(str::to_owned).collect();
        let (first, second): (Vec<String>, Vec<String>) = (resets(&error), resets(&again.2));
        assert_eq!((first.len(), &first), (2, &second));
        assert_eq!(cycle(error.split_once("sleeps").unwrap().1), cycle(again.2.split_once("sleeps").unwrap().1));
    }
}

#[test]
fn a_reset_goes_on_with_ram_and_its_cause_and_no_byte_is_lost() {
    let (code, out, error) = arm("arbrcx", &[]);
    // RAM counts the starts. The flag of a software reset follows each; what was under way at a reset never came out.
    assert_eq!((code, out.as_str()), (0, "10>a21>b31>c"), "{error}");
    contains(&error, "reset 1 of at most 10 (--resets) at cycle ");
    contains(&error, ": software reset (AIRCR.SYSRESETREQ)");
    let (code, out, error) = run("exec", ("desk-avr", "atmega328p"), b"arbw", &[]);
    // MCUSR: PORF, then WDRF.
    assert_eq!((code, out.as_str()), (81, "1>a8>b"), "{error}");
    contains(&error, "reset 1 of at most 10 (--resets) at cycle ");
    let (code, out, error) = run("exec", ("desk-riscv", "virt"), b"arbw", &[]);
    assert_eq!((code, out.as_str()), (81, ">a>b"), "{error}");
    let (code, _, error) = arm("arbrcx", &["--resets", "1"]);
    assert_eq!(code, 86, "{error}");
    contains(&error, "the guest was reset by software reset");
    contains(&error, "raise --resets");
}

#[test]
fn the_run_ends_with_success_where_the_guest_did_what_was_asked() {
    for (input, more) in [
        ("ha", ["--for", "50ms"].as_slice()),
        ("ha", &["--until-output", "10>h"]),
        ("ha", &["--until", "time:20ms"]),
        ("ha", &["--until", "time:20ms", "--until-output", "never"]),
        ("ha", &["--for", "50ms", "--until-output", ">ha"]),
        ("iw", &["--for", "50ms"]),
        ("w", &["--for", "50ms"]),
    ] {
        let (code, out, error) = arm(input, more);
        assert_eq!(code, 0, "{more:?}: {out}\n{error}");
    }
    // Nothing that comes after the text is shown.
    assert_eq!(arm("hallo", &["--until-output", "10>h"]).1, "10>h");
    // The first byte never comes without the stimulus.
    let (code, out, _) = arm("", &["--stimulus", "at 5ms uart 2 \"q\"", "--until-output", "q", "--for", "1s"]);
    assert_eq!((code, out.as_str()), (0, "10>q"));
}

#[test]
fn what_never_comes_is_an_error() {
    for (input, more, expect, said) in [
        ("ha", ["--until-output", "bye", "--for", "2ms"].as_slice(), 82, "the output `bye` did not come within 2ms"),
        ("ha", &["--until", "pin:PA5:rise", "--max-cycles", "9000"], 82, "pin:PA5:rise did not come up to cycle 9"),
        ("x", &["--until-output", "bye"], 84, "the guest exited with code 0 (at cycle "),
        ("w", &["--until-output", "bye"], 81, "the guest sleeps and nothing can wake it"),
        ("i", &["--until-output", "bye"], 87, "standard input has ended"),
        ("", &["--until", "symbol:nowhere"], 65, "nowhere"),
        ("", &["--stimulus", "at 5ms uart 9 \"q\""], 65, "uart 9"),
        ("", &["--stimulus", "@/no/such/file"], 66, "cannot be read"),
        ("", &["--for", "1"], 2, "`1` has no unit; write 1s for seconds"),
        ("", &["--for", "-5ms"], 2, "`-5ms` is negative"),
        ("", &["--until", "time:1"], 2, "`1` has no unit"),
        ("", &["--stimulus", "at 1 pin PC13 low"], 2, "`1` has no unit"),
        ("", &["--until", "main:left"], 2, "did you mean `symbol:main:left`?"),
        ("", &["--port", "usart9=-"], 65, "there is no serial port 9; the part has 1, 2"),
        ("", &["--port", "usart2=-", "--port", "usart3=-"], 2, "--port gives standard input to two serial ports"),
        ("", &["--port", "usart2=-", "--port", "usart2=x"], 2, "--port names a serial port twice"),
        ("", &["--gdb", "0", "--for", "1s"], 2, "cannot be used with"),
    ] {
        let (code, _, error) = arm(input, more);
        assert_eq!(code, expect, "{more:?}: {error}");
        contains(&error, said);
    }
}

#[test]
fn lines_of_two_ports_do_not_mix_and_a_port_may_have_a_file() {
    let (_, out, error) = arm("boo", &[]);
    // Both ports wrote the same line byte by byte in turn, twice.
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        ["10>bsome words", "some words", "some words", "some words"],
        "{error}"
    );
    let folder = folder();
    let file = folder.path().join("port.txt");
    let (_, out, error) = arm("bo", &["--port", &format!("usart3={}", file.display())]);
    assert_eq!((out.as_str(), error.contains("87")), ("10>bsome words\n", false), "{error}");
    assert_eq!(std::fs::read_to_string(file).expect("it was written"), "some words\n");
}

#[test]
fn the_console_is_the_port_named() {
    for (name, chip, port) in ALL {
        let (code, out, error) = run("exec", (name, chip), b"abc", &["--port", &format!("{port}=-")]);
        assert_eq!(code, 87, "{error}");
        assert!(out.ends_with(">abc"), "{out}");
    }
    // Its receiver is never switched on, and nothing comes to the other port.
    let (code, out, error) = arm("abc", &["--port", "usart3=-", "--max-cycles", "100000"]);
    assert_eq!((code, out.as_str()), (81, "10>"), "{error}");
    assert!(error.contains("it waits for USART2_SR.RXNE"), "{error}");
}

#[test]
fn a_suite_takes_no_board() {
    let (code, _, error) = run("exec", ("embedded-passing", "stm32f446re"), b"", &["--for", "1s"]);
    assert_eq!(code, 2, "{error}");
    contains(&error, "suite of embedded-test");
}
