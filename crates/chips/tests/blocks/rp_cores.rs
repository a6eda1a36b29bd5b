//! RP2040: two cores on one bus. Their programs are random and share memory, locks, mailboxes and interrupts; what comes of it
//! depends on the order of accesses, which no cut of a run may change.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Port, Restore, Retire, SignalKind, Stop, Width};
use proptest::prelude::*;

use crate::cortex_asm::*;
use crate::second_stage::crc;

mod cuts;
mod priority;
mod woken;

const FLASH: u32 = 0x1000_0000;
const VECTORS: u32 = 0x1000_0100;
const IN_FLASH: [u32; 2] = [0x1000_0400, 0x1000_0800];
const IN_RAM: [u32; 2] = [0x2000_4000, 0x2000_8000];
const HANDLER: u32 = 0x1000_0300;
const MAIL_HANDLER: u32 = 0x1000_0380;
/// The exception of the first core's mailbox; the second core's is the next.
const MAIL: usize = 16 + 15;
const SHARED: u32 = 0x2000_0000;
const STACKS: [u32; 2] = [0x2003_0000, 0x2003_8000];
const SIO: u32 = 0xD000_0000;
const SPINLOCKS: u32 = 0xD000_0100;
const TIMER: u32 = 0x4005_4000;
const RESETS: u32 = 0x4000_C000;
const BUS_PRIORITY: u32 = 0x4003_0000;
/// The bits of BUS_PRIORITY that let one of the cores go first.
const FIRST: u32 = 1 << 0;
const SECOND: u32 = 1 << 4;

/// The times that a program's pieces are repeated.
const TURNS: u16 = 40;

/// PERFSEL0 without an event, and two events of SRAM4's arbiter.
const NONE: u32 = 0x1F;
const CONTESTED_SRAM4: u32 = 6;
const SRAM4: u32 = 7;

/// The cycle by which all programs are done.
const END: u64 = 800_000;

/// A piece of a program. r4 has the shared memory, r5 SIO, r6 the spinlocks, r7 the timer; r3 sums up what was read, and r8 counts.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// Adds one to a shared word, without a lock.
    Add(u16),
    /// Moves two shared words up, together with what another core has changed of them.
    Move(u16),
    /// Tries to claim a lock, or releases it.
    Lock(u16, bool),
    /// Sends a word, reads one, or reads the mailbox's flags.
    Mailbox(u16),
    /// Reads the timer.
    Timer,
    /// Reads both words of the timer by one instruction.
    Time,
    /// Wakes the other core.
    Event,
    /// Saves registers and gets them back.
    Stack,
    /// Saves all low registers and gets them back.
    All,
    /// Empties the cache of the flash, and waits for the end of that.
    Flush,
    /// Passes the time.
    Pause(u16),
    /// Waits for an event, which interrupts are, too.
    Sleep,
    /// Reads a word of the flash past the cache.
    Flash(u16),
    /// Calls a function of the ROM that looks through its table.
    Rom,
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        (0u16..4).prop_map(Piece::Add),
        (0u16..4).prop_map(Piece::Move),
        (0u16..3, any::<bool>()).prop_map(|(lock, claims)| Piece::Lock(lock, claims)),
        (0u16..3).prop_map(Piece::Mailbox),
        Just(Piece::Timer),
        Just(Piece::Time),
        Just(Piece::Event),
        Just(Piece::Stack),
        Just(Piece::Flush),
        (1u16..4).prop_map(Piece::Pause),
    ];
    proptest::collection::vec(piece, 4..20)
}

impl Piece {
    fn code(self) -> Vec<u16> {
        let sum = add_high(3, 0);
        match self {
            Self::Add(word) => vec![ldr(0, 4, word), adds(0, 1), str(0, 4, word)],
            Self::Move(word) => vec![mov(1, 4), adds(1, 4 * word), ldm(1, 0b101), subs(1, 4), stm(1, 0b101), sum],
            Self::Lock(lock, true) => vec![ldr(0, 6, lock), sum],
            Self::Lock(lock, false) => vec![str(0, 6, lock)],
            Self::Mailbox(0) => vec![str(3, 5, 0x54 / 4)],
            Self::Mailbox(1) => vec![ldr(0, 5, 0x58 / 4), sum],
            Self::Mailbox(_) => vec![ldr(0, 5, 0x50 / 4), sum],
            Self::Timer => vec![ldr(0, 7, 0x28 / 4), sum],
            Self::Time => vec![mov(1, 7), adds(1, 0x24), ldm(1, 0b101), sum],
            Self::Event => vec![SEV],
            Self::Stack => vec![push(0b1111), pop(0b1111)],
            Self::All => vec![push(0xFF), pop(0xFF)],
            // XIP_CTRL lies at 0x14000000: LSLS r1, r1, #24.
            Self::Flush => vec![movs(1, 0x14), 0x0609, movs(0, 1), str(0, 1, 1), ldr(0, 1, 1), sum],
            Self::Pause(nops) => vec![NOP; nops.into()],
            Self::Sleep => vec![WFE],
            // LSLS r1, r1, #24.
            Self::Flash(word) => vec![movs(1, 0x13), 0x0609, ldr(0, 1, word), sum],
            // LDRH r0, [r2, #0]; LDRH r2, [r2, #4]; BLX r2.
            Self::Rom => vec![mov(10, 3), movs(2, 0x14), 0x8810, 0x8892, movs(1, 0x50), 0x4790, mov(3, 10), sum],
        }
    }
}

/// Appends the load of `value` into the low register `register`.
fn constant(code: &mut Vec<u16>, register: u16, value: u32) {
    if !code.len().is_multiple_of(2) {
        code.push(NOP);
    }
    // The literal lies behind a branch around it.
    code.extend([ldr_literal(register, 0), b(2), value as u16, (value >> 16) as u16]);
}

/// Appends the start of the second core at `program`, by the ROM's protocol.
fn launch(code: &mut Vec<u16>, stack: u32, program: u32) {
    constant(code, 5, SIO);
    for word in [0, 0, 1, VECTORS, stack, program + 1] {
        constant(code, 0, word);
        code.extend([str(0, 5, 21), SEV]);
        // TST r2, r1: the echo is there.
        code.extend([movs(1, 1), ldr(2, 5, 20), 0x420A, b_if(0, -8), ldr(2, 5, 22)]);
    }
}

/// A core's program: it repeats its pieces and ends.
struct Program {
    code: Vec<u16>,
    /// The address of the first of the pieces, and the one behind their repetition.
    ends: [Address; 2],
}

/// The program of the core `core`.
fn program(core: usize, case: &Case) -> Program {
    let mut code = Vec::new();
    if core == 0 {
        constant(&mut code, 0, case.stacks[0]);
        code.push(mov(13, 0));
        // Blocks answer, and the other core starts by the ROM's protocol.
        constant(&mut code, 4, RESETS);
        code.extend([movs(0, 0), str(0, 4, 0)]);
        constant(&mut code, 0, case.priority);
        constant(&mut code, 1, BUS_PRIORITY);
        code.push(str(0, 1, 0));
        // PERFSEL0, and PERFCTR0 is cleared.
        constant(&mut code, 0, case.event);
        code.extend([str(0, 1, 3), str(0, 1, 2)]);
        if !case.alone {
            launch(&mut code, case.stacks[1], case.programs[1]);
        }
        constant(&mut code, 0, VECTORS);
        constant(&mut code, 1, 0xE000_ED08);
        code.push(str(0, 1, 0));
    }
    for (register, value) in
        [(0, 0xE000_E100), (1, 1 << (15 + core)), (4, SHARED), (5, SIO), (6, SPINLOCKS), (7, TIMER)]
    {
        constant(&mut code, register, value);
    }
    // Each core is told of words in its mailbox.
    code.push(str(1, 0, 0));
    constant(&mut code, 0, 0xE000_E010);
    constant(&mut code, 1, case.systick[core]);
    code.extend([str(1, 0, 1), str(1, 0, 2), movs(1, 3), str(1, 0, 0), movs(3, 0), movs(0, TURNS), mov(8, 0)]);
    let head = code.len();
    code.extend(case.pieces[core].iter().flat_map(|piece| piece.code()));
    code.extend([mov(1, 8), subs(1, 1), mov(8, 1), b_if(0, 0)]);
    code.push(b((2 * (head as i32 - code.len() as i32) - 4) as i16));
    code.extend([NOP; 2]);
    let ends = [head, code.len() - 1].map(|place| Address::new(case.programs[core] + 2 * place as u32));
    // SysTick stops, and the sum is kept; from then on the mailbox's flags are.
    constant(&mut code, 0, 0xE000_E010);
    code.extend([movs(1, 0), str(1, 0, 0), str(3, 4, 16 + core as u16)]);
    // PERFCTR0 is kept.
    constant(&mut code, 0, BUS_PRIORITY);
    code.extend([ldr(0, 0, 2), str(0, 4, 22 + core as u16)]);
    code.extend([ldr(0, 5, 0x50 / 4), str(0, 4, 18 + core as u16), b(-8)]);
    Program { code, ends }
}

fn bytes(code: &[u16]) -> Vec<u8> {
    code.iter().flat_map(|half| half.to_le_bytes()).collect()
}

#[derive(Clone, Debug)]
struct Case {
    pieces: [Vec<Piece>; 2],
    systick: [u32; 2],
    /// BUS_PRIORITY.
    priority: u32,
    /// The end of each core's stack.
    stacks: [u32; 2],
    /// The addresses of the programs.
    programs: [u32; 2],
    /// PERFSEL0.
    event: u32,
    /// The second core is never launched.
    alone: bool,
    cuts: Vec<u64>,
}

fn cases() -> impl Strategy<Value = Case> {
    let cuts = proptest::collection::vec(100_000u64..END, 1..30);
    let priority = prop_oneof![Just(0), Just(FIRST), Just(SECOND)];
    (pieces(), pieces(), 90u32..400, 90u32..400, priority, cuts).prop_map(|(one, other, a, b, priority, mut cuts)| {
        cuts.sort_unstable();
        let (pieces, systick) = ([one, other], [a, b]);
        Case { pieces, systick, priority, stacks: STACKS, programs: IN_FLASH, event: NONE, alone: false, cuts }
    })
}

impl Case {
    /// The machine, which tells of exceptions.
    fn machine(&self) -> Machine {
        let mut machine = self.silent();
        machine.shared().signals.want(SignalKind::Exception);
        machine
    }

    /// The machine, of which a run stops where it is to stop and nowhere else.
    fn silent(&self) -> Machine {
        let stage = stage_to(self.programs[0]);
        let mut vectors = vec![0u8; 4 * (MAIL + 2)];
        vectors[..4].copy_from_slice(&STACKS[0].to_le_bytes());
        vectors[4..8].copy_from_slice(&(IN_FLASH[0] + 1).to_le_bytes());
        vectors[60..64].copy_from_slice(&(HANDLER + 1).to_le_bytes());
        for exception in [MAIL, MAIL + 1] {
            vectors[4 * exception..][..4].copy_from_slice(&(MAIL_HANDLER + 1).to_le_bytes());
        }
        // It adds to a shared word of its own core's, by SIO's number of it.
        let mut handler = Vec::new();
        constant(&mut handler, 0, SIO);
        constant(&mut handler, 1, SHARED);
        // LSLS r2, r2, #2.
        handler.extend([ldr(2, 0, 0), 0x0092, add_high(1, 2), ldr(2, 1, 20), adds(2, 1), str(2, 1, 20), BX_LR]);
        // It reads its core's mailbox to the end, and lowers the marks of what was lost.
        let mut mail = Vec::new();
        constant(&mut mail, 0, SIO);
        // TST r1, r2.
        mail.extend([movs(2, 1), ldr(1, 0, 20), 0x4211, b_if(0, 2), ldr(3, 0, 22), b(-12), str(1, 0, 20), BX_LR]);
        let programs = [0, 1].map(|core| bytes(&program(core, self).code));
        let segments = [
            (FLASH, stage),
            (VECTORS, vectors),
            (HANDLER, bytes(&handler)),
            (MAIL_HANDLER, bytes(&mail)),
            (self.programs[0], programs[0].clone()),
            (self.programs[1], programs[1].clone()),
        ];
        machine_with(&segments)
    }
}

/// A machine with `segments` in its memory.
fn machine_with(segments: &[(u32, Vec<u8>)]) -> Machine {
    let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
    let part = Part::find("rp2040").unwrap();
    Machine::new(part, settings, segments.iter().map(|(at, bytes)| (Address::new(*at), bytes.as_slice()))).unwrap()
}

/// The second stage of a boot, which goes on at `program`.
fn stage_to(program: u32) -> Vec<u8> {
    let mut stage = Vec::new();
    constant(&mut stage, 0, program + 1);
    stage.push(bx(0));
    let mut stage = bytes(&stage);
    stage.resize(252, 0);
    stage.extend(crc(&stage).to_le_bytes());
    stage
}

/// Runs on up to `until` at the earliest; what was recorded meanwhile is added to `heard`.
fn run(machine: &mut Machine, until: u64, heard: &mut Vec<String>) {
    loop {
        let stop = machine.run(Cycles::new(until));
        let signals: Vec<_> = machine.shared().signals.drain().map(|signal| format!("{signal:?}")).collect();
        heard.extend(signals);
        match stop {
            Stop::Signal => {}
            Stop::Horizon => return,
            other => panic!("{other:?} at {} of core {}", machine.pc(), machine.core()),
        }
    }
}

/// All that can be told of a machine that has come to its end.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    words: Vec<u32>,
    registers: Vec<Option<u32>>,
    instructions: u64,
    heard: Vec<String>,
}

fn told(machine: &mut Machine, mut heard: Vec<String>) -> Told {
    let words = (0..32).map(|word| machine.memory().read(SHARED + 4 * word, Width::Word).unwrap()).collect();
    let mut registers = Vec::new();
    for core in [0, 1] {
        machine.select_core(core);
        registers.extend(["r0", "r3", "sp", "pc"].map(|name| machine.register(name)));
    }
    // Of signals of one cycle, the order is that in which the cores are looked at.
    heard.sort();
    Told { words, registers, instructions: machine.instructions().get(), heard }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn both_cores_run_and_no_cut_changes_what_comes_of_it(case in cases()) {
        let (mut whole, mut heard) = (case.machine(), Vec::new());
        run(&mut whole, END, &mut heard);
        let whole = told(&mut whole, heard);
        prop_assert!(whole.words[20] > 0 && whole.words[21] > 0, "both interrupts came: {:?}", whole.words);
        prop_assert!(whole.words[18..20].iter().all(|flags| flags & 1 == 0), "both mailboxes were read: {:?}", whole.words);
        let counters = [whole.registers[3].unwrap(), whole.registers[7].unwrap()];
        prop_assert!(counters.iter().zip(IN_FLASH).all(|(pc, from)| *pc > from), "both have ended: {:x?}", counters);
        let (mut cut, mut heard) = (case.machine(), Vec::new());
        let mut other = case.machine();
        for at in &case.cuts {
            run(&mut cut, *at, &mut heard);
            // A clone and a restored machine go on as the machine itself does.
            if at % 3 == 0 {
                cut = cut.clone();
            } else if at % 3 == 1 {
                other.restore(&cut);
                std::mem::swap(&mut cut, &mut other);
            }
        }
        run(&mut cut, END, &mut heard);
        prop_assert_eq!(told(&mut cut, heard), whole);
    }

    #[test]
    fn watching_each_instruction_of_both_cores_changes_nothing(case in cases()) {
        let (mut silent, mut heard) = (case.machine(), Vec::new());
        run(&mut silent, END, &mut heard);
        let (mut watched, mut heard_watched, mut retired) = (case.machine(), Vec::new(), 0);
        loop {
            let stop = watched.run_into(Cycles::new(END), &mut |_: Retire| retired += 1);
            heard_watched.extend(watched.shared().signals.drain().map(|signal| format!("{signal:?}")));
            if stop == Stop::Horizon {
                break;
            }
            prop_assert_eq!(stop, Stop::Signal);
        }
        prop_assert_eq!(retired, watched.instructions().get());
        prop_assert_eq!(told(&mut watched, heard_watched), told(&mut silent, heard));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// While accesses are counted each is made by the way that shows it; blocks make them otherwise.
    #[test]
    fn counting_accesses_changes_nothing(case in cases(), event in 0u32..20, alone: bool, in_ram: bool) {
        let programs = if in_ram { IN_RAM } else { IN_FLASH };
        // What is fetched beside the store that empties the cache comes before it in a block, and after it here.
        let empties = |piece: &Piece| matches!(piece, Piece::Flush) && !in_ram;
        // The ROM of a core that waits to be launched takes any words for that.
        let launches = |piece: &Piece| matches!(piece, Piece::Mailbox(0)) && alone;
        let stays = |piece: &Piece| !empties(piece) && !launches(piece);
        let pieces = case.pieces.clone().map(|pieces| pieces.into_iter().filter(stays).collect());
        let case = Case { alone, programs, pieces, ..case };
        let [silent, counted] = [NONE, event].map(|event| {
            let (mut machine, mut heard) = (Case { event, ..case.clone() }.machine(), Vec::new());
            run(&mut machine, END, &mut heard);
            let mut told = told(&mut machine, heard);
            // The counter itself, and who has read it.
            told.words[22..24].fill(0);
            told.registers.clear();
            // A core that sleeps hears of interrupts that do not wake it when it is next looked at.
            told.heard.retain(|line| !line.contains("ExceptionPended"));
            told
        });
        prop_assert_eq!(silent, counted);
    }
}

#[test]
fn a_counter_has_the_accesses_of_a_bank_and_those_that_waited() {
    let (one, other, beside) = (0x2004_0800, 0x2004_1800, 0x2004_0C00);
    let run = |stacks, event| {
        let (pieces, systick) = ([0, 1].map(|_| vec![Piece::Stack; 16]), [0xFF_FFFF; 2]);
        let case = Case { pieces, systick, priority: 0, stacks, programs: IN_RAM, event, alone: false, cuts: vec![] };
        run_to_ends(&case)
    };
    // Four words pushed and popped by each, and at first the frame of a mailbox's interrupt.
    let each = 16 * 8 * u32::from(TURNS) + 16;
    let (apart, [count, _]) = run([one, other], SRAM4);
    assert_eq!(count, each);
    assert_eq!(run([one, other], CONTESTED_SRAM4), (apart, [0, 0]));
    let (same, counts) = run([one, beside], SRAM4);
    assert_eq!(*counts.iter().max().unwrap(), 2 * each);
    let (again, contested) = run([one, beside], CONTESTED_SRAM4);
    assert_eq!(again, same);
    assert!(*contested.iter().max().unwrap() > 100, "{contested:?}, {apart:?}, {same:?}");
}

#[test]
fn additions_of_both_cores_are_lost_only_without_a_lock() {
    let pieces = || [vec![Piece::Add(0)], vec![Piece::Add(0)]];
    let case = |systick| Case {
        pieces: pieces(),
        systick: [systick; 2],
        priority: 0,
        stacks: STACKS,
        programs: IN_FLASH,
        event: NONE,
        alone: false,
        cuts: vec![],
    };
    let counts = [97, 98, 99, 100].map(|systick| {
        let mut machine = case(systick).machine();
        run(&mut machine, END, &mut Vec::new());
        machine.memory().read(SHARED, Width::Word).unwrap()
    });
    let turns = u32::from(TURNS);
    assert!(counts.iter().all(|count| (turns..=2 * turns).contains(count)), "{counts:?}");
    assert!(counts.iter().any(|count| *count < 2 * turns), "some are lost: {counts:?}");
}

/// The cycles that each core takes to push and pop many times, with the bits `priority` of BUS_PRIORITY.
fn pushers(stacks: [u32; 2], priority: u32) -> [u64; 2] {
    lengths([0, 1].map(|_| vec![Piece::Stack; 16]), stacks, priority)
}

/// The cycles that each core takes to repeat its `pieces`, from RAM, with the bits `priority` of BUS_PRIORITY.
fn lengths(pieces: [Vec<Piece>; 2], stacks: [u32; 2], priority: u32) -> [u64; 2] {
    let systick = [0xFF_FFFF; 2];
    run_to_ends(&Case { pieces, systick, priority, stacks, programs: IN_RAM, event: NONE, alone: false, cuts: vec![] })
        .0
}

/// The cycles that each core takes from the first of its pieces to their end, and PERFCTR0 as each has read it.
fn run_to_ends(case: &Case) -> ([u64; 2], [u32; 2]) {
    let ends = [0, 1].map(|core| program(core, case).ends);
    let mut machine = case.machine();
    machine.watch_only(&ends.concat());
    let (mut began, mut ended) = ([0; 2], [0; 2]);
    while ended.contains(&0) {
        match machine.run(Cycles::new(END)) {
            Stop::Watch(pc) => {
                let (core, now) = (machine.core(), machine.now().get());
                if pc == ends[core][1] {
                    ended[core] = now;
                } else if began[core] == 0 {
                    began[core] = now;
                }
            }
            Stop::Signal => machine.shared().signals.drain().for_each(drop),
            other => panic!("{other:?}"),
        }
    }
    let end = machine.now().get() + 1000;
    machine.watch_only(&[]);
    run(&mut machine, end, &mut Vec::new());
    let counted = [22, 23].map(|word| machine.memory().read(SHARED + 4 * word, Width::Word).unwrap());
    ([ended[0] - began[0], ended[1] - began[1]], counted)
}

#[test]
fn a_core_waits_for_a_bank_that_the_other_has_and_for_no_other() {
    // In the two banks of 4 KiB, or in one.
    let (one, other, beside) = (0x2004_0800, 0x2004_1800, 0x2004_0C00);
    let apart = pushers([one, other], 0);
    let same = pushers([one, beside], 0);
    let [first, second] = [FIRST, SECOND].map(|priority| pushers([one, beside], priority));
    let all = [apart, same, first, second];
    assert!(same[0] > apart[0] + 100 && same[1] > apart[1] + 100, "{all:?}");
    // Who has priority waits for nobody.
    assert!(first[0] < apart[0] + 10 && second[1] < apart[1] + 10, "{all:?}");
}

#[test]
fn fetches_of_both_cores_from_one_bank_take_turns() {
    let run = |programs, priority| {
        // Loops of an even and of an odd number of cycles.
        let pieces = [vec![Piece::Pause(3); 5], vec![Piece::Pause(3); 6]];
        let (systick, stacks, cuts) = ([0xFF_FFFF; 2], STACKS, vec![]);
        run_to_ends(&Case { pieces, systick, priority, stacks, programs, event: NONE, alone: false, cuts }).0
    };
    // In the two banks of 4 KiB, or in one.
    let apart = run([0x2004_0000, 0x2004_1000], 0);
    let [turns, first, second] = [0, FIRST, SECOND].map(|priority| run([0x2004_1000, 0x2004_1800], priority));
    let all = [apart, turns, first, second];
    assert_eq!((first[0], second[1]), (apart[0], apart[1]), "who has priority waits for nobody: {all:?}");
    assert!(first[1] > apart[1] + 10 && second[0] > apart[0] + 10, "{all:?}");
    assert!(turns[0] + turns[1] > apart[0] + apart[1] + 10, "{all:?}");
}

#[test]
fn a_wait_for_a_device_takes_as_long_while_both_cores_run() {
    let [flushes, _] = lengths([vec![Piece::Flush], vec![Piece::Pause(3); 19]], STACKS, 0);
    assert!(flushes > 1024 * u64::from(TURNS), "{flushes}");
}

#[test]
fn an_access_to_sio_keeps_no_bank_from_the_other_core() {
    let (one, beside) = (0x2004_0800, 0x2004_0C00);
    let with = |piece: Piece, count: usize| {
        let first = [vec![Piece::Stack], vec![piece; count]].concat();
        lengths([first, vec![Piece::Stack; 12]], [one, beside], 0)
    };
    // A lock that is read takes as long as two instructions that pass the time.
    assert_eq!(with(Piece::Lock(0, true), 8), with(Piece::Pause(2), 8));
}

#[test]
fn an_interrupt_of_the_other_core_cuts_a_load_of_several_registers_short() {
    let latencies = (0..24).map(|pauses| {
        // The second core pushes and pops; the first sends it a word somewhere in that.
        let first =
            vec![Piece::Pause(1 + pauses % 12), Piece::Mailbox(0), Piece::Pause(1 + pauses / 12), Piece::Mailbox(1)];
        let case = Case {
            pieces: [first, vec![Piece::All; 16]],
            systick: [0xFF_FFFF; 2],
            priority: 0,
            stacks: [0x2004_0800, 0x2004_1800],
            programs: IN_RAM,
            event: NONE,
            alone: false,
            cuts: vec![],
        };
        let (mut machine, mut heard) = (case.machine(), Vec::new());
        run(&mut machine, END, &mut heard);
        let cycles = |what: &str| -> Vec<u64> {
            let of = heard.iter().filter(|line| line.ends_with(&format!("{what} {{ number: {} }})", MAIL + 1)));
            of.map(|line| line.trim_start_matches("(Cycles(").split(')').next().unwrap().parse().unwrap()).collect()
        };
        let (pended, entered) = (cycles("ExceptionPended"), cycles("ExceptionEntered"));
        let after = |at: &u64| entered.iter().find(|entered| *entered > at).map(|entered| entered - at);
        // Of those that found no handler running.
        let latencies = pended.iter().skip(2).filter_map(after).filter(|latency| *latency < 100);
        latencies.collect::<Vec<_>>()
    });
    let all: Vec<u64> = latencies.flatten().collect();
    // The one is taken at once; without being cut short an instruction would go on for up to nine cycles.
    assert!(all.len() > 100 && all.iter().all(|latency| *latency == 15), "{all:?}");
}
