//! Serial ports over USB (firmware/suites/usb), at a host that opens them.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::{cyclescope, folder, suite, text, unpack};

/// The programs, each with its chip and what it calls itself: a stack of our own in C, and `embassy-usb`.
const PROGRAMS: [(&str, &str, &str); 7] = [
    ("usb-f103.elf", "stm32f103c8", "`echo` by `suite`"),
    ("usb-f446.elf", "stm32f446re", "`echo` by `suite`"),
    ("usb-32u4.elf", "atmega32u4", "`echo` by `suite`"),
    ("usb-embassy-f103.elf", "stm32f103c8", "`embassy` by `suite`, serial number `42`"),
    ("usb-embassy-f446.elf", "stm32f446re", "`embassy` by `suite`, serial number `42`"),
    ("hal/nrf52840/usb.elf", "nrf52840", "`embassy` by `suite`, serial number `42`"),
    ("hal/rp2040/usb.elf", "rp2040", "`embassy` by `suite`, serial number `42`"),
];

/// A model gap that the HAL of the nRF52840 meets: its workaround of erratum 187 writes where no manual has a register.
const GAP: &str = "no peripheral at 0x4006e000";

fn firmware(name: &str) -> String {
    suite(name).to_str().expect("a path of text").to_owned()
}

#[test]
fn what_the_guest_prints_over_usb_comes_out_and_input_goes_in() {
    for (name, chip, called) in PROGRAMS {
        let (folder, elf) = (folder(), firmware(name));
        let mut child = Command::new(env!("CARGO_BIN_EXE_cyclescope"))
            .current_dir(folder.path())
            .args(["exec", &elf, "--chip", chip, "--attach", "usb-host@usb", "--for", "500ms"])
            .args(["--until-output", "WORLD", "--port", "usb=-", "--record", "keys.txt"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("a pipe").write_all(b"hello, world\n").expect("it takes input");
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str()),
            (Some(0), "ready\nHELLO, WORLD"),
            "{name}: {said}"
        );
        assert!(said.contains(&format!("usb-host: found 1209:0001 {called}")), "{said}");
        assert!(said.contains("usb-host: opened a serial port"), "{said}");
        let known = |line: &str| chip == "nrf52840" && line.contains(GAP);
        assert!(said.lines().all(|line| !line.contains("model gap") || known(line)), "{said}");
        // The keys as stimuli make the same run.
        let again = cyclescope(
            folder.path(),
            &[
                "exec",
                &elf,
                "--chip",
                chip,
                "--attach",
                "usb-host@usb",
                "--for",
                "500ms",
                "--stimulus",
                "@keys.txt",
                "--until-output",
                "WORLD",
            ],
        );
        assert_eq!(text(&again.stdout), "ready\nHELLO, WORLD", "{name}");
    }
}

#[test]
fn transfers_over_usb_are_events_and_the_cable_is_a_stimulus() {
    for (name, chip, _) in &PROGRAMS[..3] {
        let (folder, elf) = (folder(), firmware(name));
        let output = cyclescope(
            folder.path(),
            &[
                "measure",
                &elf,
                "--chip",
                chip,
                "--attach",
                "usb-host:baud=9600@usb",
                "--for",
                "600ms",
                "--span",
                "answer=first usb:out=2..usb:in=3",
                "--stimulus",
                "at 250ms usb \"ping\"",
                "--stimulus",
                "at 300ms usb-host cable out",
                "--stimulus",
                "at 310ms usb-host cable in",
                "--stimulus",
                "at 550ms usb \"pong\"",
                "--guest-output",
                "stdout",
                "--out",
                "r.json",
            ],
        );
        let said = text(&output.stderr);
        // The one on the F103 cannot see that the cable was out, but it is reset when it comes back.
        assert_eq!(text(&output.stdout), "ready\nPINGready\nPONG", "{name}: {said}");
        let records = std::fs::read_to_string(folder.path().join("r.json")).expect("it was written");
        assert!(records.contains("\"answer"), "{records}");
    }
}

#[test]
fn a_program_without_usb_is_not_seen_and_one_without_a_port_is_told() {
    let (folder, elf) = (folder(), firmware("usb-f446.elf"));
    let run = |arguments: &[&str]| {
        let output = cyclescope(folder.path(), &[&["exec", &elf, "--chip", "stm32f446re"], arguments].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (_, said) = run(&["--attach", "usb-host@usb_otg_hs", "--for", "150ms"]);
    assert!(said.contains("usb-host: no device has been seen: nothing pulled D+ up"), "{said}");
    let (code, said) = run(&["--attach", "usb-host@can1", "--for", "1ms"]);
    assert!(code != Some(0) && said.contains("has no CAN1 with a signal DP"), "{said}");
    let (code, said) = run(&["--port", "usb=-", "--for", "1ms"]);
    assert!(code != Some(0) && said.contains("there is no serial port usb"), "{said}");
}

#[test]
fn the_measured_board_on_usb_survives_input_suspension_and_the_cable() {
    let folder = folder();
    let elf = folder.path().join("switch.elf");
    unpack("switch-ply-usb-s-pro-micro", &elf);
    let elf = elf.to_str().expect("a path of text");
    // All rows take some 120 ms from 190 ms on.
    let run = |stimuli: &[&str], window: &str| {
        let mut arguments = vec!["exec", elf, "--chip", "atmega32u4", "--attach", "usb-host@usb", "--for", window];
        stimuli.iter().for_each(|stimulus| arguments.extend(["--stimulus", stimulus]));
        let output = cyclescope(folder.path(), &arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("opened a serial port") && !said.contains("model gap"), "{said}");
        text(&output.stdout)
    };
    let took = |printed: &str| -> u32 {
        let line = printed.lines().find_map(|line| line.strip_prefix("CoroutineScheduling: 10000 iterations in "));
        line.and_then(|rest| rest.strip_suffix(" us")?.parse().ok()).unwrap_or_else(|| panic!("{printed}"))
    };
    let whole = run(&[], "500ms");
    assert_eq!(whole.lines().count(), 7, "{whole}");
    // For 30 ms no frame interrupts the last row, and the report comes all the same.
    let suspended = run(&["at 260ms usb-host bus suspend", "at 290ms usb-host bus resume"], "500ms");
    assert_eq!(suspended.lines().count(), 7, "{suspended}");
    assert!((100..250).contains(&(took(&whole) - took(&suspended))), "{whole}{suspended}");
    // What comes in is thrown away, but it takes time.
    let line = format!("at 260ms usb \"{}\"", "x".repeat(1_000));
    let spoken = run(&[&line], "500ms");
    assert_eq!(spoken.lines().count(), 7, "{spoken}");
    assert!(took(&spoken) > took(&whole) + 100, "{whole}{spoken}");
    // Nobody has the port open when the report comes: it is lost, and the board is there again.
    assert_eq!(run(&["at 260ms usb-host cable out", "at 300ms usb-host cable in"], "700ms"), "");
}
