//! `--files`: the folder that a guest has by semihosting. The program of firmware/suites/files uses all calls and writes what
//! comes of them; QEMU, which has the same calls, is asked for the same.

use crate::common;
use crate::elf;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{PROGRAM, cyclescope, folder, json, text, tools};

const GUEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/files.elf");
const CHIP: [&str; 2] = ["--chip", "cortex-m3"];

/// The output of the guest with a folder of its own, in which it finds `sub`.
fn transcript() -> String {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("given/sub")).expect("the folder is ours");
    let output = cyclescope(folder.path(), &[&["exec", GUEST, "--files", "given"], &CHIP[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "no gap is met");
    text(&output.stdout)
}

#[test]
fn a_guest_has_the_files_of_its_folder() {
    let said = transcript();
    // Reading and writing, by mode: r and r+, w and w+, a and a+.
    let mode = |number: &str| {
        let (_, rest) = said.split_once(&format!("mode {number}\n")).expect("all modes are tried");
        rest.split("mode ").next().expect("there is one").to_owned()
    };
    for number in ["0", "1"] {
        assert!(mode(number).contains("read, left 10 [abcdef]\n  seek 0\n  write, left 2\n"), "{said}");
        assert!(mode(number).contains("opens what is not there 0\n"), "{said}");
    }
    assert!(mode("2").ends_with("read, left 10 [abXYef]\n"), "{said}");
    assert!(mode("4").contains("opens what is not there 1\n  length 0\n  read, left 16 []\n"), "{said}");
    assert!(mode("8").ends_with("read, left 8 [abcdefXY]\n"), "{said}");
    for line in ["remove of nothing -1, errno 2", "close of nothing -1, errno 9", "write into a folder -1, errno 21"] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    assert!(said.ends_with("no room for one -1\n"), "{said}");
}

#[test]
fn qemu_answers_the_same() {
    if !tools::wanted("qemu-system-arm") {
        return;
    }
    let folder = folder();
    std::fs::create_dir(folder.path().join("sub")).expect("the folder is ours");
    let output = Command::new("qemu-system-arm")
        .args(["-M", "lm3s6965evb", "-display", "none", "-serial", "null", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel", GUEST])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("QEMU is installed");
    // Its console is one of the two, by version.
    let said = text(&output.stdout) + &text(&output.stderr);
    let own = |line: &&str| !line.starts_with("Timer with period zero");
    assert_eq!(said.lines().filter(own).collect::<Vec<_>>(), transcript().lines().collect::<Vec<_>>());
}

#[test]
fn without_the_option_there_are_no_files_and_the_guest_is_told() {
    let folder = folder();
    let output = cyclescope(folder.path(), &[&["exec", GUEST], &CHIP[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(!out.contains("opens what is not there 1") && out.contains("open of nothing -1"), "{out}");
    assert!(
        error.contains("model gap: semihosting call 0x1 (SYS_OPEN of a file; the guest has no folder), in "),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).expect("ours").count(), 0, "nothing is written");
}

#[test]
fn a_folder_that_is_not_there_is_told_before_the_run() {
    let folder = folder();
    let output = cyclescope(folder.path(), &[&["exec", GUEST, "--files", "nowhere"], &CHIP[..]].concat());
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(66), "{error}");
    assert!(error.contains("the folder nowhere of --files cannot be opened: No such file"), "{error}");
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn results_say_that_a_run_had_files() {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("given/sub")).expect("the folder is ours");
    let run = |arguments: &[&str]| cyclescope(folder.path(), &[arguments, &CHIP[..]].concat());
    let span = ["measure", GUEST, "--span", "all=time:0ns..time:1us", "--format", "json"];
    let params = |output| json(&output)["records"][0]["params"].clone();
    assert_eq!(params(run(&[&span[..], &["--files", "given"]].concat()))["files"], "given");
    assert!(params(run(&span)).get("files").is_none());
    let profile = ["profile", GUEST, "--format", "json"];
    assert_eq!(json(&run(&[&profile[..], &["--files", "given"]].concat()))["files"], "given");
    // The second time it would find what it wrote the first time.
    let twice = ["trace", GUEST, "--from", "last time:0ns", "--to", "time:1us", "--files", "given"];
    let refused = run(&twice);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("leave out --files"), "{}", text(&refused.stderr));
}

/// The ends of a program: an instruction with what it finds in r0 and r1. SYS_EXIT, and a write of SYSRESETREQ to AIRCR.
const EXIT: (u16, u32, u32) = (0xBEAB, 0x18, 0x2_0026);
const RESET: (u16, u32, u32) = (0x6008, 0x05FA_0004, 0xE000_ED0C);

/// Calls with the operations and blocks given, one after the other, then the end. The blocks are words; code is at 0x08.
fn calls(calls: &[(u32, [u32; 4])], end: (u16, u32, u32), data: &[u8]) -> Vec<u8> {
    // Each call: ldr r0, ldr r1 of words behind the code, bkpt 0xab.
    let mut code: Vec<u16> = Vec::new();
    let instructions = 4 * (calls.len() as u32 + 1);
    let words = 8 + 2 * instructions;
    let blocks = words + 8 * (calls.len() as u32 + 1);
    let each = calls
        .iter()
        .zip(0u32..)
        .map(|((operation, _), index)| (*operation, blocks + 16 * index))
        .chain([(end.1, end.2)]);
    let each: Vec<(u32, u32)> = each.collect();
    for index in 0..each.len() as u32 {
        for (register, word) in [(0, 2 * index), (1, 2 * index + 1)] {
            let pc = (8 + 2 * code.len() as u32 + 4) & !3;
            code.push(0x4800 | register << 8 | ((words + 4 * word - pc) / 4) as u16);
        }
        // A breakpoint and a no-operation, or the end and a branch to itself.
        code.extend(if index < calls.len() as u32 { [EXIT.0, 0xBF00] } else { [end.0, 0xE7FE] });
    }
    let halves = code.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16);
    let mut all = vec![0x2000_8000, 9];
    all.extend(halves);
    all.extend(each.iter().flat_map(|(operation, argument)| [*operation, *argument]));
    all.extend(calls.iter().flat_map(|(_, block)| *block));
    // What the blocks point to begins at DATA.
    all.resize(DATA as usize / 4, 0);
    all.extend(
        data.chunks(4).map(|bytes| (0u32..).zip(bytes).map(|(at, byte)| u32::from(*byte) << (8 * at)).sum::<u32>()),
    );
    elf::arm(0, &all, &[("start", 9, u64::from(2 * instructions))])
}

/// The address of the data of [`calls`].
const DATA: u32 = 0x1000;

fn told(guest: &[u8], files: &Path) -> String {
    let path = files.parent().expect("it is in a folder").join("calls.elf");
    std::fs::write(&path, guest).expect("the folder is ours");
    let output = Command::new(PROGRAM).args(["exec", "--files"]).args([files, &path]).args(CHIP).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn bounds_and_refusals_are_named() {
    let outer = folder();
    let files = outer.path().join("given");
    std::fs::create_dir(&files).expect("the folder is ours");
    const NAME: &[u8] = b"name\0\0\0\0";
    // The first file's handle is 4.
    let open = (0x01, [DATA, 4, 4, 0]);
    let long = told(&calls(&[open, (0x05, [4, 0, 65_537, 0])], EXIT, NAME), &files);
    assert!(
        long.contains("model gap: semihosting has a bound: a call writes at most 65,536 bytes, in start"),
        "{long}"
    );
    assert_eq!(std::fs::metadata(files.join("name")).expect("it is made").len(), 65_536);
    let name = told(&calls(&[(0x01, [DATA, 4, 4_097, 0])], EXIT, NAME), &files);
    assert!(name.contains("bound: a file's name has at most 4,096 bytes, in start"), "{name}");
    let many = told(&calls(&[open; 66], EXIT, NAME), &files);
    assert!(many.contains("bound: at most 64 files are open at a time, in start"), "{many}");
    // An address without memory, a mode that there is not, numbers of all kinds: nothing worse than a refusal.
    let wild = [(0x01, [0x7000_0000, 0, 9, 0]), (0x01, [DATA, 12, 4, 0]), (0x06, [4, 0x7000_0000, u32::MAX, 0])];
    assert_eq!(told(&calls(&wild, EXIT, NAME), &files), "");
    let refused = told(&calls(&[(0x12, [DATA, 4, 0, 0]), (0x11, [0; 4])], EXIT, NAME), &files);
    assert!(refused.contains("semihosting call 0x12 (SYS_SYSTEM; the host carries out no commands)"), "{refused}");
    assert!(refused.contains("semihosting call 0x11 (SYS_TIME; there is no clock of the host)"), "{refused}");
}

#[test]
fn a_reset_closes_all_files() {
    let outer = folder();
    let files = outer.path().join("given");
    std::fs::create_dir(&files).expect("the folder is ours");
    // Each start writes to the first handle, which the start before has opened.
    let guest = calls(&[(0x05, [4, DATA, 2, 0]), (0x01, [DATA, 8, 4, 0])], RESET, b"name");
    std::fs::write(outer.path().join("calls.elf"), guest).expect("the folder is ours");
    let run = ["exec", "calls.elf", "--files", "given", "--resets", "2", "--guest-handles-faults"];
    let output = cyclescope(outer.path(), &[&run[..], &CHIP[..]].concat());
    assert!(text(&output.stderr).contains("--resets"), "it was reset: {}", text(&output.stderr));
    assert_eq!(std::fs::read(files.join("name")).expect("it is made"), b"");
}
