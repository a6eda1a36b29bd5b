//! Tail calls in `trace` and `profile`: a path and a helper's row name the function that jumped.

use crate::common;
use crate::elf;

use serde_json::{Value, json};

use common::{json, text};

const LUI_SP: u32 = 0x8400_0137;
const HERE: u32 = 0x0000_006F;
const RETURN: u32 = 0x0000_8067;
/// Jumps to the address in t1.
const JUMP_T1: u32 = 0x0003_0067;
/// t1 = pc.
const PC_TO_T1: u32 = 0x0000_0317;
const NOP: u32 = 0x0000_0013;
/// Ends the run: a1 = 0x10_0000, a2 = 0x5555, stored there.
const FINISHER: [u32; 4] = [0x0010_05B7, 0x0000_5637, 0x5556_0613, 0x00C5_A023];

fn addi(rd: u32, rs: u32, value: i32) -> u32 {
    (value as u32) << 20 | rs << 15 | rd << 7 | 0x13
}

fn jal(rd: u32, offset: i32) -> u32 {
    let at = offset as u32;
    (at >> 20 & 1) << 31 | (at >> 1 & 0x3FF) << 21 | (at >> 11 & 1) << 20 | (at >> 12 & 0xFF) << 12 | rd << 7 | 0x6F
}

/// An instruction: a word, a call, a jump, or a jump by a register.
enum Op {
    Word(u32),
    Call(&'static str),
    Jump(&'static str),
    /// A jump into a function, so many bytes behind its entry.
    Into(&'static str, i32),
    /// Three instructions.
    Far(&'static str),
}

use Op::{Call, Far, Into, Jump, Word};

impl Op {
    fn length(&self) -> usize {
        if matches!(self, Far(_)) { 3 } else { 1 }
    }
}

/// An image for `virt` of `functions`, one after the other.
fn image(functions: &[(&'static str, Vec<Op>)]) -> Vec<u8> {
    let mut at = 0;
    let mut symbols = Vec::new();
    for (name, body) in functions {
        let size = 4 * body.iter().map(Op::length).sum::<usize>() as u64;
        symbols.push((*name, at, size));
        at += size;
    }
    let mut code: Vec<u32> = Vec::new();
    for op in functions.iter().flat_map(|(_, body)| body) {
        let here = 4 * code.len() as i32;
        let to = |name: &str| symbols.iter().find(|symbol| symbol.0 == name).expect("it is there").1 as i32 - here;
        match op {
            Word(word) => code.push(*word),
            Call(name) => code.push(jal(1, to(name))),
            Jump(name) => code.push(jal(0, to(name))),
            Into(name, offset) => code.push(jal(0, to(name) + offset)),
            Far(name) => code.extend([PC_TO_T1, addi(6, 6, to(name)), JUMP_T1]),
        }
    }
    elf::riscv(0x8000_0000, &code, &symbols)
}

/// A function that calls `names` with the return address kept in s0.
fn calls(names: &[&'static str]) -> Vec<Op> {
    let mut body = vec![Word(addi(8, 1, 0))];
    body.extend(names.iter().map(|name| Call(name)));
    body.extend([Word(addi(1, 8, 0)), Word(RETURN)]);
    body
}

/// A folder with an image of `functions` as `a.elf`, which is begun at `start` and ends when `main` has returned.
fn folder(mut functions: Vec<(&'static str, Vec<Op>)>) -> tempfile::TempDir {
    let mut start = vec![Word(LUI_SP), Call("main")];
    start.extend(FINISHER.map(Word));
    start.push(Word(HERE));
    functions.insert(0, ("start", start));
    let folder = common::folder();
    std::fs::write(folder.path().join("a.elf"), image(&functions)).expect("the folder is ours");
    folder
}

fn profile(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let common = ["profile", "a.elf", "--chip", "virt", "--guest-output", "none"];
    let output = common::cyclescope(folder.path(), &[&common, arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The account of a run: it sums up, and is the same whether blocks or single instructions were counted.
fn account(folder: &tempfile::TempDir) -> Value {
    let common = ["profile", "a.elf", "--chip", "virt", "--guest-output", "none", "--format", "json"];
    let account = |arguments: &[&str]| {
        let output = common::cyclescope(folder.path(), &[&common, arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        json(&output)
    };
    let (blocks, each) = (account(&[]), account(&["--listing", "l.txt"]));
    for list in ["functions", "paths"] {
        assert_eq!(blocks[list], each[list]);
        let rows = blocks[list].as_array().expect("a list");
        let sum: u64 = rows.iter().map(|row| row["own"]["cycles"].as_u64().expect("a number")).sum();
        assert_eq!(Some(sum), blocks["total"]["cycles"].as_u64(), "{list}");
    }
    assert_eq!(blocks["helpers"], each["helpers"]);
    blocks
}

/// The paths of `file` below `main`, as tables show them.
fn paths(file: &Value) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for row in file["paths"].as_array().expect("a list") {
        let names = row["functions"].as_array().expect("a list").iter();
        let mut names: Vec<String> = names.map(|name| name.as_str().expect("a name").to_owned()).collect();
        for jump in row["jumps"].as_array().expect("a list") {
            let name = &mut names[jump["at"].as_u64().expect("an index") as usize];
            *name = format!("{} ↪ {name}", jump["from"].as_str().expect("a name"));
        }
        paths.extend(names.join(" > ").strip_prefix("start > main > ").map(str::to_owned));
    }
    paths.sort();
    paths
}

/// Each helper's caller, with a mark if it jumped, and the number of calls.
fn helpers(file: &Value) -> Vec<(String, u64)> {
    let rows = file["helpers"].as_array().expect("a list").iter();
    let mut helpers: Vec<(String, u64)> = rows
        .map(|row| {
            let mark = if row["jumped"] == json!(true) { " ↪" } else { "" };
            let [helper, caller] = ["name", "caller"].map(|key| row[key].as_str().expect("a name"));
            (format!("{caller}{mark} {helper}"), row["calls"].as_u64().expect("a number"))
        })
        .collect();
    helpers.sort();
    helpers
}

fn leaf() -> Vec<Op> {
    vec![Word(NOP), Word(RETURN)]
}

#[test]
fn a_function_that_jumps_to_a_helper_is_its_caller() {
    let folder = folder(vec![
        ("main", calls(&["copy_in", "copy_in", "far_copy", "memcpy"])),
        ("copy_in", vec![Word(NOP), Jump("memcpy")]),
        ("far_copy", vec![Word(NOP), Far("copy_in")]),
        ("memcpy", leaf()),
    ]);
    let file = account(&folder);
    let expect = ["copy_in", "copy_in ↪ memcpy", "far_copy", "far_copy ↪ copy_in", "memcpy"];
    assert_eq!(paths(&file), expect);
    assert_eq!(helpers(&file), [("copy_in ↪ memcpy".to_owned(), 3), ("main memcpy".to_owned(), 1)]);
    let table = profile(&folder, &["--by", "path", "--by", "helper"]);
    assert!(table.contains(" start > main > copy_in ↪ memcpy ") && table.contains("  copy_in ↪\n"), "{table}");
    assert_eq!(table.matches("(a tail call)").count(), 2, "each table has its foot\n{table}");
    let flame = folder.path().join("f.svg");
    profile(&folder, &["--flamegraph", "f.svg"]);
    assert!(std::fs::read_to_string(flame).expect("it is written").contains("copy_in ↪ memcpy"));
}

/// The way on is no tail call where the code only goes on: straight, in a part of its own, or by a linker's veneer.
#[test]
fn what_goes_on_is_no_tail_call() {
    let folder = folder(vec![
        ("main", calls(&["falls", "parts", "__memcpy_veneer", "veers", "__aeabi_memcpy", "loops"])),
        ("falls", vec![Word(NOP)]),
        ("behind", leaf()),
        ("veers", vec![Word(NOP), Jump("__memcpy_veneer")]),
        // Its part is a function for the linker, and leads back into its middle.
        ("parts", vec![Word(NOP), Jump("parts.cold"), Word(NOP), Word(RETURN)]),
        ("parts.cold", vec![Word(NOP), Into("parts", 8)]),
        ("__memcpy_veneer", vec![Far("memcpy")]),
        ("__aeabi_memcpy", vec![Word(NOP), Jump("memcpy")]),
        ("memcpy", leaf()),
        // Twice around: t0 counts.
        ("loops", vec![Word(addi(5, 5, 1)), Word(addi(6, 5, -2)), Word(0x0003_0463), Into("loops", 0), Jump("memcpy")]),
    ]);
    let file = account(&folder);
    let expect = [
        "__aeabi_memcpy",
        "__memcpy_veneer",
        "behind",
        "falls",
        "loops",
        "loops ↪ memcpy",
        "memcpy",
        "parts",
        "parts ↪ parts.cold",
        "veers",
        "veers ↪ __memcpy_veneer",
        "veers ↪ memcpy",
    ];
    assert_eq!(paths(&file), expect);
    let expect = [("loops ↪ memcpy", 1), ("main __aeabi_memcpy", 1), ("main memcpy", 2), ("veers ↪ memcpy", 1)];
    assert_eq!(helpers(&file), expect.map(|(row, calls)| (row.to_owned(), calls)));
    let plain = profile(&folder, &["--by", "path", "--top", "1"]);
    assert!(!plain.contains("tail call"), "a foot without its sign\n{plain}");
}

/// Code that saves registers for others is entered anywhere and jumps back; the function is its caller and goes on.
#[test]
fn code_that_saves_registers_leads_back_to_its_function() {
    let folder = folder(vec![
        ("main", calls(&["outer", "saves"])),
        ("saves", vec![Word(PC_TO_T1), Into("__prologue_saves__", 4), Word(addi(2, 2, 16)), Word(RETURN)]),
        // It makes room, and returns behind the jump.
        ("__prologue_saves__", vec![Word(NOP), Word(addi(2, 2, -16)), Word(addi(6, 6, 8)), Word(JUMP_T1)]),
        ("outer", vec![Word(NOP), Jump("saves")]),
    ]);
    let file = account(&folder);
    assert_eq!(paths(&file), ["outer", "outer ↪ saves", "saves", "saves ↪ __prologue_saves__"]);
    assert_eq!(helpers(&file), [("saves ↪ __prologue_saves__".to_owned(), 2)]);
    let of_saves = file["paths"].as_array().expect("a list").iter();
    let of_saves =
        of_saves.filter(|row| row["functions"].as_array().and_then(|names| names.last()) == Some(&json!("saves")));
    let own: Vec<&Value> = of_saves.map(|row| &row["own"]["instructions"]).collect();
    assert_eq!(own, [&json!(4), &json!(4)], "each goes on where it was");
    let functions = file["functions"].as_array().expect("a list");
    let saves = functions.iter().find(|row| row["name"] == "saves").expect("it ran");
    assert_eq!((&saves["calls"], &saves["own"]["instructions"]), (&json!(2), &json!(8)));
}

/// Functions that jump to one another for ever, as interpreters do, have as many paths as there are ways between them.
#[test]
fn a_ring_of_tail_calls_has_few_paths() {
    let turn = |next| vec![Word(addi(5, 5, -1)), Word(0x0002_8463), Jump(next), Word(RETURN)];
    let mut main = vec![Word(addi(8, 1, 0)), Word(addi(5, 0, 2000))];
    main.extend(calls(&["a"]).into_iter().skip(1));
    let folder = folder(vec![("main", main), ("a", turn("b")), ("b", turn("c")), ("c", turn("a"))]);
    assert_eq!(paths(&account(&folder)), ["a", "a ↪ b", "b ↪ c", "c ↪ a"]);
}
