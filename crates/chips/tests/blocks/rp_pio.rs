//! RP2040: programmable I/O (RP-008371-DS, PIO), in exact cycles of the system clock.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{GapKind, Pin};

use crate::bench::Bench;
use crate::robustness::Random;

const RESETS: u32 = 0x4000_C000;
const IO_BANK0: u32 = 0x4001_4000;
pub const PIO0: u32 = 0x5020_0000;
const PIO1: u32 = 0x5030_0000;
pub const CTRL: u32 = PIO0;
const FSTAT: u32 = PIO0 + 0x04;
const FDEBUG: u32 = PIO0 + 0x08;
const FLEVEL: u32 = PIO0 + 0x0C;
pub const TXF0: u32 = PIO0 + 0x10;
pub const RXF0: u32 = PIO0 + 0x20;
const IRQ: u32 = PIO0 + 0x30;
const IRQ_FORCE: u32 = PIO0 + 0x34;
const INPUT_SYNC_BYPASS: u32 = PIO0 + 0x38;
const DBG_PADOUT: u32 = PIO0 + 0x3C;
const DBG_PADOE: u32 = PIO0 + 0x40;
const DBG_CFGINFO: u32 = PIO0 + 0x44;
const INSTR_MEM: u32 = PIO0 + 0x48;
const SM0: u32 = PIO0 + 0xC8;
const CLKDIV: u32 = 0x00;
const EXECCTRL: u32 = 0x04;
pub const SHIFTCTRL: u32 = 0x08;
const ADDR: u32 = 0x0C;
const INSTR: u32 = 0x10;
const PINCTRL: u32 = 0x14;
const IRQ0_INTE: u32 = PIO0 + 0x12C;
const IRQ0_INTF: u32 = PIO0 + 0x130;
const IRQ0_INTS: u32 = PIO0 + 0x134;
const LINE: usize = 7;

/// The register `register` of a state machine.
pub const fn sm(machine: u32, register: u32) -> u32 {
    SM0 + 0x18 * machine + register
}

/// The further address of a register at which bits are set.
const fn set(address: u32) -> u32 {
    address + 0x2000
}

/// The part with all blocks out of reset, at a round cycle.
pub fn part() -> Bench {
    let mut bench = Bench::of("rp2040", MemorySetting::Shipped);
    bench.write(RESETS, 0);
    bench.pass(100);
    bench
}

/// Gives `pin` to PIO0.
fn give(bench: &mut Bench, pin: u32) {
    bench.write(IO_BANK0 + 8 * pin + 4, 6);
}

/// Loads `program` at 0, which wraps at its end.
pub fn load(bench: &mut Bench, machine: u32, program: &[u16]) {
    for (place, word) in (0..).zip(program) {
        bench.write(INSTR_MEM + 4 * place, u32::from(*word));
    }
    bench.write(sm(machine, EXECCTRL), (program.len() as u32 - 1) << 12);
}

/// The cycles from `bench.now` on at which the pads are first seen to change, by reading in each of `cycles`.
fn pads(bench: &mut Bench, cycles: u64) -> Vec<(u64, u32)> {
    let start = bench.now;
    let mut before = bench.read(DBG_PADOUT);
    (0..cycles)
        .filter_map(|_| {
            bench.pass(1);
            let now = bench.read(DBG_PADOUT);
            (std::mem::replace(&mut before, now) != now).then_some((bench.now - start, now))
        })
        .collect()
}

#[test]
fn a_square_wave_takes_two_cycles_and_reaches_its_pin() {
    let mut bench = part();
    give(&mut bench, 3);
    // set pins, 1; set pins, 0.
    load(&mut bench, 0, &[0xE001, 0xE000]);
    bench.write(sm(0, PINCTRL), 1 << 26 | 3 << 5);
    // set pindirs, 1, before the machine runs.
    bench.write(sm(0, INSTR), 0xE081);
    bench.pass(10);
    assert_eq!((bench.read(DBG_PADOE), bench.read(DBG_PADOUT)), (8, 0));
    bench.write(CTRL, 1);
    let start = bench.now;
    bench.pass(7);
    // The first instruction ends in the cycle after the write, and its level is out one later.
    let edges: Vec<_> = bench.edges(Pin::GPIO, 3).iter().map(|(at, high)| (at - start, *high)).collect();
    assert_eq!(edges, [(2, true), (3, false), (4, true), (5, false), (6, true), (7, false)]);
    bench.write(CTRL, 0);
    bench.pass(10);
    assert_eq!(bench.edges(Pin::GPIO, 3).len(), 1, "the level that was on its way");
}

#[test]
fn fractions_lengthen_periods_and_restarts_begin_them_anew() {
    let mut bench = part();
    load(&mut bench, 0, &[0xE001, 0xE000]);
    bench.write(sm(0, PINCTRL), 1 << 26);
    bench.write(sm(0, CLKDIV), 2 << 16 | 0x80 << 8);
    bench.write(CTRL, 0x101);
    let at: Vec<u64> = pads(&mut bench, 20).iter().map(|(at, _)| *at).collect();
    assert_eq!(at, [2, 4, 6, 9, 11, 14, 16, 19]);
    // The divider runs on while the machine is off.
    bench.write(CTRL, 0);
    bench.pass(100);
    bench.write(CTRL, 1);
    let pulses: Vec<u64> = pads(&mut bench, 12).iter().map(|(at, _)| (at + 120 - 1) % 5).collect();
    assert_eq!(pulses, [3, 0, 3, 0], "as before");
}

#[test]
fn side_set_comes_at_once_and_delay_behind_a_stall() {
    let mut bench = part();
    // pull block side 1 [2]; nop side 0: two side-set bits of which one enables.
    let program = [0x80A0 | 0x1A00, 0xA042 | 0x1000];
    load(&mut bench, 0, &program);
    bench.write(sm(0, EXECCTRL), 1 << 30 | 1 << 12);
    bench.write(sm(0, PINCTRL), 2 << 29 | 5 << 10);
    bench.write(CTRL, 1);
    assert_eq!(pads(&mut bench, 50), [(2, 32)]);
    assert_eq!(bench.read(FDEBUG), 1 << 24, "the machine 0 has stalled on its empty FIFO");
    bench.write(TXF0, 7);
    // The pull ends in the cycle after, has two cycles of delay, and the next instruction clears the pin.
    assert_eq!(pads(&mut bench, 50), [(5, 0), (6, 32)]);
}

#[test]
fn a_machine_that_stalls_holds_its_side_set() {
    let mut bench = part();
    // pull block side 1, at a third of the clock; the machine 0 writes the same pin, by force.
    load(&mut bench, 1, &[0x80A0 | 0x1000]);
    bench.write(sm(1, PINCTRL), 1 << 29);
    bench.write(sm(0, PINCTRL), 1 << 26);
    bench.write(sm(1, CLKDIV), 3 << 16);
    bench.write(CTRL, 1 << 9 | 2);
    assert_eq!(pads(&mut bench, 28), [(2, 1)], "its steps are 1, 4, 7, …");
    bench.write(sm(0, INSTR), 0xE000);
    assert_eq!(pads(&mut bench, 9), [(2, 0), (4, 1)], "SET at 29, its step at 31");
    // 37: in the cycle of a step of the higher machine.
    bench.pass(2);
    bench.write(sm(0, INSTR), 0xE000);
    assert_eq!(pads(&mut bench, 20), []);
}

#[test]
fn fifos_tell_their_levels_and_what_went_wrong() {
    let mut bench = part();
    assert_eq!((bench.read(FSTAT), bench.read(DBG_CFGINFO)), (0x0F00_0F00, 32 << 16 | 4 << 8 | 4));
    for word in 0..5 {
        bench.write(TXF0 + 4, word);
    }
    assert_eq!((bench.read(FLEVEL), bench.read(FDEBUG)), (4 << 8, 1 << 17));
    assert_eq!(bench.read(FSTAT), 0x0D02_0F00);
    bench.write(sm(1, SHIFTCTRL), 1 << 30);
    assert_eq!((bench.read(FLEVEL), bench.read(FSTAT)), (0, 0x0F00_0F02), "emptied, and its RX FIFO is both");
    for word in 0..9 {
        bench.write(TXF0 + 4, word);
    }
    assert_eq!(bench.read(FLEVEL), 8 << 8);
    bench.read(RXF0 + 12);
    assert_eq!(bench.read(FDEBUG), 1 << 17 | 1 << 11);
    bench.write(FDEBUG, 1 << 17);
    assert_eq!(bench.read(FDEBUG), 1 << 11);
}

#[test]
fn autopush_and_autopull_move_words_by_themselves() {
    let mut bench = part();
    // out x, 8; in x, 8 over shift registers of 16 bits.
    load(&mut bench, 0, &[0x6028, 0x4028]);
    bench.write(sm(0, SHIFTCTRL), 16 << 25 | 16 << 20 | 3 << 18 | 3 << 16);
    bench.write(CTRL, 1);
    bench.pass(10);
    assert_eq!(bench.read(FDEBUG), 1 << 24);
    for word in [0x1234_5678, 0xAABB_CCDD, 0x0102_0304] {
        bench.write(TXF0, word);
    }
    bench.pass(3);
    // The refill has its own cycle, then OUT, IN.
    assert_eq!(bench.read(FLEVEL), 2);
    bench.pass(20);
    assert_eq!(bench.read(FLEVEL), 3 << 4);
    assert_eq!([(); 3].map(|()| bench.read(RXF0)), [0x5678_0000, 0xCCDD_0000, 0x0304_0000]);
    for _ in 0..6 {
        bench.write(TXF0, 0xFFFF);
        bench.pass(20);
    }
    assert_eq!(bench.read(FLEVEL) & 0xF0, 0x40);
    assert_eq!(bench.read(FDEBUG) & 1, 1, "IN waits for room");
    bench.read(RXF0);
    bench.pass(2);
    assert_eq!(bench.read(FLEVEL) & 0xF0, 0x40, "and goes on");
}

#[test]
fn instructions_from_fifos_and_registers_are_carried_out() {
    let mut bench = part();
    // jmp 0; pull block; out exec, 16.
    load(&mut bench, 0, &[0x0000, 0x80A0, 0x60F0]);
    bench.write(sm(0, PINCTRL), 5 << 26);
    bench.write(CTRL, 1);
    bench.pass(10);
    assert_eq!(bench.read(sm(0, ADDR)), 0);
    // jmp 1, by force.
    bench.write(sm(0, INSTR), 0x0001);
    bench.pass(1);
    assert_eq!(bench.read(sm(0, ADDR)), 1);
    // set pins, 21 [3].
    bench.write(TXF0, 0xE300 | 21);
    // pull, out exec, the executee, its level.
    assert_eq!(pads(&mut bench, 20), [(4, 21)]);
    assert_eq!(bench.read(sm(0, ADDR)), 0, "it went on behind its OUT");
    // A forced WAIT stalls, on a machine that is off too; a NOP takes it back.
    bench.write(CTRL, 0);
    bench.write(sm(0, INSTR), 0x20C3);
    bench.pass(10);
    assert_eq!(bench.read(sm(0, EXECCTRL)) >> 31, 1);
    bench.write(IRQ_FORCE, 1 << 3);
    bench.pass(1);
    assert_eq!((bench.read(sm(0, EXECCTRL)) >> 31, bench.read(IRQ)), (0, 0), "WAIT 1 IRQ clears its flag");
    bench.write(sm(0, INSTR), 0x20C3);
    bench.pass(2);
    bench.write(sm(0, INSTR), 0xA042);
    bench.pass(2);
    assert_eq!(bench.read(sm(0, EXECCTRL)) >> 31, 0);
}

#[test]
fn flags_reach_machines_and_the_core() {
    let mut bench = part();
    // Machine 1: irq wait 0 rel (flag 1), then set x, 3; machine 2: wait 1 irq 1, then jmp 3.
    load(&mut bench, 1, &[0xC030, 0xE023, 0x20C1, 0x0003]);
    bench.write(sm(2, INSTR), 0x0002);
    bench.pass(2);
    bench.write(IRQ0_INTE, 1 << 9);
    bench.write(CTRL, 2);
    let start = bench.now;
    assert_eq!(bench.until_line(LINE, 100), Some(start + 1));
    assert_eq!((bench.read(IRQ0_INTS), bench.read(IRQ)), (1 << 9, 2));
    bench.pass(20);
    assert_eq!(bench.read(sm(1, ADDR)), 0, "it waits");
    bench.write(set(CTRL), 4);
    bench.pass(1);
    assert_eq!((bench.read(IRQ), bench.read(sm(1, ADDR)), bench.read(sm(2, ADDR))), (0, 0, 3));
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    bench.pass(1);
    assert_eq!(bench.read(sm(1, ADDR)), 1, "it sees the flag fall a cycle later");
    bench.write(IRQ0_INTF, 1);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
}

#[test]
fn inputs_come_two_cycles_late_unless_bypassed() {
    for (bypass, late) in [(0, 2), (1 << 4, 0)] {
        let mut bench = part();
        // wait 1 pin 0; set pins, 1: the input is GPIO4.
        load(&mut bench, 0, &[0x20A0, 0xE001, 0x0002]);
        bench.write(sm(0, PINCTRL), 4 << 15 | 1 << 26);
        bench.write(INPUT_SYNC_BYPASS, bypass);
        bench.write(CTRL, 1);
        bench.pass(50);
        bench.set_pin(10, Pin::GPIO, 4, Some(true));
        // The level is there from 10 on; WAIT ends in the cycle after that in which the machine sees it, then SET, and its level.
        assert_eq!(pads(&mut bench, 40), [(10 + 1 + late + 1 + 1, 1)], "{bypass}");
    }
}

#[test]
fn the_highest_machine_has_a_pin_and_what_is_sticky_is_asserted_again() {
    let mut bench = part();
    // set pins, 1; jmp 1. set pins, 0; jmp 3.
    load(&mut bench, 0, &[0xE001, 0x0001, 0xE000, 0x0003]);
    for machine in 0..4 {
        bench.write(sm(machine, PINCTRL), 1 << 26);
    }
    bench.write(sm(2, INSTR), 0x0002);
    bench.pass(2);
    bench.write(CTRL, 5);
    assert_eq!(pads(&mut bench, 10), [], "the machine 2 wrote 0 in the same cycle");
    bench.write(sm(0, INSTR), 0xE001);
    assert_eq!(pads(&mut bench, 10), [(2, 1)]);
    // Sticky on machine 2: its 0 comes back a cycle later.
    bench.write(sm(2, EXECCTRL), 1 << 17 | 31 << 12);
    bench.write(sm(2, INSTR), 0xE000);
    assert_eq!(pads(&mut bench, 10), [(2, 0)]);
    bench.write(sm(3, INSTR), 0xE001);
    assert_eq!(pads(&mut bench, 10), [(2, 1), (3, 0)]);
    // Inline enable of an OUT that has it clear gives the pin up.
    bench.write(sm(2, EXECCTRL), 1 << 17 | 1 << 18 | 1 << 19 | 31 << 12);
    bench.write(sm(2, INSTR), 0x6002);
    bench.pass(2);
    bench.write(sm(3, INSTR), 0xE001);
    assert_eq!(pads(&mut bench, 10), [(2, 1)]);
}

#[test]
fn a_pin_is_no_ones_while_its_direction_is_input() {
    let mut bench = part();
    give(&mut bench, 7);
    bench.write(sm(0, PINCTRL), 7 << 5 | 1 << 26);
    bench.set_pin(1, Pin::GPIO, 7, Some(true));
    bench.pass(5);
    for (word, level) in [(0xE000u32, 1 << 7), (0xE081, 0), (0xE080, 1 << 7)] {
        bench.write(sm(0, INSTR), word);
        bench.pass(5);
        assert_eq!(bench.read(0xD000_0004) & 1 << 7, level, "{word:#x}");
    }
    bench.write(sm(0, INSTR), 0xE081);
    bench.pass(5);
    bench.write(RESETS + 0x2000, 1 << 10);
    bench.pass(5);
    assert_eq!(bench.read(0xD000_0004) & 1 << 7, 1 << 7, "a reset lets it go");
}

#[test]
fn machines_that_stall_or_are_off_cost_nothing() {
    let mut bench = part();
    // pull block; out pins, 1; jmp 1.
    load(&mut bench, 0, &[0x80A0, 0x6001, 0x0001]);
    bench.write(CTRL, 0xF);
    bench.pass(10);
    let taken = bench.bus.shared.events.taken();
    bench.pass(1_000_000_000);
    assert_eq!(bench.bus.shared.events.taken(), taken);
    // A machine that polls a pin: an event each 256 steps.
    load(&mut bench, 0, &[0x00C1, 0x0000]);
    bench.write(CTRL, 0);
    bench.write(sm(1, INSTR), 0x0000);
    bench.pass(10);
    bench.write(CTRL, 2);
    let taken = bench.bus.shared.events.taken();
    bench.pass(256_000);
    assert!((900..1100).contains(&(bench.bus.shared.events.taken() - taken)));
}

/// A random write to PIO0, or to TXF and INSTR more often.
fn random_write(random: &mut Random, bench: &mut Bench) {
    let address = match random.of(6) {
        0 => TXF0 + 4 * random.of(4) as u32,
        1 => sm(random.of(4) as u32, INSTR),
        2 => INSTR_MEM + 4 * random.of(32) as u32,
        3 => CTRL,
        _ => PIO0 + 4 * random.of(0x51) as u32,
    };
    let value = match random.of(3) {
        0 => random.next() as u32,
        1 => random.next() as u32 & 0xFF,
        // Short dividers and all pins.
        _ => random.next() as u32 & 0x1F3F_FFFF | 1 << 20,
    };
    bench.write(address + [0, 0, 0x1000, 0x2000, 0x3000][random.of(5) as usize], value);
}

#[test]
fn hostile_writes_neither_panic_nor_hang_and_cuts_change_nothing() {
    for seed in 1..=4u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = part();
        (0..30).for_each(|pin| give(&mut bench, pin));
        for _ in 0..300 {
            random_write(&mut random, &mut bench);
            if random.of(4) == 0 {
                bench.set_pin(random.of(30), Pin::GPIO, random.of(30) as u8, Some(random.of(2) == 0));
            }
            let span = [1, 3, 40, 700][random.of(4) as usize];
            // One goes at once, the other in steps with registers read in between, a third is a copy made on the way.
            let mut stepped = bench.clone();
            bench.pass(span);
            for step in 0..span {
                stepped.pass(1);
                for offset in [0x04, 0x08, 0x0C, 0x30, 0x3C, 0x40, 0xD4] {
                    let _ = stepped.read(PIO0 + offset);
                }
                if step == span / 2 {
                    stepped = stepped.clone();
                }
            }
            for offset in (0x00..0x144).step_by(4).filter(|offset| !(0x10..0x30).contains(offset)) {
                assert_eq!(bench.read(PIO0 + offset), stepped.read(PIO0 + offset), "{seed} {offset:#x}");
            }
            let edges = |bench: &mut Bench| (0..30).map(|pin| bench.clone().edges(Pin::GPIO, pin)).collect::<Vec<_>>();
            assert_eq!(edges(&mut bench), edges(&mut stepped));
            bench.bus.shared.signals.drain().for_each(drop);
        }
        let taken = bench.bus.shared.events.taken();
        bench.pass(20_000);
        assert!(bench.bus.shared.events.taken() - taken < 70_000, "at most an event a cycle and block");
    }
}

#[test]
fn no_register_of_it_is_a_gap() {
    let mut bench = part();
    for base in [PIO0, PIO1] {
        for offset in (0..0x144).step_by(4) {
            bench.read(base + offset);
            bench.write(base + offset, 0);
        }
    }
    assert_eq!(bench.gaps(GapKind::RegisterRead), Vec::<&str>::new());
    assert_eq!(bench.gaps(GapKind::RegisterWrite), Vec::<&str>::new());
}
