//! `exec` on a terminal: keys reach the guest one by one, there is no limit of cycles, and the terminal gets its modes back.
#![cfg(unix)]

use crate::common;
use crate::elf;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};

use common::{PROGRAM, signal, suite};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

/// A terminal with the program on it, and what it has shown so far.
struct Terminal {
    keys: File,
    /// The program's side. While it is open, nothing that was shown is lost.
    side: File,
    child: Child,
    shown: String,
}

impl Terminal {
    fn start(more: &[&str]) -> Self {
        let fixture = suite("desk-arm");
        Self::with(&fixture, more)
    }

    fn with(firmware: &Path, more: &[&str]) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("it is ours");
        let name = ptsname(&keys, Vec::new()).expect("it has a name").into_string().expect("text");
        let side = OpenOptions::new().read(true).write(true).open(name).expect("it is ours");
        let stream = || side.try_clone().expect("a copy");
        let child = Command::new(PROGRAM)
            .args(["exec", "--chip", "stm32f446re"])
            .arg(firmware)
            .args(more)
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .expect("the program runs");
        Self { keys: keys.into(), side, child, shown: String::new() }
    }

    fn is_by_lines(&self) -> bool {
        tcgetattr(&self.side).expect("a terminal").local_modes.contains(LocalModes::ICANON)
    }

    fn echoes(&self) -> bool {
        tcgetattr(&self.side).expect("a terminal").local_modes.contains(LocalModes::ECHO)
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it takes keys");
    }

    /// Reads until `text` is shown.
    fn wait_for(&mut self, text: &str) {
        while !self.shown.contains(text) {
            let mut bytes = [0; 256];
            let count = self.keys.read(&mut bytes).expect("it shows something");
            self.shown.push_str(std::str::from_utf8(&bytes[..count]).expect("text"));
        }
    }

    fn code(&mut self) -> i32 {
        self.child.wait().expect("it ends").code().expect("a code")
    }
}

#[test]
fn keys_reach_the_guest_and_modes_come_back() {
    let mut terminal = Terminal::start(&[]);
    assert!(terminal.is_by_lines() && terminal.echoes());
    terminal.wait_for("10>");
    terminal.wait_for("keys go to the guest's serial port 2");
    assert!(!terminal.is_by_lines() && !terminal.echoes());
    // One key without a line's end; the guest alone echoes. Then it sleeps until a key wakes it.
    terminal.press("a");
    terminal.wait_for("10>a");
    terminal.press("ib");
    terminal.wait_for("10>ab");
    terminal.press("c");
    terminal.wait_for("10>abc");
    signal(&terminal.child, "INT");
    assert_eq!(terminal.code(), 130);
    terminal.wait_for("interrupted at cycle ");
    assert!(terminal.is_by_lines() && terminal.echoes(), "{}", terminal.shown);
}

#[test]
fn a_guest_on_a_terminal_may_end_by_itself_or_by_a_limit() {
    let mut terminal = Terminal::start(&[]);
    terminal.wait_for("10>");
    terminal.press("x");
    assert_eq!(terminal.code(), 0);
    assert!(terminal.is_by_lines());
    let mut terminal = Terminal::start(&["--max-cycles", "1000000"]);
    assert_eq!(terminal.code(), 82);
    terminal.wait_for("raise --max-cycles");
}

/// Counts in RAM for ever: `ldr r0, RAM; turn: ldr r1, [r0]; adds r1, #1; str r1, [r0]; b turn`.
const COUNTS: [u32; 6] = [0x2000_2000, 0x0800_0009, 0x6801_4802, 0x6001_3101, 0xE7FB_E7FB, 0x2000_0000];

#[test]
fn a_silent_run_says_how_far_it_is_until_it_ends() {
    let folder = common::folder();
    let firmware = folder.path().join("counts.elf");
    std::fs::write(&firmware, elf::arm(0x0800_0000, &COUNTS, &[("start", 9, 12)])).expect("it is written");
    let mut terminal = Terminal::with(&firmware, &[]);
    terminal.wait_for(" simulated, ");
    terminal.wait_for(" real time; Ctrl-C ends the run");
    signal(&terminal.child, "INT");
    assert_eq!(terminal.code(), 130);
    terminal.wait_for("interrupted at cycle ");
    let (_, last) = terminal.shown.rsplit_once("Ctrl-C ends the run").expect("it was shown");
    assert!(last.contains("\x1b[2K"), "the line is taken away: {last:?}");
}

#[test]
fn the_lines_of_a_refused_command_keep_their_places() {
    let mut terminal = Terminal::start(&["--gap"]);
    assert_eq!(terminal.code(), 2);
    terminal.wait_for("\n  tip: a similar argument exists: '--gaps'\r\n");
}
