//! Parts with two cores: whatever watches a run tells them apart and names them. Both cores of the program call the same functions.

use std::process::Output;

use cyclescope::Firmware;
use serde_json::Value;

use crate::common;
use crate::elf;

use common::{cyclescope, json, text, tools};

const FLASH: u32 = 0x1000_0000;
const VECTORS: u32 = 0x100;
const MAIN: u32 = 0x200;
const SIO: u32 = 0xD000_0000;
const STACKS: [u32; 2] = [0x2003_0000, 0x2003_8000];

/// The calls of `work` by each core.
const CALLS: [u16; 2] = [50, 30];

/// The loop of the second core at its end.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    /// It sleeps for ever, and the first core ends the program.
    Sleeps,
    /// It executes what is no instruction.
    Faults,
    /// It spins, while the first core sleeps.
    Spins,
    /// It has interrupts masked most of the time, and takes that of GPIO2's fall; the first core works on.
    Masks,
}

/// Code with the functions in it.
#[derive(Default)]
struct Assembler {
    code: Vec<u16>,
    functions: Vec<(&'static str, u64, u64)>,
}

impl Assembler {
    /// Offset of what comes next.
    fn here(&self) -> u32 {
        2 * self.code.len() as u32
    }

    fn pad_to(&mut self, offset: u32) {
        self.code.resize(offset as usize / 2, 0xBF00);
    }

    fn push(&mut self, code: &[u16]) {
        self.code.extend(code);
    }

    /// Loads `value` into the low register `register`; the word lies behind a branch around it.
    fn constant(&mut self, register: u16, value: u32) {
        if !self.code.len().is_multiple_of(2) {
            self.code.push(0xBF00);
        }
        self.push(&[0x4800 | register << 8, 0xE001, value as u16, (value >> 16) as u16]);
    }

    /// BL to the offset `to`.
    fn call(&mut self, to: u32) {
        let offset = to.wrapping_sub(self.here() + 4) as i32;
        let (high, low) = ((offset >> 12) as u16 & 0x7FF, (offset >> 1) as u16 & 0x7FF);
        self.push(&[0xF000 | high, 0xF800 | low]);
    }

    /// B to the offset `to`.
    fn jump(&mut self, to: u32) {
        let offset = to.wrapping_sub(self.here() + 4) as i32 >> 1;
        self.push(&[0xE000 | offset as u16 & 0x7FF]);
    }

    /// The function `name`, as `body` writes it; returns its offset.
    fn function(&mut self, name: &'static str, body: impl FnOnce(&mut Self)) -> u32 {
        let begin = self.here();
        body(self);
        if !self.code.len().is_multiple_of(2) {
            self.code.push(0xBF00);
        }
        self.functions.push((name, begin.into(), (self.here() - begin).into()));
        begin
    }

    /// Calls `work` as often as `calls` says, by a count in r7.
    fn calls(&mut self, work: u32, calls: u16) {
        self.push(&[0x2700 | calls]);
        let head = self.here();
        self.call(work);
        self.push(&[0x3F01]);
        // BNE.
        let offset = head.wrapping_sub(self.here() + 4) as i32 >> 1;
        self.push(&[0xD100 | offset as u16 & 0xFF]);
    }
}

/// A program for the RP2040.
fn program(then: Then) -> Vec<u8> {
    let mut code = Assembler::default();
    code.constant(0, FLASH + MAIN + 1);
    code.push(&[0x4700]);
    let stage: Vec<u8> =
        code.code.iter().flat_map(|half| half.to_le_bytes()).chain(std::iter::repeat(0)).take(252).collect();
    let crc = stage.iter().fold(u32::MAX, |crc, byte| {
        let shift = |crc: u32| if crc >> 31 != 0 { crc << 1 ^ 0x04C1_1DB7 } else { crc << 1 };
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| shift(crc))
    });
    code.code = stage.chunks(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
    code.push(&[crc as u16, (crc >> 16) as u16]);
    // The functions that both call come before the vectors' targets are known.
    code.pad_to(0x400);
    let inner = code.function("inner", |code| code.push(&[0xBF00, 0xBF00, 0x4770]));
    let work = code.function("work", |code| {
        code.push(&[0xB500]);
        code.call(inner);
        code.push(&[0xBD00]);
    });
    let tick = code.function("tick", |code| {
        // SysTick stops.
        code.constant(0, 0xE000_E010);
        code.push(&[0x2100, 0x6001, 0x4770]);
    });
    let take = (then == Then::Masks).then(|| {
        code.function("take", |code| {
            code.constant(0, 0x4001_40F0);
            code.constant(1, 0x400);
            code.push(&[0x6001, 0x4770]);
        })
    });
    let second = code.function("second", |code| {
        // SysTick of this core, once.
        code.constant(0, 0xE000_E010);
        code.push(&[0x2140, 0x6041, 0x6081, 0x2107, 0x6001]);
        code.calls(work, CALLS[1]);
        // The first core waits for a word at the start of RAM.
        code.constant(0, 0x2000_0000);
        code.push(&[0x2101, 0x6001, 0xBF40]);
        match then {
            Then::Sleeps => code.push(&[0xBF30, 0xE7FD]),
            Then::Faults => code.push(&[0xDE00]),
            Then::Spins => code.push(&[0xE7FE]),
            Then::Masks => {
                // IO_BANK0 and PADS_BANK0 leave their reset; EDGE_LOW of GPIO2 in PROC1_INTE0; line 13 of the NVIC.
                for (address, value) in [(0x4000_F000, 0x120), (0x4001_4130, 0x400), (0xE000_E100, 1 << 13)] {
                    code.constant(0, address);
                    code.constant(1, value);
                    code.push(&[0x6001]);
                }
                let head = code.here();
                // CPSID, CPSIE.
                code.push(&[0xB672]);
                code.calls(work, 3);
                code.push(&[0xB662, 0xBF00]);
                code.jump(head);
            }
        }
    });
    let end = code.here();
    let mut main = Assembler::default();
    main.pad_to(MAIN);
    main.constant(0, 0x2000_0000);
    main.push(&[0x2100, 0x6001]);
    main.constant(5, SIO);
    // The protocol by which the ROM starts the second core, with an echo of each word.
    for word in [0, 0, 1, FLASH + VECTORS, STACKS[1], FLASH + second + 1] {
        main.constant(0, word);
        main.push(&[0x6568, 0xBF40, 0x2101, 0x6D2A, 0x420A, 0xD0FC, 0x6DAA]);
    }
    main.calls(work, CALLS[0]);
    main.constant(0, 0x2000_0000);
    match then {
        Then::Spins => main.push(&[0xBF30, 0xE7FD]),
        Then::Masks => {
            let head = main.here();
            main.call(work);
            main.jump(head);
        }
        _ => {
            // LDR, CMP, BEQ.
            main.push(&[0x6801, 0x2900, 0xD0FC]);
            // Some time for the other one to go to sleep, then a semihosting exit.
            main.push(&[0x21FF, 0x3901, 0xD1FD]);
            main.constant(1, 0x2_0026);
            main.push(&[0x2018, 0xBEAB, 0xE7FE]);
        }
    }
    assert!(main.here() <= 0x400, "{:#x}", main.here());
    main.functions.push(("main", MAIN.into(), u64::from(main.here() - MAIN)));
    let mut words: Vec<u32> =
        code.code.chunks(2).map(|halves| u32::from(halves[0]) | u32::from(halves[1]) << 16).collect();
    for (place, halves) in main.code.chunks(2).enumerate().skip(MAIN as usize / 4) {
        words[place] = u32::from(halves[0]) | u32::from(halves.get(1).copied().unwrap_or(0xBF00)) << 16;
    }
    let vectors = VECTORS as usize / 4;
    words[vectors..vectors + 16].fill(FLASH + tick + 1);
    if let Some(take) = take {
        words[vectors + 16 + 13] = FLASH + take + 1;
    }
    words[vectors] = STACKS[0];
    words[vectors + 1] = FLASH + MAIN + 1;
    assert_eq!(end as usize, 4 * words.len());
    let ends = [("__StackOneBottom", STACKS[1] - 0x1000), ("__StackOneTop", STACKS[1])];
    let ends = ends.map(|(name, address)| (name, u64::from(address - FLASH), 0));
    let functions = [code.functions, main.functions, ends.to_vec()].concat();
    elf::arm(FLASH, &words, &functions)
}

/// Runs `cyclescope arguments` over the program.
fn run(then: Then, arguments: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = common::folder();
    std::fs::write(folder.path().join("app.elf"), program(then)).expect("the folder is ours");
    let output = cyclescope(folder.path(), &[arguments, &["--chip", "rp2040", "app.elf"]].concat());
    (folder, output)
}

fn paths(file: &Value) -> Vec<(String, u64, u64)> {
    let path = |row: &Value| {
        let names = row["functions"].as_array().expect("a list").iter();
        let names: Vec<&str> = names.map(|name| name.as_str().expect("a name")).collect();
        let number = |value: &Value| value.as_u64().expect("a number");
        (names.join(" > "), number(&row["calls"]), number(&row["total"]["cycles"]))
    };
    file["paths"].as_array().expect("a list").iter().map(path).collect()
}

#[test]
fn a_profile_has_each_core_as_a_root() {
    let (_folder, output) = run(Then::Sleeps, &["profile", "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = json(&output);
    assert_eq!(file["cores"], 2);
    let paths = paths(&file);
    let of = |path: &str| paths.iter().find(|(name, ..)| name == path).unwrap_or_else(|| panic!("{path} in {paths:?}"));
    for (core, caller, calls) in [(0, "main", CALLS[0]), (1, "second", CALLS[1])] {
        for path in ["work", "work > inner"] {
            let name = format!("core {core} > {caller} > {path}");
            assert_eq!(of(&name).1, u64::from(calls), "{name} in {paths:?}");
        }
    }
    // Two NOPs and a return take as long on either core.
    assert!(paths.iter().all(|(name, ..)| !name.starts_with("core 0 > second") && !name.starts_with("core 1 > main")));
    assert!(paths.iter().any(|(name, ..)| name == "core 1 > (exception SysTick) > tick"), "{paths:?}");
    let elapsed = file["elapsed"][0].as_u64().expect("a number");
    for core in ["core 0", "core 1"] {
        let (_, _, total) = of(core);
        assert!(total.abs_diff(elapsed) < 8, "{core} took {total} of {elapsed} cycles");
    }
    let total = file["total"]["cycles"].as_u64().expect("a number");
    assert_eq!(of("core 0").2 + of("core 1").2, total);
    for list in ["functions", "paths", "lines", "classes"] {
        let own = file[list].as_array().expect("a list").iter().map(|row| row["own"]["cycles"].as_u64().expect("one"));
        assert_eq!(own.sum::<u64>(), total, "{list}");
    }
}

#[test]
fn spans_in_a_trace_begin_and_end_on_both_cores_at_once() {
    let span = ["--from", "core1:second", "--to", "core1:exception:SysTick:returned"];
    let (_folder, output) = run(Then::Sleeps, &[&["trace", "--format", "json"], &span[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let file = json(&output);
    assert_eq!(
        (file["from"].as_str(), file["to"].as_str()),
        (Some("core1:symbol:second"), Some("core1:exception:SysTick:returned"))
    );
    let (total, elapsed) = (file["total"]["cycles"].as_u64().expect("one"), file["elapsed"][0].as_u64().expect("one"));
    assert!(total.abs_diff(2 * elapsed) < 8, "{total} of twice {elapsed}");
    assert!(paths(&file).iter().any(|(name, ..)| name == "core 0 > main"), "{:?}", paths(&file));
}

#[test]
fn an_event_is_of_any_core_or_of_one() {
    let [first, second] = CALLS.map(u64::from);
    let spans = [
        ("any=first work..inner", first + second),
        ("first=core0:work..core0:symbol:work:left", first),
        ("second=core1:work..core1:symbol:work:left", second),
        ("asleep=first core1:wake..core1:sleep", 1),
    ];
    let options: Vec<&str> = spans.iter().flat_map(|(span, _)| ["--span", span]).collect();
    let (_folder, output) = run(Then::Sleeps, &[&["measure", "--for", "10ms"], &options[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for (span, least) in spans {
        let (name, _) = span.split_once('=').expect("a name");
        let row = said.lines().find(|line| line.split_whitespace().next() == Some(name)).expect(&said);
        let count: u64 = row.split_whitespace().nth(1).and_then(|count| count.parse().ok()).expect(row);
        match name {
            // The ROM sleeps and wakes too; and of two calls at once the first counts.
            "asleep" | "any" => assert!(count >= least.min(first), "{said}"),
            _ => assert_eq!(count, least, "{said}"),
        }
    }
    let tick = "t=core0:exception:SysTick:entered..core0:exception:SysTick:returned";
    let (_folder, output) = run(Then::Sleeps, &["measure", "--span", tick]);
    assert!(text(&output.stderr).contains("never began"), "only the other core has one: {}", text(&output.stderr));
    for (event, reason) in [
        ("core2:sleep", "the part has no core 2; its last is core 1"),
        ("core1:pin:PA0:rise", "`pin:PA0:rise` is no core's"),
        ("core1:time:1ms", "is no core's"),
    ] {
        let (_folder, output) = run(Then::Sleeps, &["measure", "--span", &format!("s={event}..sleep")]);
        assert!(text(&output.stderr).contains(reason), "{event}: {}", text(&output.stderr));
    }
    let folder = common::folder();
    common::unpack("button-freertos-interrupt-s-stm32c031c6", &folder.path().join("button.elf"));
    let one = ["measure", "button.elf", "--chip", "stm32c031c6", "--span", "s=core0:sleep..core0:wake"];
    let said = text(&cyclescope(folder.path(), &one).stderr);
    assert!(said.contains("the part has one core; leave out `core0:`"), "{said}");
}

#[test]
fn a_listing_and_a_dump_name_the_core() {
    let (folder, output) = run(Then::Sleeps, &["measure", "--for", "10ms", "--vcd", "app.vcd"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let dump = std::fs::read_to_string(folder.path().join("app.vcd")).expect("it is there");
    let scope = |name: &str| {
        let (_, rest) = dump.split_once(&format!("module {name} $end")).unwrap_or_else(|| panic!("{name} in {dump}"));
        rest.split_once("$upscope").expect("it ends").0.to_owned()
    };
    assert!(scope("core0").contains("sleeping") && scope("core1").contains("sleeping"), "{dump}");
    assert!(!scope("core0_exceptions").contains("SysTick") && scope("core1_exceptions").contains("SysTick"), "{dump}");

    let (folder, output) = run(Then::Sleeps, &["profile", "--listing", "app.txt"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let listing = std::fs::read_to_string(folder.path().join("app.txt")).expect("it is there");
    let core_of = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let inner = format!("{:08x}  bf00", FLASH + 0x400);
    let lines: Vec<&str> = listing.lines().filter(|line| line.contains(&inner)).collect();
    for (core, calls) in [("0", CALLS[0]), ("1", CALLS[1])] {
        let count = lines.iter().filter(|line| core_of(line).as_deref() == Some(core)).count();
        assert_eq!(count, usize::from(calls), "core {core}");
    }
    assert!(listing.contains("core 1, work:") && listing.contains("core 1: exception SysTick entered"));
}

#[test]
fn a_fault_a_loop_and_a_deadlock_name_the_core() {
    let (folder, output) = run(Then::Faults, &["exec", "--outcome", "end.json"]);
    let said = text(&output.stderr);
    assert!(said.contains("core 1: the guest faulted") && said.contains("in second"), "{said}");
    assert!(said.contains("registers of core 1:") && said.contains("backtrace of core 1"), "{said}");
    let file = std::fs::read(folder.path().join("end.json")).expect("it is there");
    let file: Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!((&file["core"], file["end"].as_str()), (&Value::from(1), Some("fault")));
    let stack_pointer = file["report"]["registers"]["sp"].as_u64().expect("a number");
    assert_eq!(stack_pointer, u64::from(STACKS[1]));

    let (_folder, output) = run(Then::Spins, &["exec"]);
    let said = text(&output.stderr);
    assert!(said.contains("core 1: the guest spins at") && said.contains("in second"), "{said}");
}

#[test]
fn a_board_has_the_registers_and_the_stack_of_each_core() {
    let firmware = Firmware::from_elf("app", &program(Then::Sleeps)).expect("it is one");
    let mut board = firmware.on("rp2040").expect("it starts");
    let unused = board.second_stack_used().map(|used| used.get());
    assert_eq!((board.cores(), board.core(), unused), (2, 0, Some(0)));
    board.run_to("core1:symbol:inner").expect("it comes there");
    assert_eq!((board.core(), board.register("sp").ok()), (1, Some(STACKS[1] - 4)));
    assert!(board.second_stack_used().is_some_and(|used| used.get() >= 4), "a return address");
    board.select_core(0);
    // The ROM's, which nothing has moved.
    assert!((0x2004_0000..0x2004_2000).contains(&board.register("sp").expect("it has one")));
    let selected = board.cycles();
    board.run_to("core1:sleep").expect("it comes there");
    assert!(board.second_stack_used().is_some_and(|used| used.get() >= 32), "the frame of an exception");
    // To have looked changes nothing.
    let mut other = firmware.on("rp2040").expect("it starts");
    other.run_to("core1:symbol:inner").expect("it comes there");
    other.run_to("core1:sleep").expect("it comes there");
    assert!(selected < board.cycles());
    assert_eq!((board.cycles(), board.instructions()), (other.cycles(), other.instructions()));
}

#[test]
fn a_debugger_has_a_thread_for_each_core() {
    if !tools::wanted("gdb-multiarch") {
        return;
    }
    let (said, end) = crate::gdb::debug_bytes(
        &program(Then::Sleeps),
        "rp2040",
        &[
            "info threads",
            "break second",
            "continue",
            "info threads",
            "print/x $sp",
            "thread 1",
            "print/x $sp",
            "print $pc >= (long)&main && $pc < (long)&main + 0x200",
            "thread 2",
            "stepi",
            "info registers pc",
            "delete",
            "break inner thread 2",
            "continue",
            "backtrace",
            "monitor why",
            "watch *(int *)0x20000000",
            "delete 2",
            "continue",
            "info threads",
            "delete",
            "continue",
        ],
    );
    for part in ["(core 0)", "(core 1)", "Thread 2 ", "$1 = 0x20038000", "core 1: ", "work", "second"] {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
    assert!(end.status.success(), "{said}\n{end:?}");
}

/// The worst arrival of a stimulus for the second core, which has its interrupts masked then, repeats alone.
#[test]
fn the_worst_arrival_is_of_the_core_that_takes_it() {
    let asked = ["--guest-output", "none", "--for", "30ms", "--stimulus", "at 0 pin GPIO2 high"];
    let latency = ["--span", "latency=pin:GPIO2:fall..exception:IO_IRQ_BANK0:entered"];
    let window = ["--stimulus", "at 20ms..20.06ms pin GPIO2 low", "--arrivals", "exhaustive"];
    let arguments = [&["measure"][..], &asked, &latency, &window].concat();
    let said = text(&run(Then::Masks, &arguments).1.stdout);
    for part in ["core 0 was at", "core 1 was at", "held back by PRIMASK", "IO_IRQ_BANK0 on core 1"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let longest = common::repeats_alone(&arguments, |arguments| run(Then::Masks, arguments).1);
    assert!(longest > 30, "the mask is longer than the entry: {longest}");
}
