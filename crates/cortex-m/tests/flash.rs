//! Flash wait states, prefetch and cache as the core meets them: hand-computed sequences.
//!
//! Lines of 8 bytes hold four 16-bit instructions. With W wait states a line that is not at hand stalls for W cycles on
//! top of the instruction's own; what of this is assumption, docs/timing.md says. The Cortex-M0+ fetches the word behind an
//! instruction while it executes that, and waits for it; fetches of Cortex-M3 and M4 go on beside execution.

use crate::common;

use common::asm::*;
use common::thumb2::{it, ldm_w, ldr_w, ldrd, vldr};
use common::v7::{ART, m3, m4f, m4f_flash};
use common::*;
use cyclescope_engine::laws::Program;
use cyclescope_machine::{FlashTiming, Stop};

const EQ: u16 = 0;

fn flash(wait_states: u32, prefetch: bool, instruction_lines: usize) -> FlashTiming {
    FlashTiming { wait_states, prefetch, instruction_lines, ..FlashTiming::IDEAL }
}

/// Runs `machine` traced, in blocks and cut at every cycle: each instruction takes its cycles in `expected`.
fn check(name: &str, machine: &Machine, expected: &[u64]) {
    let (retired, stop) = machine.clone().trace(10_000);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{name}: {stop:?}");
    let cycles: Vec<u64> = retired.iter().map(|retire| retire.cycles.get()).collect();
    assert_eq!(cycles, expected, "{name}");
    let mut whole = machine.clone();
    whole.run(10_000);
    let mut cut = machine.clone();
    let mut until = 0;
    while cut.run(until) == Stop::Horizon {
        until += 1;
    }
    let mut traced = machine.clone();
    traced.trace(10_000);
    assert_eq!(whole.state(), traced.state(), "{name}: in blocks");
    assert_eq!(whole.now(), expected.iter().sum::<u64>(), "{name}: in blocks");
    assert_eq!(whole.state(), cut.state(), "{name}: cut at every cycle");
}

#[test]
fn straight_code_without_prefetch_waits_at_every_line() {
    let code = code![vec![NOP; 9], bkpt(0)];
    check("ideal", &Machine::with_flash(flash(0, false, 0), &code), &[1; 10]);
    // The third instruction of a line begins its last word, and the next line's first is fetched.
    check("one", &Machine::with_flash(flash(1, false, 0), &code), &[2, 1, 2, 1, 1, 1, 2, 1, 1, 1]);
    check("two", &Machine::with_flash(flash(2, false, 0), &code), &[3, 1, 3, 1, 1, 1, 3, 1, 1, 1]);
}

#[test]
fn prefetch_hides_the_wait_of_straight_code() {
    let code = code![vec![NOP; 9], bkpt(0)];
    check("one", &Machine::with_flash(flash(1, true, 0), &code), &[2, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    // Four wait states: line 0 is asked for two cycles before its first instruction would begin at 0, which then begins at
    // 4; the read ahead from 3 on is there at 7, the core asks at 6. So again: line 2 is read from 8 on and there at 12; the
    // core, one late, asks at 11.
    check("four", &Machine::with_flash(flash(4, true, 0), &code), &[5, 1, 2, 1, 1, 1, 2, 1, 1, 1]);
    // Six: asked for at 8, read from 5 to 11, so three late.
    check("six", &Machine::with_flash(flash(6, true, 0), &code), &[7, 1, 4, 1, 1, 1, 4, 1, 1, 1]);
}

/// `MOVS r1, #3`, then a loop of two lines: NOP × 3, SUBS, NOP × 3, BNE back.
fn two_line_loop() -> Vec<u16> {
    code![NOP, NOP, NOP, movs(1, 3), NOP, NOP, NOP, subs(1, 1), NOP, NOP, NOP, b_if(1, -18), bkpt(0)]
}

#[test]
fn a_loop_pays_for_its_lines_each_time_round_unless_they_are_cached() {
    let code = two_line_loop();
    // Without prefetch or cache: lines A, then (B, C) three times. Each time D is fetched beside the NOP before BNE, and at
    // last used.
    let mut expected = vec![2, 1, 2, 1];
    expected.extend([1, 1, 2, 1, 1, 1, 2, 2]);
    expected.extend([2, 1, 2, 1, 1, 1, 2, 2]);
    expected.extend([2, 1, 2, 1, 1, 1, 2, 1]);
    expected.push(1);
    check("plain", &Machine::with_flash(flash(1, false, 0), &code), &expected);

    // Two cached lines are one too few for B, C and D; with three the loop waits in its first turn only.
    check("two lines", &Machine::with_flash(flash(1, false, 2), &code), &expected);
    let mut expected = vec![2, 1, 2, 1];
    expected.extend([1, 1, 2, 1, 1, 1, 2, 2]);
    expected.extend([1, 1, 1, 1, 1, 1, 1, 2]);
    expected.extend([1, 1, 1, 1, 1, 1, 1, 1]);
    expected.push(1);
    check("three lines", &Machine::with_flash(flash(1, false, 3), &code), &expected);

    // With prefetch only: straight on is free, the jump back misses. The read ahead of line E has not begun by then.
    let mut expected = vec![2, 1, 1, 1];
    expected.extend([1, 1, 1, 1, 1, 1, 1, 2]);
    expected.extend([2, 1, 1, 1, 1, 1, 1, 2]);
    expected.extend([2, 1, 1, 1, 1, 1, 1, 1]);
    expected.push(1);
    check("prefetch", &Machine::with_flash(flash(1, true, 0), &code), &expected);
}

#[test]
fn a_jump_waits_for_a_prefetch_under_way() {
    // B at the line's first place begins at 3 (W = 3); the read ahead occupies the array from 2 to 6. B (2 cycles, from 3)
    // asks for its target at 3, which waits until 6 and then 3 more: 6.
    let code = code![b(12), vec![NOP; 7], bkpt(0)];
    check("jump", &Machine::with_flash(flash(3, true, 0), &code), &[5, 7]);
    check("without prefetch", &Machine::with_flash(flash(3, false, 0), &code), &[5, 4]);
}

#[test]
fn a_literal_goes_past_the_instruction_lines() {
    // LDR r0, [pc, #..] twice in a line: each reads the array.
    let code = code![ldr_literal(0, 3), ldr_literal(2, 3), NOP, NOP, NOP, bkpt(0), NOP, NOP, 0x5678, 0x1234];
    let machine = Machine::with_flash(flash(1, false, 2), &code);
    check("literals", &machine, &[4, 3, 2, 1, 1, 1]);
    let mut machine = machine;
    machine.run(1000);
    assert_eq!([machine.r(0), machine.r(2)], [0x1234_5678, 0x1234_5678]);
}

#[test]
fn data_in_flash_waits_a_word_at_a_time() {
    let code = code![ldr(1, 0, 0), ldm(2, 0b0111_1000), bkpt(0)];
    for (wait_states, expected) in [(0, [2, 5, 1]), (1, [4, 9, 2]), (2, [6, 13, 3])] {
        let machine =
            Machine::with_flash(flash(wait_states, false, 0), &code).set(0, FLASH + 0x800).set(2, FLASH + 0x800);
        check("data", &machine, &expected);
    }
}

#[test]
fn code_in_ram_never_waits() {
    let code = code![bx(1)];
    let machine = Machine::with_flash(flash(2, true, 2), &code)
        .set(1, RAM + 0x101)
        .code_at(RAM + 0x100, &code![NOP, NOP, NOP, NOP, NOP, bkpt(0)]);
    check("RAM", &machine, &[4, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_32_bit_instruction_across_two_lines_needs_both() {
    let code = code![NOP, NOP, NOP, mrs(0, PRIMASK), NOP, bkpt(0)];
    check("across", &Machine::with_flash(flash(1, false, 0), &code), &[2, 1, 2, 3, 1, 2]);
}

#[test]
fn a_call_across_two_lines_needs_both_also_as_a_target() {
    // B to a BL whose second half is in the next line: 1 + 2 for B, BL waits for that line beside its 3.
    let code = code![b(2), NOP, NOP, bl(8), NOP, NOP, NOP, NOP, bkpt(0)];
    check("call", &Machine::with_flash(flash(1, false, 0), &code), &[3, 4, 2]);
}

#[test]
fn handlers_and_vectors_in_flash_wait_too() {
    // The vector is read after the 15 cycles, then the handler's first line is fetched.
    let mut machine = Machine::with_flash(flash(1, false, 2), &[SELF]).interrupt(0, 0).at(20, Action::Pulse(0));
    machine = machine.handler(IRQ0, &[NOP, SELF]);
    let entered = machine.entries(100)[0].0;
    // `B .` from its wait on: boundaries at 3, 5, …, 21.
    assert_eq!(entered, 21 + 15 + 1);
    let mut machine = Machine::with_flash(flash(1, false, 2), &[SELF])
        .interrupt(0, 0)
        .at(20, Action::Pulse(0))
        .handler(IRQ0, &[NOP, SELF]);
    let (retired, _) = machine.trace(60);
    let first = retired.iter().find(|retire| retire.pc.get() == handler_address(IRQ0)).unwrap();
    assert_eq!((first.at.get(), first.cycles.get()), (37, 2));
}

#[test]
fn new_flash_settings_hold_at_once_for_code_already_run() {
    let code = code![vec![NOP; 7], bkpt(0)];
    let mut machine = Machine::with_flash(flash(0, false, 0), &code);
    machine.run(1000);
    let before = machine.now();
    machine.bus.memory.set_flash_timing(flash(1, false, 0));
    machine.core.cpu_mut().go_to(CODE);
    machine.run(1000);
    assert_eq!((before, machine.now() - before), (8, 11));
}

#[test]
fn an_interrupt_is_on_time_in_code_that_waits() {
    // A block is run whole only if it is done before the interrupt with every stall at its worst.
    let code = code![vec![NOP; 10], ldr_literal(0, 12), ldm(2, 0b0111_1000), vec![NOP; 30], SELF, 0, 0];
    for timing in [flash(1, false, 0), flash(2, true, 0), flash(3, true, 2)] {
        for pended in 1..100 {
            let machine = Machine::with_flash(timing, &code)
                .set(2, FLASH + 0x800)
                .handler(IRQ0, &[BX_LR])
                .interrupt(0, 0)
                .at(pended, Action::Pulse(0));
            let (mut whole, mut traced) = (machine.clone(), machine);
            whole.run(200);
            traced.trace(200);
            assert_eq!(whole.state(), traced.state(), "{timing:?}, pending at {pended}");
        }
    }
}

/// A Cortex-M3 over the flash of an STM32F103: lines of 8 bytes and a prefetch buffer.
fn f103(wait_states: u32, prefetch: bool, code: &[u16]) -> Machine {
    let mut machine = m3(code);
    machine.bus.memory.set_flash_timing(flash(wait_states, prefetch, 0));
    machine
}

#[test]
fn fetches_beside_execution_hide_wait_states_of_straight_code() {
    let code = code![vec![NOP; 13], bkpt(0)];
    let stalls = |at: &[usize], first: u64| {
        let mut expected = vec![1; 14];
        expected[0] += first;
        at.iter().for_each(|at| expected[*at] += 1);
        expected
    };
    // Four instructions a line, each line asked for when the buffer has room: a read of three cycles is always in time.
    check("one", &f103(1, false, &code), &stalls(&[], 1));
    check("two", &f103(2, false, &code), &stalls(&[], 2));
    // One of four is asked for at the start of the third instruction before, plus one, and wanted three cycles before the
    // first: line 1 at 2 (there at 5, wanted at 4). Line 2 would be asked for at 6, but that cycle has the second word of line 1:
    // at 7 (10, 9). Line 3 is asked for at 12 (15, 14).
    check("three", &f103(3, false, &code), &stalls(&[4, 8, 12], 3));
}

#[test]
fn each_piece_of_an_unaligned_load_from_flash_comes_after_the_one_before() {
    // A byte, a halfword and a byte: the second and the third take a cycle more each, and the wait states of their own reads.
    let code = code![vec![NOP; 8], ldr(0, 1, 0), vec![NOP; 8], bkpt(0)];
    let took = |offset| {
        let mut machine = f103(2, false, &code).set(1, FLASH + 0x800 + offset);
        let (retired, _) = machine.trace(1000);
        retired.iter().find(|retire| retire.pc.get() == CODE + 16).map_or(0, |retire| retire.cycles.get())
    };
    assert_eq!(took(1), took(0) + 2 * (1 + 2));
}

#[test]
fn short_loops_in_flash_take_what_boards_show() {
    // A loop of SUBS and BHI, six cycles a turn at 72 MHz, is how libmaple waits on an STM32F103; SUB, CMP and BNE take six as
    // well. The line behind is read ahead, and the jump back waits for it, then for its own.
    let waits = code![movs(0, 20), NOP, NOP, NOP, subs(0, 1), b_if(8, -6), bkpt(0)];
    let counts = code![movs(0, 20), NOP, NOP, NOP, subs(0, 1), 0x2800u16, b_if(1, -8), bkpt(0)];
    for (name, code) in [("SUBS, BHI", waits), ("SUB, CMP, BNE", counts)] {
        let mut machine = f103(2, true, &code);
        let (retired, _) = machine.trace(1000);
        let turns: Vec<u64> = retired.iter().filter(|retire| retire.pc.get() == CODE + 8).map(|r| r.at.get()).collect();
        let lengths: Vec<u64> = turns.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // The first turns come from straight code, whose line was there.
        assert_eq!(lengths[2..], [6; 17], "{name}");
    }
}

#[test]
fn a_loop_in_ram_is_fetched_over_the_system_bus() {
    // SUBS and BHI: four cycles a turn on an STM32F103, three where code has a bus of its own.
    let code = code![subs(0, 1), b_if(8, -6), bkpt(0)];
    let mut in_ram = m3(&code![bx(1)]).set(1, RAM + 0x101).set(0, 9).code_at(RAM + 0x100, &code);
    let mut in_flash = m3(&code).set(0, 9);
    for (machine, start, turn) in [(&mut in_ram, RAM + 0x100, 4), (&mut in_flash, CODE, 3)] {
        let (retired, _) = machine.trace(1000);
        let turns: Vec<u64> = retired.iter().filter(|retire| retire.pc.get() == start).map(|r| r.at.get()).collect();
        assert!(turns.windows(2).all(|pair| pair[1] - pair[0] == turn), "{turns:?}");
        assert_eq!(turns.len(), 9);
    }
}

/// Branches that are gone past leave no step behind, and the waits of their targets join fetches before them.
#[test]
fn waits_behind_branches_are_counted_for_the_branches_at_the_targets() {
    for count in 0..16 {
        let back = -2 * (count as i16 + 49) - 4;
        let code = code![vec![adds(1, 1); count], b(28), vec![NOP; 15], b(60), vec![NOP; 31], adds(1, 2), b(back)];
        let make = || m4f_flash(ART, &code).into_parts();
        Program { make: &make, outcome: &state, end: 10_000, watched: &[] }.is_counted_in_blocks_as_one_by_one();
    }
}

/// A skipped load is shorter than the fetches beside it are planned for: in the first cycles these come before cycle 0.
#[test]
fn fetches_beside_a_skipped_load_in_the_first_cycles_wait_no_longer_than_flash() {
    // LDM, LDM.W, VLDM and LDRD.
    for load in [vec![ldm(7, 0x7F)], vec![0xE897, 0x1F7F], vec![0xECB7, 0x0A08], vec![0xE9D7, 0x0100]] {
        for (nops, skipped) in (0..6).flat_map(|nops| [(nops, 1), (nops, 2)]) {
            let condition = if skipped == 1 { it(EQ, 8) } else { it(EQ, 4) };
            let loads = vec![load.clone(); skipped].concat();
            let code = code![vec![NOP; nops], condition, loads, vec![NOP; 12], bkpt(0)];
            let mut machine = m4f(&code);
            machine.bus.memory.set_flash_timing(flash(1, true, 2));
            let (retired, _) = machine.clone().trace(10_000);
            let cycles: Vec<u64> = retired.iter().map(|retire| retire.cycles.get()).collect();
            assert!(cycles.iter().all(|cycles| *cycles <= 4), "{nops}: {cycles:?}");
            check(&format!("{skipped} behind {nops}"), &machine, &cycles);
        }
    }
}

/// The first ends of instructions at or after each cycle up to the end are where runs up to these cycles stop.
fn stops_at_the_first_end(name: &str, machine: &Machine) {
    let (retired, _) = machine.clone().trace(100_000);
    let ends: Vec<u64> = retired.iter().map(|retire| retire.at.get() + retire.cycles.get()).collect();
    for until in 1..=*ends.last().expect("instructions") {
        let mut cut = machine.clone();
        cut.run(until);
        let first = ends.iter().find(|end| **end >= until).copied();
        assert_eq!(Some(cut.now()), first, "{name}, up to {until}");
    }
}

#[test]
fn a_block_ends_by_the_horizon_however_long_its_loads_stall() {
    let timing = flash(10, false, 0);
    let small = code![ldr_literal(0, 0), ldr(1, 6, 0), ldm(5, 0x9F), ldr(2, 6, 2), adds(0, 1), bkpt(0), vec![NOP; 12]];
    let large = code![
        ldr_w(0, 6, 3),
        ldrd(0, 1, 6),
        ldm_w(5, false, 0x5F9F),
        vldr(0, 6),
        ldr_w(2, 6, 1),
        adds(0, 1),
        bkpt(0),
        vec![NOP; 24]
    ];
    let on = |machine: Machine| {
        let mut machine = machine.set(5, CODE).set(6, CODE + 8);
        machine.bus.memory.set_flash_timing(timing);
        machine
    };
    stops_at_the_first_end("Cortex-M0+", &on(Machine::new(&small)));
    stops_at_the_first_end("Cortex-M4", &on(m4f(&large)));
    // One kind of load alone, which has all of the block's stalls.
    for load in [code![ldrd(0, 1, 6)], code![ldm_w(5, false, 0x5F9F)], code![vldr(0, 6)], code![ldr_w(2, 6, 1)]] {
        let code = code![load.clone(), load.clone(), load, bkpt(0), vec![NOP; 24]];
        stops_at_the_first_end("Cortex-M4", &on(m4f(&code)));
    }
    for load in [ldr_literal(0, 0), ldr(1, 6, 0), ldm(5, 0x9F)] {
        stops_at_the_first_end("Cortex-M0+", &on(Machine::new(&code![load, load, load, bkpt(0), vec![NOP; 12]])));
    }
}
