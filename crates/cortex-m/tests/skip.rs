//! Loops that change nothing, skipped: the same cycles, instructions and state of flash as with each turn carried out.

use crate::common;

use common::asm::*;
use common::v7::*;
use common::*;
use cyclescope_engine::laws::Program;
use cyclescope_machine::FlashTiming;

/// Flash with a prefetch buffer alone, and with caches of few lines and of many.
const FLASHES: [FlashTiming; 4] = [
    FlashTiming::IDEAL,
    FlashTiming { line_bytes: 8, wait_states: 2, prefetch: true, ..FlashTiming::IDEAL },
    FlashTiming { line_bytes: 8, wait_states: 1, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL },
    ART,
];

/// Makes a machine with this code.
type Load<'a> = dyn Fn(&[u16]) -> Machine + 'a;

/// Waits with `wait` until the handler has stored r2 where r1 points to, and goes on over lines of flash that the loop has not
/// touched.
fn waits(load: &Load<'_>, before: u16, wait: &[u16]) -> Machine {
    let turn = |wait: &[u16]| {
        let mut code = vec![NOP; usize::from(before)];
        code.extend(wait);
        // The flag is taken back, and is waited for again.
        code.extend([str(0, 1, 0), adds(5, 1)]);
        code.extend([NOP; 21]);
        code
    };
    let mut code = [turn(wait), turn(wait)].concat();
    code.push(b(-2 * i16::try_from(code.len()).expect("short") - 4));
    let mut machine = load(&code)
        .set(0, 0)
        .set(1, RAM + 0x140)
        .set(2, 1)
        .set(5, 0)
        .handler(IRQ0, &[str(2, 1, 0), BX_LR])
        .interrupt(0, 0);
    for at in [3_000, 4_111, 14_325, 26_006, 26_039, 39_999] {
        machine = machine.at(at, Action::Pulse(0));
    }
    machine
}

const END: u64 = 60_000;

#[test]
fn waiting_for_a_flag_is_skipped_exactly() {
    for flash in FLASHES {
        let m0 = |code: &[u16]| Machine::with_flash(flash, code);
        let m4 = |code: &[u16]| m4f_flash(flash, code);
        let loads: [&Load<'_>; 2] = [&m0, &m4];
        for load in loads {
            for before in 0..8 {
                for inside in 0..7_u16 {
                    // LDR, so many NOPs, ADDS r4, #0 for the flags, BEQ.
                    let mut wait = vec![ldr(4, 1, 0)];
                    wait.extend(vec![NOP; inside.into()]);
                    wait.extend([adds(4, 0), b_if(0, -2 * (inside as i16 + 2) - 4)]);
                    let make = || waits(load, before, &wait).into_parts();
                    let program = Program { make: &make, outcome: &state, end: END, watched: &[] };
                    let most = program.is_the_same_where_loops_are_skipped();
                    assert!(most > 10_000, "{flash:?}, {before} before, {inside} inside: {most} cycles skipped");
                }
            }
        }
    }
}

#[test]
fn a_loop_for_ever_is_skipped_and_obeys_the_laws() {
    for flash in FLASHES {
        let make = || m4f_flash(flash, &[movs(0, 1), NOP, SELF]).into_parts();
        let program = Program { make: &make, outcome: &state, end: END, watched: &[CODE] };
        let most = program.is_the_same_where_loops_are_skipped();
        assert!(most > END / 2, "{flash:?}: {most} cycles skipped");
    }
}

#[test]
fn what_counts_writes_or_reads_registers_is_not_skipped() {
    let loops: [&[u16]; 4] = [
        &[adds(4, 1), b(-6)],
        &[str(4, 1, 0), b(-6)],
        // SysTick's value, and the same masked so that nothing changes: it is the time all the same.
        &[ldr(4, 3, 0), b(-6)],
        &[ldr(4, 3, 0), movs(4, 0), b(-8)],
    ];
    for code in loops {
        let make = || Machine::new(code).set(1, RAM + 0x140).set(3, 0xE000_E018).into_parts();
        let program = Program { make: &make, outcome: &state, end: END, watched: &[] };
        assert_eq!(program.is_the_same_where_loops_are_skipped(), 0, "{code:x?}");
    }
}
