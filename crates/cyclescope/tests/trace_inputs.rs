//! `trace` and `profile` where the image or the run is not what one hopes for: without symbols or debug information, inlined away,
//! deep, endless; and on RISC-V, whose exceptions have other names.

use crate::common;
use crate::elf;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use common::{elf as bundled, json, text};

const C031: &str = "stm32c031c6";

/// `bytes` as `a.elf` in a folder of its own.
fn folder(bytes: &[u8]) -> TempDir {
    let folder = common::folder();
    std::fs::write(folder.path().join("a.elf"), bytes).expect("the folder is ours");
    folder
}

fn command(folder: &Path, command: &str, chip: &str, arguments: &[&str]) -> Command {
    let mut process = common::command(folder);
    process.args([command, "a.elf", "--chip", chip, "--guest-output", "none"]).args(arguments);
    process
}

fn run(folder: &TempDir, what: &str, chip: &str, arguments: &[&str]) -> Output {
    command(folder.path(), what, chip, arguments).output().expect("it runs")
}

fn names(file: &Value, list: &str) -> Vec<String> {
    let rows = file[list].as_array().expect("a list");
    rows.iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

/// Returns the offsets of the section headers of `elf`, one after the other.
fn section_headers(elf: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let word = |at: usize| u32::from_le_bytes(elf[at..at + 4].try_into().expect("four bytes")) as usize;
    let (from, size, count) = (word(0x20), word(0x2C) >> 16, word(0x30) & 0xFFFF);
    (0..count).map(move |section| from + section * size)
}

const PRESSES: [&str; 4] = ["--stimulus", "presses 5 of PC13 low from 10ms gap 20ms..30ms seed 1", "--for", "200ms"];
const FREERTOS: &str = "button-freertos-interrupt-s-stm32c031c6";

/// Addresses are events without symbols, and all cycles are of code without a name.
#[test]
fn a_stripped_image_is_traced_by_addresses() {
    let whole = bundled(FREERTOS);
    let mut stripped = whole.clone();
    // SHT_SYMTAB becomes SHT_NULL.
    for at in section_headers(&whole).filter(|at| whole[at + 4] == 2) {
        stripped[at + 4] = 0;
    }
    let events = |from: &'static str| ["--from", from, "--to", "exception:EXTI4_15:returned", "--format", "json"];
    let arguments = [&events("EXTI4_15_IRQHandler")[..], &PRESSES].concat();
    let named = json(&run(&folder(&whole), "trace", C031, &arguments));
    let arguments = [&events("address:0x08000308")[..], &PRESSES].concat();
    let nameless = json(&run(&folder(&stripped), "trace", C031, &arguments));
    assert_eq!(named["total"], nameless["total"]);
    assert_eq!(named["classes"], nameless["classes"]);
    assert!(names(&named, "functions").contains(&"EXTI4_15_IRQHandler".to_owned()));
    let left: Vec<String> =
        names(&nameless, "functions").into_iter().filter(|name| !name.starts_with("(exception")).collect();
    assert_eq!(left, ["(no symbol)"]);
    let symbol = run(&folder(&stripped), "trace", C031, &["--from", "main", "--to", "sleep"]);
    assert_eq!(symbol.status.code(), Some(65), "{}", text(&symbol.stderr));
}

/// Damaged DWARF costs the lines and nothing else, and is said.
#[test]
fn corrupt_debug_information_is_dropped_with_a_warning() {
    let whole = bundled(FREERTOS);
    let mut corrupt = whole.clone();
    let word = |at: usize| u32::from_le_bytes(whole[at..at + 4].try_into().expect("four bytes")) as usize;
    let headers: Vec<usize> = section_headers(&whole).collect();
    let names_at = word(headers[word(0x30) >> 16] + 0x10);
    let mut spoilt = 0;
    for header in headers {
        let name = &whole[names_at + word(header)..];
        if name.starts_with(b".debug_") {
            let (from, bytes) = (word(header + 0x10), word(header + 0x14));
            corrupt[from..from + bytes].fill(0xA5);
            spoilt += 1;
        }
    }
    assert!(spoilt > 2, "the image has debug information");
    let arguments = [&["--format", "json"][..], &PRESSES].concat();
    let good = json(&run(&folder(&whole), "profile", C031, &arguments));
    let output = run(&folder(&corrupt), "profile", C031, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("warning: "), "{}", text(&output.stderr));
    let bad = json(&output);
    for same in ["total", "functions", "paths", "classes", "helpers"] {
        assert_eq!(good[same], bad[same], "{same}");
    }
    assert_eq!(bad["inlined"], Value::Array(Vec::new()));
    assert!(good["lines"].as_array().is_some_and(|lines| lines.len() > 10));
}

/// A function that was inlined everywhere: the error says into which, and where.
#[test]
fn a_function_that_was_inlined_away_is_named_with_its_places() {
    let image = bundled("button-embassy-interrupt-s-stm32c031c6");
    let folder = folder(&image);
    let file = json(&run(&folder, "profile", C031, &[&["--format", "json"][..], &PRESSES].concat()));
    let functions = names(&file, "functions");
    let image = cyclescope_image::Image::parse(&image).expect("it is an ELF");
    let is_symbol = |name: &String| image.symbols().iter().any(|symbol| symbol.display_name() == name);
    let gone = names(&file, "inlined")
        .into_iter()
        .find(|name| !functions.contains(name) && !name.contains(['*', '<', ' ', '{']) && !is_symbol(name));
    let gone = gone.expect("Rust's small functions are inlined");
    let output = run(&folder, "trace", C031, &["--from", &gone, "--to", "sleep"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(said.contains(&format!("`{gone}` was inlined into ")) && said.contains("address:0x"), "{said}");
}

const LUI_SP: u32 = 0x8400_0137;
const HERE: u32 = 0x0000_006F;
const RETURN: u32 = 0x0000_8067;
const FINISHER: [u32; 4] = [0x0010_05B7, 0x0000_5637, 0x5556_0613, 0x00C5_A023];

fn addi(rd: u32, rs: u32, value: i32) -> u32 {
    (value as u32) << 20 | rs << 15 | rd << 7 | 0x13
}

fn jal(rd: u32, offset: i32) -> u32 {
    let at = offset as u32;
    (at >> 20 & 1) << 31 | (at >> 1 & 0x3FF) << 21 | (at >> 11 & 1) << 20 | (at >> 12 & 0xFF) << 12 | rd << 7 | 0x6F
}

/// Two functions that call each other `depth`, in thousands of 4096, deep, on the chip `virt`.
fn recursion(depth: u32) -> Vec<u8> {
    // addi sp, -16; sw ra, 12(sp); addi a0, -1; beqz a0, over the call; call; lw ra, 12(sp); addi sp, 16; ret
    let function = |call: i32| {
        [addi(2, 2, -16), 0x0011_2623, addi(10, 10, -1), 0x0005_0463, jal(1, call), 0x00C1_2083, addi(2, 2, 16), RETURN]
    };
    let begin = [LUI_SP, depth << 12 | 0x537, jal(1, 4 * 6)];
    let code = [&begin[..], &FINISHER, &[HERE], &function(16), &function(-48)].concat();
    elf::riscv(0x8000_0000, &code, &[("start", 0, 32), ("even", 32, 32), ("odd", 64, 32)])
}

/// A million calls deep: neither memory nor time runs out, and every instruction is somebody's.
#[test]
fn a_recursion_of_any_depth_is_counted() {
    let folder = folder(&recursion(244));
    let output = run(&folder, "profile", "virt", &["--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = json(&output);
    let calls = 244 * 4096;
    for (name, share) in [("even", calls / 2), ("odd", calls / 2)] {
        let row = file["functions"].as_array().expect("a list").iter().find(|row| row["name"] == name);
        let row = row.expect("it ran");
        assert_eq!(row["calls"].as_u64(), Some(share), "{row}");
        let of_the_last = u64::from(name == "odd");
        assert_eq!(row["own"]["instructions"].as_u64(), Some(8 * share - of_the_last), "the last one calls nobody");
    }
    assert_eq!(file["total"]["instructions"].as_u64(), Some(8 * calls - 1 + 3 + 4));
    let paths = file["paths"].as_array().expect("a list");
    assert!(paths.len() < 1_100, "{} paths: what is deeper than is followed has none of its own", paths.len());
}

/// Ctrl-C ends a long run as the end of its time would: what was counted is printed, and the listing has each of it.
#[cfg(unix)]
#[test]
fn an_interrupted_profile_prints_what_it_has() {
    let folder = folder(&elf::riscv(0x8000_0000, &[addi(5, 5, 1), jal(0, -4)], &[("spin", 0, 8)]));
    let arguments = ["--for", "100000s", "--format", "json", "--listing", "l.txt"];
    let mut process = command(folder.path(), "profile", "virt", &arguments);
    let process = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let listing = folder.path().join("l.txt");
    while std::fs::metadata(&listing).map_or(0, |file| file.len()) < 1 << 20 {
        std::thread::yield_now();
    }
    common::signal(&process, "INT");
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let file = json(&output);
    let counted = file["total"]["instructions"].as_u64().expect("a number");
    let lines = std::fs::read_to_string(&listing).expect("text").lines().filter(|line| line.starts_with(' ')).count();
    assert_eq!(counted, lines as u64);
    assert_eq!(file["functions"][0]["own"]["instructions"].as_u64(), Some(counted));
}

/// A run that is killed leaves what it was asked for as far as it is written, and nothing else.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_no_hidden_file() {
    for signal in ["KILL", "TERM", "HUP"] {
        let folder = folder(&elf::riscv(0x8000_0000, &[addi(5, 5, 1), jal(0, -4)], &[("spin", 0, 8)]));
        let options = ["--for", "100000s", "--listing", "l.txt", "--out", "p.json", "--flamegraph", "f.svg"];
        let mut process = command(folder.path(), "profile", "virt", &options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let listing = folder.path().join("l.txt");
        while std::fs::metadata(&listing).map_or(0, |file| file.len()) == 0 {
            std::thread::yield_now();
        }
        common::signal(&process, signal);
        process.wait().expect("it ends");
        let entries = std::fs::read_dir(folder.path()).expect("it is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names.retain(|name| name != "p.json" && name != "f.svg");
        assert_eq!(names, ["a.elf", "l.txt"], "{signal}");
    }
}

/// Ctrl-C ends a guest that neither ends nor says anything, long before its budget does.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_exec_ends_at_once() {
    const BUDGET: u64 = 100_000_000_000;
    let folder = folder(&elf::riscv(0x8000_0000, &[addi(5, 5, 1), jal(0, -4)], &[("spin", 0, 8)]));
    let mut process = common::command(folder.path());
    process.args(["exec", "a.elf", "--chip", "virt", "--max-cycles", &BUDGET.to_string()]);
    let process = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    common::until_at_work(&process);
    common::signal(&process, "INT");
    let output = process.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let at = said.strip_prefix("interrupted at cycle ").and_then(|rest| rest.split(' ').next()).expect("it says when");
    assert!(at.replace(',', "").parse::<u64>().is_ok_and(|at| at < BUDGET), "{said}");
    assert!(said.contains(", pc 0x80000000 in spin"), "{said}");
}

/// A page of a run that ended before its time says so, and where.
#[test]
fn a_report_says_how_its_run_ended() {
    for (code, expect) in [
        // A word of zeros is no instruction.
        (vec![addi(5, 5, 1), 0], "the guest faulted: illegal instruction"),
        ([&[addi(5, 5, 1)], &FINISHER[..], &[HERE]].concat(), "the guest exited with code 0"),
    ] {
        let folder = folder(&elf::riscv(0x8000_0000, &code, &[("start", 0, 4 * code.len() as u64)]));
        let arguments = ["report", "--run", "a.elf", "--chip", "virt", "--out", "page.html", "--for", "10ms"];
        let output = common::cyclescope(folder.path(), &arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains(expect), "{said}");
        let page = std::fs::read_to_string(folder.path().join("page.html")).expect("it was written");
        assert!(page.contains(&format!("The run ended there: {expect}")), "{expect}");
    }
}

/// Options that would lose or misread a file are refused before any file is written.
#[test]
fn files_that_are_one_and_formats_that_are_none_are_refused() {
    let code = [&[addi(5, 5, 1)], &FINISHER[..], &[HERE]].concat();
    let image = elf::riscv(0x8000_0000, &code, &[("start", 0, 24)]);
    let folder = folder(&image);
    for (arguments, expect) in [
        (&["--out", "a.csv"][..], "does not write the format of --out's extension"),
        (&["--listing", "l.txt", "--out", "l.txt"], "error: --out and --listing are one file: l.txt"),
        (&["--flamegraph", "./l.txt", "--listing", "l.txt"], "--listing and --flamegraph are one file: ./l.txt"),
        (&["--out", "./a.elf"], "error: the image and --out are one file: ./a.elf"),
        (&["--listing", "a.elf"], "error: the image and --listing are one file: a.elf"),
    ] {
        let output = run(&folder, "profile", "virt", arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expect), "{arguments:?}: {said}");
    }
    assert_eq!(std::fs::read(folder.path().join("a.elf")).expect("it is there"), image);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing was written");
    let output = run(&folder, "profile", "virt", &["--for", "1ms", "--out", "a.csv", "--format", "markdown"]);
    assert!(std::fs::read_to_string(folder.path().join("a.csv")).is_ok_and(|file| file.contains("| ")), "{output:?}");
}

/// More time helps nobody where the guest has exited.
#[test]
fn what_did_not_happen_in_a_run_that_ended_is_told_with_its_end() {
    let code = [&[addi(5, 5, 1)], &FINISHER[..], &[HERE]].concat();
    let folder = folder(&elf::riscv(0x8000_0000, &code, &[("start", 0, 24)]));
    let end = "address:0x80000014";
    for (more, expect) in [
        (&[][..], "help: the run had ended by then, as told above"),
        (&["--until", "address:0x80000008"], "help: --until's event had ended the run by then"),
    ] {
        let output = run(&folder, "trace", "virt", &[&["--from", end, "--to", end], more].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(84), "{said}");
        assert!(said.contains(expect) && !said.contains("--for"), "{said}");
        assert!(said.matches("the guest exited with code 0").count() <= 1, "{said}");
    }
    let call = ["run", "syscall", "--image", "a.elf", "--chip", "virt", "--from", end, "--to", end];
    let said = text(&common::cyclescope(folder.path(), &call).stderr);
    assert!(said.contains("help: the run had ended by then: the guest exited with code 0"), "{said}");
}

/// An ECALL does not retire, and its handler returns behind it: whoever called goes on, and is nobody new.
#[test]
fn a_call_of_the_environment_leaves_the_callers_path() {
    // The handler's address into mtvec; twice the stub; the end. The stub: ECALL, and back.
    let start = [0x0000_0297, addi(5, 5, 64), 0x3052_9073, jal(1, 36), jal(1, 32), addi(6, 6, 0)];
    let stub = [0x0000_0073, RETURN];
    let handler = [0x3410_2373, addi(6, 6, 4), 0x3413_1073, 0x3020_0073];
    let code = [&start[..], &FINISHER, &[HERE, HERE], &stub, &[HERE, HERE], &handler].concat();
    let folder = folder(&elf::riscv(0x8000_0000, &code, &[("start", 0, 48), ("stub", 48, 8), ("handler", 64, 16)]));
    let file = json(&run(&folder, "profile", "virt", &["--guest-handles-faults", "--format", "json"]));
    let functions = file["functions"].as_array().expect("a list");
    let of = |name| functions.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} ran"));
    assert_eq!((&of("start")["calls"], &of("stub")["calls"]), (&1.into(), &2.into()));
    assert_eq!(of("stub")["own"]["instructions"], 2, "each time the way back");
    assert_eq!(of("handler")["calls"], 2);
    let own = of("start")["own"]["instructions"].as_u64().expect("a number");
    assert_eq!(of("start")["total"]["instructions"], own + 2, "with the stub, without the handler");
}

/// The same in the kernel's images, on each of its parts: its process is called once, however often it calls.
#[test]
fn a_process_that_calls_its_kernel_was_called_once() {
    for chip in ["ibex", "litex-vexriscv", "stm32f446ze"] {
        let folder = folder(&bundled(&format!("syscall-kernel-devel-value-z-{chip}")));
        let arguments = ["--guest-handles-faults", "--for", "10ms", "--format", "json"];
        let file = json(&run(&folder, "profile", chip, &arguments));
        let functions = file["functions"].as_array().expect("a list");
        let process = functions.iter().find(|row| row["name"] == "syscall::process::main").expect("it ran");
        assert_eq!(process["calls"], 1, "{chip}");
    }
}

/// A function is called once, even by a helper that makes room on the stack or returns elsewhere than behind its call.
#[test]
fn helpers_and_long_jumps_lead_back_to_who_is_under_way() {
    const LUI_SP: u32 = 0x8000_1137;
    const RETURN_TO_T0: u32 = 0x0002_8067;
    // The stack; both; the end.
    let start = [LUI_SP, jal(1, 32), jal(1, 56)];
    let saves = [jal(5, 16), addi(6, 6, 1), addi(2, 2, 16), RETURN];
    let helper = [addi(2, 2, -16), RETURN_TO_T0];
    // Where to go on: five instructions on. It returns by way of s0.
    let jumps = [addi(8, 1, 0), 0x0000_0497, addi(9, 9, 20), jal(1, 16), HERE, HERE, 0x0004_0067];
    let far = [0x0004_8067];
    let code = [&start[..], &FINISHER, &[HERE, HERE], &saves, &helper, &[HERE], &jumps, &far].concat();
    let symbols = [("start", 0, 36), ("saves", 36, 16), ("__riscv_save_0", 52, 8), ("jumps", 64, 28), ("far", 92, 4)];
    let folder = folder(&elf::riscv(0x8000_0000, &code, &symbols));
    let file = json(&run(&folder, "profile", "virt", &["--format", "json"]));
    let functions = file["functions"].as_array().expect("a list");
    for name in ["start", "saves", "__riscv_save_0", "jumps", "far"] {
        let row = functions.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} ran: {file:#}"));
        assert_eq!(row["calls"], 1, "{name}");
    }
    let start = functions.iter().find(|row| row["name"] == "start").expect("it ran");
    assert_eq!(start["total"]["instructions"], file["total"]["instructions"], "all are called by it");
}

/// Of all occurrences, the one that the run's end cuts off does not count, wherever it got to.
#[test]
fn an_occurrence_that_the_run_cuts_off_does_not_count() {
    // Five times around, and then on to the end.
    let code = [&[addi(5, 0, 5), addi(5, 5, -1), addi(6, 6, 1), 0xFE02_9CE3][..], &[addi(7, 7, 1); 20], &FINISHER];
    let code = code.concat();
    let folder = folder(&elf::riscv(0x8000_0000, &code, &[("start", 0, 4), ("again", 4, 12), ("rest", 16, 96)]));
    let events = ["--from", "address:0x80000004", "--to", "address:0x80000004", "--occurrence", "all"];
    let output = run(&folder, "trace", "virt", &[&events[..], &["--format", "json", "--listing", "l.txt"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = json(&output);
    assert_eq!((&file["occurrences"], &file["elapsed"]), (&4.into(), &serde_json::json!([3, 3, 3, 3])));
    assert_eq!((&file["total"]["instructions"], &file["total"]["cycles"]), (&12.into(), &12.into()));
    assert_eq!(names(&file, "functions"), ["again"]);
    let listing = std::fs::read_to_string(folder.path().join("l.txt")).expect("it is written");
    assert!(listing.ends_with("# the run ends here: this one is not counted\n"), "{listing}");
}

/// A guest that does nothing ends as it ends, and leaves no picture.
#[test]
fn a_flame_graph_of_nothing_is_none() {
    let folder = folder(&elf::riscv(0x8000_0000, &[0], &[("start", 0, 4)]));
    let output = run(&folder, "profile", "virt", &["--flamegraph", "f.svg"]);
    assert_eq!(output.status.code(), Some(80), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("no flame graph is written"), "{}", text(&output.stderr));
    assert!(!folder.path().join("f.svg").exists());
}

/// Exceptions have mcause's names on RISC-V, in events and in rows.
#[test]
fn exceptions_of_risc_v_have_names() {
    // The handler's address into mtvec; ecall; an illegal instruction; the end. The handler goes behind what raised it.
    let begin = [0x0000_0297, addi(5, 5, 48), 0x3052_9073, 0x0000_0073, 0xFFFF_FFFF];
    let handler = [0x3410_2373, addi(6, 6, 4), 0x3413_1073, 0x3020_0073];
    let code = [&begin[..], &FINISHER, &[HERE, HERE, HERE], &handler].concat();
    let folder = folder(&elf::riscv(0x8000_0000, &code, &[("start", 0, 48), ("handler", 48, 16)]));
    let handled = ["--guest-handles-faults", "--format", "json"];
    let file = json(&run(&folder, "profile", "virt", &handled));
    let functions = names(&file, "functions");
    let handler = file["functions"].as_array().expect("a list").iter().find(|row| row["name"] == "handler");
    assert_eq!(handler.expect("it ran")["own"]["instructions"], 8, "{functions:?}");
    let call = "exception:environment call from M-mode:entered";
    let file = json(&run(&folder, "trace", "virt", &[&["--from", "trap", "--to", call], &handled[..]].concat()));
    assert_eq!(file["occurrences"], 1);
    let illegal = "exception:illegal instruction";
    let events = [format!("{illegal}:entered"), format!("{illegal}:returned")];
    let arguments = [&["--from", &events[0], "--to", &events[1], "--by", "path"], &handled[..]].concat();
    let file = json(&run(&folder, "trace", "virt", &arguments));
    assert_eq!(file["total"]["instructions"], 4);
    let path = &file["paths"].as_array().expect("a list")[0]["functions"];
    assert_eq!(path, &serde_json::json!(["(exception illegal instruction)", "handler"]));
}

/// PicoRV32's interrupts, which no privileged register knows of.
#[test]
fn interrupts_of_picorv32_have_names() {
    // Interrupts on; the timer in 40 cycles; round and round. Handler at 16: getq, addi, retirq.
    let handler = [0x0000_860B, addi(13, 13, 1), 0x0400_000B];
    let main = [0x0600_000B, addi(5, 0, 40), 0x0A02_800B, addi(14, 14, 1), jal(0, -4)];
    let code = [&[jal(0, 28), HERE, HERE, HERE][..], &handler, &main].concat();
    let folder = folder(&elf::riscv(0, &code, &[("start", 0, 16), ("interrupt", 16, 12), ("main", 28, 20)]));
    let window = ["--for", "20us", "--format", "json"];
    let events = ["--from", "exception:own timer:entered", "--to", "exception:own timer:returned"];
    let file = json(&run(&folder, "trace", "picorv32", &[&events[..], &window].concat()));
    assert_eq!(file["total"]["instructions"], 3);
    assert!(names(&file, "functions").contains(&"interrupt".to_owned()));
    let file = json(&run(&folder, "profile", "picorv32", &window));
    let interrupt = file["paths"].as_array().expect("a list").iter().find(|row| row["functions"][1] == "interrupt");
    assert_eq!(interrupt.expect("it ran")["functions"][0], "(exception own timer)");
}
