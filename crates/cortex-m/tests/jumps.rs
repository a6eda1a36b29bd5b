//! Blocks that go on past branches: the same cycles, accesses and rows as one instruction after the other.

use crate::common;

use common::asm::*;
use common::thumb2::{it, movw};
use common::v7::{ART, m3, m4f};
use common::*;
use cyclescope_machine::units::Address;
use cyclescope_machine::{FlashTiming, Stop};

const EQ: u16 = 0;
const NE: u16 = 1;
const ALWAYS: u16 = 14;
const LR: u16 = 14;

/// Two lines of 8 bytes with a wait state and prefetch, as in small parts; two wait states and prefetch alone; 64 lines of 16
/// bytes with five, as in large ones.
const FLASHES: [FlashTiming; 4] = [
    FlashTiming::IDEAL,
    FlashTiming { wait_states: 1, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL },
    FlashTiming { wait_states: 2, prefetch: true, ..FlashTiming::IDEAL },
    ART,
];

/// A loop that calls `function`, jumps to `target`, reads the clock in r6, and takes a branch forwards in each third turn.
fn turns(function: Vec<u16>, target: u16) -> Vec<u16> {
    code![
        adds(1, 1),
        bl(32), // to `function`
        b(2),   // to `target`
        udf(0),
        udf(0),
        target,
        ldr(2, 6, 0),
        subs(7, 1),
        b_if(EQ, 4), // to MOVS
        adds(4, 1),
        b_if(NE, -26),
        bkpt(0),
        movs(7, 3),
        adds(5, 1),
        b(-34),
        vec![udf(0); 3],
        function,
        bx(LR)
    ]
}

/// About to take its turns, with interrupts that come at odd times.
fn ready(mut machine: Machine) -> Machine {
    machine = machine.set(6, CLOCK).set(7, 3).interrupt(0, 0x40).handler(IRQ0, &code![ldr(0, 6, 0), bx(LR)]);
    (100..2000).step_by(67).fold(machine, |machine, cycle| machine.at(cycle, Action::Pulse(0)))
}

#[test]
fn turns_are_the_same_in_blocks_single_stepped_cut_and_watched() {
    const END: u64 = 2100;
    for flash in FLASHES {
        let machines = [
            Machine::new(&turns(code![adds(0, 1)], NOP)),
            // The call goes to a 32-bit instruction across a word boundary, the jump to an IT that has nothing to be folded
            // into.
            m3(&turns(code![movw(0, 5)], it(ALWAYS, 8))),
            m4f(&turns(code![movw(0, 5)], it(ALWAYS, 8))),
        ];
        for mut machine in machines.map(ready) {
            machine.bus.memory.set_flash_timing(flash);
            let mut whole = machine.clone();
            assert_eq!(whole.run(END), Stop::Horizon);
            assert!(whole.core.cpu().exceptions_taken > 20 && whole.r(5) > 5, "{}", whole.state());
            let mut traced = machine.clone();
            traced.trace(END);
            assert_eq!(traced.state(), whole.state());
            assert_eq!(traced.core.rows_used(), whole.core.rows_used());
            for step in [1, 7, 100] {
                let mut cut = machine.clone();
                for until in (0..END).step_by(step).chain([END]) {
                    cut.run(until);
                }
                assert_eq!(cut.state(), whole.state(), "cut every {step} cycles");
            }
            // Where a call, a jump and a branch forwards go, and what stands behind that branch.
            for offset in [38, 12, 26, 20] {
                let mut watched = machine.clone();
                watched.core.watch(Address::new(CODE + offset));
                let mut reports = 0;
                while let Stop::Watch(at) = watched.run(END) {
                    assert_eq!(at.get(), CODE + offset);
                    reports += 1;
                }
                assert!(reports > 5, "{offset}: {reports}");
                assert_eq!(watched.state(), whole.state(), "watched at {offset}");
            }
        }
    }
}

#[test]
fn a_register_is_seen_at_its_cycle_behind_jumps_and_branches() {
    let mut machine = Machine::new(&turns(code![adds(0, 1)], NOP)).set(6, CLOCK).set(7, 3);
    machine.run(75);
    // A turn: ADDS 1, BL 3, ADDS 1, BX 2, B 2, NOP 1, LDR 2 (its data phase in the second), SUBS 1, then BEQ 1, ADDS 1, BNE 2;
    // where BEQ is taken, it takes 2, MOVS 1, ADDS 1, B 2.
    let seen: Vec<u64> = machine.bus.peripherals.seen.iter().map(|seen| seen.at).collect();
    assert_eq!(seen, [11, 28, 45, 64]);
}

#[test]
fn rows_behind_a_branch_count_as_used_only_when_they_are_reached() {
    let rows = |value, traced| {
        let code = code![movs(0, value), b_if(EQ, 2), ldr(1, 6, 0), NOP, bkpt(0)];
        let mut machine = Machine::new(&code).set(6, RAM);
        if traced {
            machine.trace(100);
        } else {
            machine.run(100);
        }
        machine.core.rows_used()
    };
    assert_eq!(rows(0, false), rows(0, true), "taken");
    assert_eq!(rows(1, false), rows(1, true), "not taken");
    assert_ne!(rows(0, false), rows(1, false));
}
