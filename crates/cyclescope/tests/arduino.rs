//! Sketches over Arduino's own core (firmware/arduino), on an Uno and on a Leonardo whose `Serial` is USB.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{command, folder, text};

const BOARDS: [&str; 2] = ["arduino-uno", "arduino-leonardo"];

/// Writes the sketch into `folder`; its file, and its chip with the computer on the Leonardo's USB.
fn sketch(folder: &Path, name: &str, board: &str) -> (PathBuf, Vec<&'static str>) {
    let mut images = cyclescope_oracle_images::desk().iter();
    let image = images.find(|image| (image.mode, image.board) == (name, board)).expect("the manifest has the sketch");
    let path = folder.join(image.name);
    std::fs::write(&path, image.elf().expect("it unpacks")).expect("the folder is ours");
    let usb: &[&str] = if image.chip == "atmega32u4" { &["--attach", "usb-host@usb"] } else { &[] };
    (path, [&["--chip", image.chip], usb].concat())
}

/// Runs a sketch with `input`; the exit code, what it printed, and what was said beside it but of the host on USB.
fn run(folder: &Path, name: &str, board: &str, input: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let (path, chip) = sketch(folder, name, board);
    let mut child = command(folder)
        .arg("exec")
        .arg(&path)
        .args(chip)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it takes input");
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    let host = "usb-host: found 2341:8036 `Arduino Leonardo` by `Arduino LLC`\nusb-host: opened a serial port\n";
    assert_eq!(said.contains(host), board == "arduino-leonardo", "{name} on {board}: {said}");
    (output.status.code(), text(&output.stdout).replace("\r\n", "\n"), said.replace(host, ""))
}

/// Asserts on all that a sketch prints, on one board, without a gap or a word of complaint.
fn prints(name: &str, board: &str, arguments: &[&str], expected: &str) {
    let folder = folder();
    let (code, printed, said) = run(folder.path(), name, board, "", arguments);
    assert_eq!((code, printed.as_str(), said.as_str()), (Some(0), expected, ""), "{name} on {board}");
}

#[test]
fn lines_of_input_are_answered_over_usart_and_usb() {
    for board in BOARDS {
        let folder = folder();
        let run = |arguments: &[&str]| run(folder.path(), "serial", board, "hello\nmore of it\n\nend\n", arguments);
        let expected = "ready\n5 HELLO\n10 MORE OF IT\n0 \n3 END\n";
        let (code, printed, said) = run(&["--for", "1s"]);
        assert_eq!((code, printed.as_str(), said.as_str()), (Some(0), expected, ""), "{board}");
        if board == "arduino-leonardo" {
            let (code, printed, _) = run(&["--port", "usb=-", "--until-output", "3 END", "--for", "1s"]);
            assert_eq!((code, printed.as_str()), (Some(0), expected.trim_end()));
        }
    }
}

#[test]
fn frames_of_usb_lengthen_a_loop_and_a_hundred_lines_arrive() {
    let lines: String = (1..=100).map(|line| format!("line {line} of a hundred\n")).collect();
    let took = BOARDS.map(|board| {
        let folder = folder();
        let arguments = ["--until-output", "line 100 of a hundred\r\n", "--for", "2s"];
        let (code, printed, said) = run(folder.path(), "loops", board, "", &arguments);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{board}");
        let (first, rest) = printed.split_once('\n').expect("a line");
        assert_eq!(rest, lines, "{board}");
        let took = first.strip_prefix("additions 10000 in ").and_then(|rest| rest.strip_suffix(" us"));
        took.and_then(|took| took.parse::<u32>().ok()).unwrap_or_else(|| panic!("{board}: {first}"))
    });
    // 15 frames or so, each with a handler of some microseconds; without USB the same loop.
    let [uno, leonardo] = took;
    assert!((15..=500).contains(&(leonardo - uno)), "{took:?}");
}

#[test]
fn a_leonardo_on_no_computer_is_told_of_its_silence() {
    let folder = folder();
    let (path, _) = sketch(folder.path(), "serial", "arduino-leonardo");
    let output = command(folder.path())
        .arg("exec")
        .arg(path)
        .args(["--chip", "atmega32u4", "--for", "100ms"])
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""));
    assert!(said.contains("USB: no host is at the other end of its cable (--attach usb-host@usb)"), "{said}");
}

#[test]
fn an_analog_value_is_read_by_both_references() {
    // 0.55 V: 112 of 5 V, and of the internal reference, which is 1.1 V on one board and 2.56 V on the other.
    for (board, pin, internal) in [("arduino-uno", "PC0", 512), ("arduino-leonardo", "PF7", 220)] {
        let stimulus = format!("at 0ms pin {pin} 0.55V");
        let expected = format!("A0 112, by the internal reference {internal}, supply 5006 mV\n");
        prints("analog", board, &["--stimulus", &stimulus, "--until-output", "mV\r\n", "--for", "1s"], &expected);
    }
}

#[test]
fn a_bus_is_scanned_and_a_memory_on_it_keeps_a_text() {
    for board in BOARDS {
        let devices = ["--attach", "eeprom:24c32@twi", "--attach", "ds3231@twi", "--for", "600ms"];
        let expected = "found 0x50\nfound 0x68\nwritten: 0\nasked: 0\n4 bytes: kept\n";
        prints("wire", board, &devices, expected);
    }
    let folder = folder();
    let (code, printed, said) = run(folder.path(), "wire", "arduino-uno", "", &["--for", "500ms"]);
    assert_eq!((code, printed.as_str()), (Some(0), "written: 2\nasked: 2\n0 bytes: \n"));
    assert!(said.contains("TWI: nothing is attached to its bus, so that nobody answers"), "{said}");
}

#[test]
fn a_target_takes_registers_and_gives_them_back() {
    for board in BOARDS {
        let folder = folder();
        let script = "at 250ms write 0x42 04 0a 0b 0c 0d\nat 260ms ask 0x42 4 04\nat 270ms read 0x43 1\n";
        std::fs::write(folder.path().join("script.txt"), script).expect("the folder is ours");
        let host = ["--attach", "i2c-controller:name=host,file=script.txt,save=log.txt@twi", "--for", "300ms"];
        let (code, printed, said) = run(folder.path(), "target", board, "", &host);
        assert_eq!((code, printed.as_str()), (Some(0), "listening\n4 bytes written\n"), "{board}: {said}");
        let log = std::fs::read_to_string(folder.path().join("log.txt")).expect("it was written");
        let lines: Vec<&str> = log.lines().filter_map(|line| Some(line.split_once("ms ")?.1)).collect();
        let expected = [
            "write 0x42 04 0a 0b 0c 0d: 84+ 04+ 0a+ 0b+ 0c+ 0d+",
            "ask 0x42 4 04: 84+ 04+ 85+ 0a+ 0b+ 0c+ 0d-",
            "read 0x43 1: 87-",
        ];
        assert_eq!(lines, expected, "{board}");
    }
}

#[test]
fn a_flash_on_spi_says_who_it_is_and_keeps_a_page() {
    for (board, select) in [("arduino-uno", "PB2"), ("arduino-leonardo", "PB6")] {
        let flash = format!("flash:w25q32@spi,cs={select}");
        prints("spi", board, &["--attach", &flash, "--for", "500ms"], "id EF 40 16\npage one\n");
    }
}

#[test]
fn a_tone_is_counted_and_a_pulse_is_measured_over_wires() {
    // 50 ms of 1 kHz; a quarter of Timer 1's 2,040 us, measured by a loop in steps of a microsecond and late at its ends.
    let boards = [("arduino-uno", ["PB0", "PD3", "PB1", "PD7"]), ("arduino-leonardo", ["PB4", "PD0", "PB5", "PE6"])];
    for (board, [tone, counted, pulse, measured]) in boards {
        let folder = folder();
        let wires = [format!("loopback:name=tone@a={tone},b={counted}"), format!("loopback@a={pulse},b={measured}")];
        let arguments = ["--attach", &wires[0], "--attach", &wires[1], "--for", "600ms"];
        let (code, printed, said) = run(folder.path(), "pins", board, "", &arguments);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{board}");
        let [edges, shape, kept] = printed.lines().collect::<Vec<_>>()[..] else { panic!("{board}: {printed}") };
        assert_eq!((edges, kept), ("edges 100", "kept 255 0 1 2"), "{board}");
        let words: Vec<u32> = shape.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [high, period] = words[..] else { panic!("{shape}") };
        assert!((490..=512).contains(&high) && (2_000..=2_040).contains(&period), "{board}: {shape}");
    }
}

#[test]
fn naps_end_power_down_lasts_and_the_watchdog_resets() {
    for board in BOARDS {
        let folder = folder();
        let (code, printed, said) = run(folder.path(), "rest", board, "", &["--for", "1400ms"]);
        let (naps, rest) = printed.split_once(" ms\n").unwrap_or_else(|| panic!("{board}: {printed} {said}"));
        // Each interrupt ends a nap: Timer 0's each 1.024 ms, and the Leonardo's of USB each 1 ms.
        let naps = naps.strip_prefix("begun\nten naps took ").and_then(|naps| naps.parse::<u32>().ok());
        assert!(naps.is_some_and(|naps| if board == BOARDS[0] { naps == 10 } else { (4..=10).contains(&naps) }));
        let expected = "woken by the watchdog: 1\nno more food\nback by the watchdog\n";
        assert_eq!((code, rest), (Some(0), expected), "{board}: {said}");
        assert!(said.contains("reset 1 of at most 10") && said.contains("watchdog time-out"), "{said}");
    }
}
