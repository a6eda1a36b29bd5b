//! Compiled code on flash that waits leaves the same behind as the interpreter, wherever it is cut.

use std::sync::{Arc, Mutex};

use cyclescope_compile::{Compiled, NoteTaker, Notes, Settings};
use cyclescope_cortex_m::decode::Architecture;
use cyclescope_machine::{FlashTiming, Placement};

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::configured;
use common::*;

const LOOP: FlashTiming = FlashTiming { prefetch: true, ..FlashTiming::IDEAL };
const TIMINGS: [FlashTiming; 7] = [
    FlashTiming { wait_states: 1, instruction_lines: 2, ..LOOP },
    FlashTiming { wait_states: 3, prefetch: false, ..LOOP },
    FlashTiming { wait_states: 2, ..LOOP },
    FlashTiming { wait_states: 5, line_bytes: 16, instruction_lines: 64, data_lines: 8, ..LOOP },
    FlashTiming { wait_states: 4, line_bytes: 16, instruction_lines: 32, data_lines: 2, ..LOOP },
    // Too few lines for the loop: what is evicted depends on what was used last.
    FlashTiming { wait_states: 3, instruction_lines: 7, data_lines: 1, ..LOOP },
    FlashTiming { wait_states: 2, line_bytes: 4, shared_sets: 16, instruction_lines: 0, ..LOOP },
];

/// A loop of Armv6-M: the bits of r7, a number at random, decide which ways are taken, past a constant in flash, memory, a call, and a
/// device.
fn small() -> Vec<u16> {
    code![
        // 0: r7 = r7 * 69069 + 1
        ldr_literal(3, 13),
        muls(7, 3),
        adds(7, 1),
        // 6: by bit 30.
        lsls(4, 7, 2),
        b_if(CC, 0),
        adds(5, 3),
        NOP,
        // 14
        bl(16),
        str(7, 1, 2),
        ldr(4, 1, 2),
        lsls(4, 4, 5),
        // 24: by bit 27.
        b_if(CS, -28),
        str(7, 2, 4),
        b(-32),
        vec![NOP; 2],
        // 34: a function.
        push(0x110),
        adds(6, 7),
        ldrh(4, 1, 4),
        lsrs(4, 4, 4),
        strh(4, 1, 6),
        pop(0x110),
        vec![NOP; 5],
        // 56
        0x0DCD,
        0x0001
    ]
}

fn muls(rdm: u16, rn: u16) -> u16 {
    0x4340 | rn << 3 | rdm
}

fn lsls(rd: u16, rm: u16, by: u16) -> u16 {
    by << 6 | rm << 3 | rd
}

fn lsrs(rd: u16, rm: u16, by: u16) -> u16 {
    0x0800 | by << 6 | rm << 3 | rd
}

const CC: u16 = 3;
const CS: u16 = 2;

/// Data in flash.
const DATA: u32 = CODE + 0x200;

/// The same with what Armv7-M has: a quotient that takes two to twelve cycles, guards that save cycles, a branch by a table.
fn large() -> Vec<u16> {
    code![
        ldr_literal(3, 12),
        muls(7, 3),
        adds(7, 1),
        lsrs(4, 7, 20),
        udiv(5, 7, 4),
        // 12: if bit 30, accesses that take longer than what is skipped.
        lsls(4, 7, 2),
        it(CS, 0b0100),
        ldr(4, 1, 2),
        str(7, 1, 3),
        // 20: one of four ways.
        lsrs(4, 7, 29),
        lsrs(4, 4, 1),
        tbb(15, 4),
        0x0402,
        0x0806,
        // 32, 36, 40 and 44.
        adds(6, 1),
        b(-38),
        adds(6, 2),
        b(-42),
        str(7, 2, 4),
        b(-46),
        stm(0, 0b1100_0000),
        b(26),
        vec![NOP; 2],
        // 52
        0x0DCD,
        0x0001,
        vec![NOP; 10],
        // 76: a product whose cycles depend on its factors, and a load that is not lowered, from flash.
        subs(0, 8),
        umull(4, 5, 7, 3),
        ldrt(5, 8),
        b(-90)
    ]
}

/// With r0 to r2 at places in RAM and at the device.
fn set_up(machine: Machine) -> Machine {
    let machine = machine.set(0, RAM + 0x300).set(1, RAM + 0x100).set(2, WORDS).set(7, 1).set(8, DATA);
    let machine = machine.handler(IRQ0, &code![ldr(3, 1, 0), adds(3, 1), str(3, 1, 0), BX_LR]);
    (0..40)
        .fold(machine.interrupt(0, 0x80), |machine, number| machine.at(2_000 + number * 977 % 9_000, Action::Pulse(0)))
}

/// Runs `machine` both ways, cut after `cut` cycles at most; what was carried out compiled.
fn compare(name: &str, machine: &Machine, settings: Settings, cut: u64) -> Notes {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let (mut plain, mut compiled) = (machine.clone(), machine.clone());
    compiled.core.set_tier(Some(Box::new(Compiled::noting(settings, NoteTaker::new(Arc::clone(&notes))))));
    let mut until = 0;
    for number in 0..(300_000 / cut).max(60) {
        until += 1 + number * 977 % cut;
        let stops = (plain.run(until), compiled.run(until));
        assert_eq!(stops.0, stops.1, "{name}, up to {until}");
        assert_eq!(compiled.state(), plain.state(), "{name}, up to {until}");
        assert_eq!(compiled.core.cpu().rows, plain.core.cpu().rows, "{name}, up to {until}: the rows used");
        if number % 47 == 46 {
            // A copy has numbers of its own for the states of flash.
            (plain, compiled) = (plain.clone(), compiled.clone());
        }
    }
    notes.lock().expect("nobody panics").clone()
}

#[test]
fn compiled_code_on_flash_that_waits_can_be_cut_anywhere() {
    let often = Settings { period: 6, most_blocks: 40, missed: 300, ..Settings::ALL };
    for timing in TIMINGS {
        for (name, machine, ran) in [
            ("Cortex-M0+", Machine::configured(config(), timing, &small()), ["LdrImm", "StrImm", "Bcs"]),
            (
                "Cortex-M3",
                Machine::configured(configured(Architecture::Armv7M), timing, &large()),
                ["Udiv", "Guard", "StrImm"],
            ),
            (
                "Cortex-M4F",
                Machine::configured(configured(Architecture::Armv7EMF), timing, &large()),
                ["Udiv", "Guard", "StrImm"],
            ),
        ] {
            let name = format!("{name}, {timing:?}");
            let notes = compare(&name, &set_up(machine.clone()), often, 487);
            assert!(ran.iter().all(|operation| notes.carried_out.contains(*operation)), "{name}: {notes:?}");
            compare(&name, &set_up(machine), Settings { period: 3, ..Settings::ALL }, 487);
        }
    }
}

#[test]
fn constants_are_asked_for_where_they_are_placed() {
    let often = Settings { period: 6, most_blocks: 40, missed: 300, ..Settings::ALL };
    for timing in TIMINGS {
        let mut machine = set_up(Machine::configured(configured(Architecture::Armv7M), timing, &large()));
        // The constant at 52 and the data change places, so that the one is cached where the other seems to be.
        let constant = CODE + 48..CODE + 56;
        let stretches = [(constant.clone(), DATA), (DATA..DATA + 8, constant.start)];
        machine.bus.memory.place(Some(Arc::new(Placement::new(stretches))));
        compare(&format!("placed, {timing:?}"), &machine, often, 487);
    }
}

#[test]
fn compiled_code_leaves_flash_as_the_interpreter_leaves_it() {
    let often = Settings { period: 6, most_blocks: 40, missed: 300, ..Settings::ALL };
    let mut compared = 0;
    for timing in TIMINGS {
        for (config, code) in [(config(), small()), (configured(Architecture::Armv7EMF), large())] {
            let mut plain = set_up(Machine::configured(config, timing, &code));
            plain.run(20_000);
            let mut compiled = plain.clone();
            compiled.core.set_tier(Some(Box::new(Compiled::new(often))));
            let mut until = 20_000;
            for number in 0..400 {
                until += 1 + number * 7 % 487;
                plain.run(until);
                compiled.run(until);
                // Apart, so that it changes nothing about what comes; until lines are cached that were not, their numbers are the same.
                let [ours, theirs] = [&plain, &compiled].map(|machine| {
                    let mut interface = machine.bus.memory.flash.interface().clone();
                    interface.phase(machine.now())
                });
                let same = ours == theirs;
                compared += u32::from(same);
                let changes = timing.instruction_lines == 7 || timing.shared_sets > 0 || timing.data_lines == 1;
                assert!(same || changes, "{timing:?}, up to {until}: {theirs:?} is not {ours:?}");
            }
        }
    }
    assert!(compared > 4_000, "{compared} states of flash");
}

/// A loop of loads that turn from one RAM to another, with a quotient behind them.
fn turning() -> Vec<u16> {
    code![ldr(4, 1, 0), ldr(5, 0, 0), ldrh(6, 1, 0), adds(7, 3), udiv(6, 7, 2), b(-16)]
}

#[test]
fn loads_that_turn_to_another_ram_wait_in_compiled_code_too() {
    let often = Settings { period: 6, most_blocks: 40, ..Settings::ALL };
    for timing in [FlashTiming::IDEAL, TIMINGS[3]] {
        let mut machine = Machine::configured(configured(Architecture::Armv7EMF), timing, &turning());
        machine.bus.memory.split_ram(&[0x200]);
        let machine = set_up(machine).set(2, 3);
        let notes = compare("two RAMs", &machine, often, 9_000);
        assert!(notes.carried_out.contains("Udiv"), "{timing:?}: {notes:?}");
        let (mut one, mut two) = (machine.clone(), machine);
        one.bus.memory.split_ram(&[]);
        one.run(10_000);
        two.run(10_000);
        assert!(one.core.cpu().instructions > two.core.cpu().instructions, "they wait");
    }
}

#[test]
fn a_region_that_gives_up_again_and_again_is_made_anew_and_goes_on_by_the_body_there() {
    for timing in [FlashTiming::IDEAL, TIMINGS[3]] {
        let mut machine = Machine::configured(configured(Architecture::Armv7EMF), timing, &turning());
        machine.bus.memory.split_ram(&[0x100, 0x200, 0x300, 0x400, 0x500]);
        // None of the RAMs that a region looks for.
        let machine = machine.set(0, RAM + 0x300).set(1, RAM + 0x40).set(2, 3);
        let often = Settings { period: 6, most_blocks: 40, patience: 1 << 30, ..Settings::ALL };
        let [anew, once] =
            [2_000, i64::MAX].map(|most_loss| compare("six RAMs", &machine, Settings { most_loss, ..often }, 9_000));
        let told = format!("{timing:?}: with regions made anew {anew:?}, without {once:?}");
        assert!(4 * anew.entered < once.entered, "{told}");
        // On flash that waits its state is another one behind such a body, and the region is left there.
        if timing == FlashTiming::IDEAL {
            assert!(anew.instructions * once.entered > 10 * once.instructions * anew.entered, "{told}");
        }
    }
}
