//! The priorities of the cores and of the DMA at a bank of RAM (RP-008371-DS, Bus Priority).

use std::ops::Range;

use cyclescope_chips::Machine;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Restore, Stop, Width};
use proptest::prelude::*;

use super::{BUS_PRIORITY, FIRST, FLASH, RESETS, SECOND, VECTORS, bytes, constant, launch, machine_with, stage_to};
use crate::cortex_asm::*;

const DMA: u32 = 0x5000_0000;
const WATCHDOG: u32 = 0x4005_8000;
const READS_FIRST: u32 = 1 << 8;
const WRITES_FIRST: u32 = 1 << 12;
/// SRAM4, which is one bank: the word that the DMA reads, and where it writes one word behind the other.
const FROM: u32 = 0x2004_0000;
const TO: u32 = 0x2004_0400;
const WORDS: u32 = 0x280;
/// As many as a channel can have.
const ENDLESS: u32 = u32::MAX;
/// A word of the banks that are striped.
const ELSEWHERE: u32 = 0x2001_0000;
/// The words of each core there, and the end of its stack.
const BASES: [u32; 2] = [0x2004_0E80, 0x2004_0F00];
const STACKS: [u32; 2] = [0x2004_0F80, 0x2004_1000];
/// From there to words of the banks that are striped.
const STRIPED: u32 = 0u32.wrapping_sub(0x1_0000);
/// The programs: the second one has SRAM5 to itself.
const PROGRAMS: [u32; 2] = [0x2000_4000, 0x2004_1400];
/// The word by which the first core has the second one begin.
const FLAG: u32 = 0x2000_0000;

/// The task of a core.
#[derive(Clone, Debug)]
enum Does {
    /// Nothing: it sleeps.
    Sleeps,
    /// It runs, and leaves the bank alone.
    Idles,
    /// It carries out a piece as often as that.
    Repeats(Vec<u16>, usize),
}

/// A program of both cores beside a channel of the DMA.
#[derive(Clone, Debug)]
struct Setup {
    /// BUS_PRIORITY.
    priority: u32,
    /// The words that the channel copies in SRAM4.
    words: u32,
    does: [Does; 2],
    /// The distance of the cores' own words from those of SRAM4.
    offset: u32,
    /// The address to which the channel copies; without an end of its words it stays there.
    to: u32,
    /// The ticks that the watchdog is loaded with, if it is on.
    watchdog: u32,
    /// The instructions that the second core carries out while the first one comes to its piece.
    pause: usize,
}

impl Default for Setup {
    fn default() -> Self {
        let does = [Does::Sleeps, Does::Sleeps];
        Self { priority: 0, words: WORDS, does, offset: 0, to: TO, watchdog: 0, pause: 32 }
    }
}

impl Setup {
    /// The code of the core `core`, and the addresses at which its pieces begin and end.
    fn code(&self, core: usize) -> (Vec<u16>, Range<u32>) {
        let mut code = Vec::new();
        if core == 0 {
            constant(&mut code, 0, STACKS[0].wrapping_add(self.offset));
            code.push(mov(13, 0));
            let dog = [(WATCHDOG + 0x2C, 1 << 9 | 1), (WATCHDOG + 4, self.watchdog), (WATCHDOG, 1 << 30)];
            let dog = if self.watchdog > 0 { &dog[..] } else { &[] };
            for &(address, value) in [(RESETS, 0), (BUS_PRIORITY, self.priority)].iter().chain(dog) {
                constant(&mut code, 0, value);
                constant(&mut code, 1, address);
                code.push(str(0, 1, 0));
            }
            if !matches!(self.does[1], Does::Sleeps) {
                launch(&mut code, STACKS[1].wrapping_add(self.offset), PROGRAMS[1]);
            }
        }
        constant(&mut code, 4, BASES[core].wrapping_add(self.offset));
        constant(&mut code, 5, FLAG);
        if core == 0 {
            constant(&mut code, 0, DMA);
            for (register, value) in [(1, FROM), (2, self.to), (3, self.words)] {
                constant(&mut code, register, value);
            }
            code.push(stm(0, 0b1110));
            // Words, to addresses that move on, at all times, and no chain.
            let moves = if self.words == ENDLESS { 0 } else { 1 << 5 };
            constant(&mut code, 1, 1 | 2 << 2 | moves | 0x3F << 15);
            code.extend([movs(2, 1), str(2, 5, 0)]);
            code.push(if self.words > 0 { str(1, 0, 0) } else { NOP });
        } else {
            // CMP r0, #0.
            code.extend([ldr(0, 5, 0), 0x2800, b_if(0, -8)]);
            code.extend(vec![NOP; self.pause]);
        }
        let from = code.len();
        if let Does::Repeats(piece, times) = &self.does[core] {
            code.extend(piece.repeat(*times));
        }
        let ends = [from, code.len()].map(|place| PROGRAMS[core] + 2 * place as u32);
        code.extend(if matches!(self.does[core], Does::Sleeps) { vec![NOP, WFE, b(-6)] } else { vec![NOP, b(-6)] });
        (code, ends[0]..ends[1])
    }

    fn machine(&self) -> Machine {
        let word = [7, 0, 0, 0].to_vec();
        let vectors = [STACKS[0], PROGRAMS[0] + 1].iter().flat_map(|word| word.to_le_bytes()).collect();
        let [zero, one] = [0, 1].map(|core| bytes(&self.code(core).0));
        let stage = stage_to(PROGRAMS[0]);
        machine_with(&[(FLASH, stage), (VECTORS, vectors), (PROGRAMS[0], zero), (PROGRAMS[1], one), (FROM, word)])
    }

    /// The cycles that the pieces of the core `core` take, and the words that the DMA writes meanwhile.
    fn run(&self, core: usize) -> (u64, u64) {
        let Range { start, end } = self.code(core).1;
        let mut machine = self.machine();
        machine.watch_only(&[start, end].map(Address::new));
        let mut at = |end| {
            assert_eq!(machine.run(Cycles::new(200_000)), Stop::Watch(Address::new(end)), "core {}", machine.core());
            assert_eq!(machine.core(), core);
            (machine.now().get(), copied(&mut machine))
        };
        let ((began, before), (ended, behind)) = (at(start), at(end));
        (ended - began, behind - before)
    }
}

/// The words that the DMA has written.
fn copied(machine: &mut Machine) -> u64 {
    (0..WORDS).filter(|word| machine.memory().read(TO + 4 * word, Width::Word) != Some(0)).count() as u64
}

/// A load that takes two cycles, in the second of which it has the bank.
fn loads() -> Does {
    Does::Repeats(vec![ldr(0, 4, 0)], 64)
}

/// The setups in which the core `core` does `does` and the other one sleeps or idles.
fn setups(core: usize, priority: u32, does: Does) -> [Setup; 2] {
    [Does::Sleeps, Does::Idles].map(|other| {
        let does = if core == 0 { [does.clone(), other] } else { [other, does.clone()] };
        Setup { priority, does, ..Setup::default() }
    })
}

#[test]
fn a_core_of_higher_priority_has_the_bank_ahead_of_the_dma() {
    for (core, own, others) in [(0, FIRST, SECOND), (1, SECOND, FIRST)] {
        for priority in [own, own | others] {
            for setup in setups(core, priority, loads()) {
                let (cycles, words) = setup.run(core);
                assert_eq!(cycles, 128, "core {core}: as long as alone");
                // 64 cycles are left, and each word needs two of them.
                assert!((31..=33).contains(&words), "core {core}, {priority:#x}: {words}");
            }
        }
        // Of the same priority the DMA has every cycle, and the core waits for one of its accesses.
        let both = READS_FIRST | WRITES_FIRST;
        for priority in [0, others, own | both, own | others | both] {
            for setup in setups(core, priority, loads()) {
                let (cycles, words) = setup.run(core);
                assert_eq!(cycles, 192, "core {core}, {priority:#x}");
                assert!((95..=97).contains(&words), "core {core}, {priority:#x}: {words}");
            }
        }
    }
}

#[test]
fn a_core_waits_for_all_of_the_accesses_of_a_dma_of_higher_priority() {
    for core in [0, 1] {
        for setup in setups(core, READS_FIRST | WRITES_FIRST, loads()) {
            let (cycles, words) = setup.run(core);
            // The first load waits for nearly all words, of which each has the bank for two cycles.
            let left = 2 * words;
            assert!(
                words > u64::from(WORDS) - 40 && (124..=131).contains(&(cycles - left)),
                "{core}: {cycles}, {words}"
            );
        }
        // Where only reads or only writes go first, it waits for one of these and no longer than for all that a word needs.
        for priority in [READS_FIRST, WRITES_FIRST] {
            for setup in setups(core, priority, loads()) {
                let (cycles, words) = setup.run(core);
                assert!(
                    (192..=64 * 4 + 2).contains(&cycles) && words.abs_diff(cycles / 2) <= 2,
                    "{core}: {cycles}, {words}"
                );
            }
        }
    }
}

#[test]
fn priorities_count_in_one_bank_alone() {
    for core in [0, 1] {
        for priority in [0, FIRST | SECOND, READS_FIRST | WRITES_FIRST] {
            let [setup, _] = setups(core, priority, loads());
            let (cycles, words) = Setup { offset: STRIPED, ..setup }.run(core);
            assert!(cycles == 128 && (63..=65).contains(&words), "{core}, {priority:#x}: {cycles}, {words}");
        }
    }
}

#[test]
fn a_core_that_goes_to_sleep_lets_nothing_come_late() {
    for pause in 0..48 {
        for setup in setups(1, SECOND, loads()) {
            let (cycles, _) = Setup { pause, ..setup }.run(1);
            assert_eq!(cycles, 128, "behind {pause} instructions");
        }
    }
}

#[test]
fn each_word_of_a_long_load_or_store_meets_the_dma() {
    // With words of another bank to go to, the DMA reads one in each cycle.
    for (core, count) in (0..2).flat_map(|core| (1..=8).map(move |count| (core, count))) {
        let list = (1 << count) - 1;
        let [setup, _] = setups(core, 0, Does::Repeats(vec![push(list), pop(list)], 6));
        let setup = Setup { to: ELSEWHERE, ..setup };
        let (alone, _) = Setup { words: 0, ..setup.clone() }.run(core);
        let (cycles, _) = setup.run(core);
        assert_eq!(cycles - alone, 6 * 2 * count, "core {core}, {count} words");
    }
}

#[test]
fn a_core_that_a_dma_without_end_keeps_from_its_bank_ends_no_run_late() {
    for (core, both) in [(0, false), (1, false), (0, true), (1, true)] {
        for setup in setups(core, READS_FIRST | WRITES_FIRST, loads()) {
            let does = if both { [loads(), loads()] } else { setup.does.clone() };
            let setup = Setup { words: ENDLESS, does, ..setup };
            let mut whole = setup.machine();
            whole.watch_only(&[Address::new(setup.code(core).1.start)]);
            assert!(matches!(whole.run(Cycles::new(200_000)), Stop::Watch(_)));
            whole.watch_only(&[]);
            let mut cut = whole.clone();
            let begun = whole.now().get();
            let looks = [9_000, 9_001, 9_500, 20_000, 60_000].map(|look| begun + look);
            let mut at = begun;
            for look in looks {
                while at < look {
                    at = look.min(at + 1 + at % 997);
                    assert_eq!(cut.run(Cycles::new(at)), Stop::Horizon);
                }
                assert_eq!(whole.run(Cycles::new(look)), Stop::Horizon);
                let state = |machine: &mut Machine| {
                    let cores = [0, 1].map(|core| {
                        machine.select_core(core);
                        let position = machine.position(core);
                        let registers = ["r0", "r1", "r4", "sp", "pc"].map(|name| machine.register(name));
                        (position.now, position.instructions, registers)
                    });
                    (cores, machine.memory().ram.bytes().to_vec())
                };
                assert!(state(&mut cut) == state(&mut whole), "core {core}, at {look}");
            }
            // Neither an earlier end nor a reset takes the clock back.
            let reached = whole.now();
            assert_eq!(whole.run(Cycles::new(begun + 10_000)), Stop::Horizon);
            assert_eq!(whole.now(), reached, "core {core}");
            let mut other = cut;
            other.reset("a pin");
            assert!(other.now() >= reached, "core {core}: {}", other.now());
        }
    }
}

#[test]
fn the_watchdog_ends_the_wait_for_a_dma_without_end() {
    for core in 0..2 {
        for setup in setups(core, READS_FIRST | WRITES_FIRST, loads()) {
            let [free, kept] = [0, ENDLESS].map(|words| {
                let mut machine = Setup { words, watchdog: 20_000, ..setup.clone() }.machine();
                let mut at = 0;
                while machine.resets() == 0 {
                    at += 100;
                    assert_eq!(machine.run(Cycles::new(at)), Stop::Horizon);
                    let now = machine.now().get();
                    assert!(at < 100_000 && now >= at, "core {core}, {words} words: {now}, not {at}");
                }
                at
            });
            assert_eq!(kept, free, "core {core}");
        }
    }
}

/// Pieces of code that use the bank, with the words that each moves.
fn pieces() -> impl Strategy<Value = Vec<(Vec<u16>, u64)>> {
    let piece = prop_oneof![
        3 => Just((vec![ldr(0, 4, 0)], 1)),
        2 => Just((vec![str(0, 4, 1)], 1)),
        1 => Just((vec![ldm(4, 0b1110), subs(4, 12)], 3)),
        1 => Just((vec![stm(4, 0b1110), subs(4, 12)], 3)),
        1 => Just((vec![push(0b1111), pop(0b1111)], 8)),
        // Another bank.
        1 => Just((vec![ldr(0, 5, 1)], 0)),
        2 => Just((vec![NOP], 0)),
        1 => Just((vec![adds(6, 1)], 0)),
    ];
    proptest::collection::vec(piece, 1..10)
}

fn joined(pieces: &[(Vec<u16>, u64)]) -> Vec<u16> {
    pieces.iter().flat_map(|(code, _)| code.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The core takes its own time, and the DMA has all cycles that it leaves.
    #[test]
    fn the_dma_has_the_cycles_that_a_core_of_higher_priority_leaves(
        pieces in pieces(), core in 0usize..2, idles: bool, others: bool, pause in 0usize..48,
    ) {
        let priority = [FIRST, SECOND][core] | if others { FIRST | SECOND } else { 0 };
        let does = Does::Repeats(joined(&pieces), 10);
        let setup = Setup { pause, ..setups(core, priority, does)[usize::from(idles)].clone() };
        let (cycles, words) = setup.run(core);
        let (alone, _) = Setup { words: 0, ..setup }.run(core);
        prop_assert_eq!(cycles, alone);
        let taken: u64 = 10 * pieces.iter().map(|(_, words)| words).sum::<u64>();
        let left = (cycles - taken).min(2 * u64::from(WORDS));
        // A second core that hardly pauses begins before the channel does.
        prop_assert!((2 * words).abs_diff(left) <= if pause < 8 { 20 } else { 4 }, "{} of {} cycles for {} words", left, cycles, words);
    }

    /// Both cores and the DMA in one bank, with any priorities: no cut, copy or observer changes anything.
    #[test]
    fn no_cut_changes_who_has_the_bank(
        one in pieces(), other in pieces(), bits in 0u32..16, sleeps: bool,
        cuts in proptest::collection::vec(1u64..60, 40..160), pause in 0usize..48,
    ) {
        let priority = [FIRST, SECOND, READS_FIRST, WRITES_FIRST].iter().enumerate()
            .filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, mask)| mask).sum();
        let second = if sleeps { Does::Sleeps } else { Does::Repeats(joined(&other), 12) };
        let does = [Does::Repeats(joined(&one), 12), second];
        let setup = Setup { priority, does, pause, ..Setup::default() };
        let (mut whole, mut cut, mut spare) = (setup.machine(), setup.machine(), setup.machine());
        let mut watched = setup.machine();
        // The boot program comes first.
        let begin = {
            let mut machine = setup.machine();
            machine.watch_only(&[Address::new(setup.code(0).1.start)]);
            machine.run(Cycles::new(200_000));
            machine.now().get()
        };
        let (mut at, mut retired) = (begin - 50, 0);
        for (number, step) in (0u32..).zip(&cuts) {
            at += step;
            cut.run(Cycles::new(at));
            match number % 5 {
                0 => cut = cut.clone(),
                1 => {
                    spare.restore(&cut);
                    std::mem::swap(&mut cut, &mut spare);
                }
                _ => {}
            }
        }
        let end = Cycles::new(at + 8_000);
        watched.run_into(end, &mut |_: cyclescope_machine::Retire| retired += 1);
        for machine in [&mut whole, &mut cut] {
            machine.run(end);
        }
        prop_assert_eq!(retired, watched.instructions().get());
        let state = |machine: &mut Machine| {
            let ram = machine.memory().ram.bytes().to_vec();
            let registers: Vec<Vec<Option<u32>>> = [0, 1].map(|core| {
                machine.select_core(core);
                ["r0", "r1", "r2", "r3", "r4", "r6", "sp", "pc"].map(|name| machine.register(name)).to_vec()
            }).to_vec();
            (machine.instructions(), registers, copied(machine), ram)
        };
        let expected = state(&mut whole);
        prop_assert_eq!(expected.2, u64::from(WORDS));
        prop_assert!(state(&mut cut) == expected, "cut");
        prop_assert!(state(&mut watched) == expected, "watched");
    }
}
