//! IT blocks, and instructions that an interrupt cuts short: the program ends the same wherever the interrupt comes
//! (DDI 0403E §A7.3, §B1.5.10).

use crate::common;

use common::asm::*;
use common::thumb2::*;
use common::v7::*;
use common::*;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Address;

/// Registers, flags and RAM below the stack's use: what a program leaves behind.
fn outcome(machine: &Machine) -> String {
    let cpu = machine.core.cpu();
    let ram: Vec<u32> = (RAM..RAM + 0x800).step_by(4).map(|address| machine.word(address)).collect();
    let written: Vec<_> = machine.bus.peripherals.seen.iter().filter_map(|seen| seen.written).collect();
    let ram: Vec<u32> = ram.into_iter().filter(|word| *word != 0).collect();
    format!("{:x?} {:x} {:x?} {:x?} {:x?}", cpu.r, cpu.xpsr(), cpu.fp.singles, ram, written)
}

/// An interrupt at every cycle, its handler changing all that a handler may: the program must end as without it. Returns
/// how many of them came before the end.
fn interrupted_everywhere(name: &str, machine: &Machine) -> u32 {
    let mut free = machine.clone();
    let end = free.run_to_breakpoint();
    // The handler changes registers that the frame keeps, the flags, and makes an IT block of its own.
    let handler = code![movs(0, 0), subs(0, 1), mov(12, 0), it(NE, 0x8), 0x2055u16, movs(1, 77), movs(2, 0), BX_LR];
    let mut taken = 0;
    let prepared = machine.clone().handler(IRQ0, &handler).interrupt(0, 0);
    for cycle in 1..=end {
        let once = prepared.clone().at(cycle, Action::Pulse(0));
        // Again soon after the return, in the rest of what was cut short.
        let twice = (28..48).map(|after| once.clone().at(cycle + after, Action::Pulse(0)));
        for mut machine in [once.clone()].into_iter().chain(twice) {
            machine.run_to_breakpoint();
            let same = outcome(&machine) == outcome(&free);
            assert!(same, "{name}: interrupt at {cycle} of {end}\n{}\n{}", outcome(&machine), outcome(&free));
            taken += machine.core.cpu().exceptions_taken as u32;
        }
    }
    taken
}

/// A condition holds (`holds`) or not, and four instructions hang on it and its opposite.
fn it_program() -> Vec<u16> {
    code![
        movs(3, 0),
        subs(3, 1),
        it(NE, 0x5), // ITETE NE with mask: then, else, then, else
        adds(4, 1),
        adds(5, 1),
        adds(4, 2),
        adds(5, 2),
        movs(6, 0),
        it(NE, 0x8),
        adds(6, 1),
        it(EQ, 0x1), // ITTTT EQ
        str(0, 1, 0),
        ldr_w(7, 1, 0),
        mov(8, 0),
        adds(6, 4),
        it(AL, 0x4),
        str(6, 1, 1),
        ldr(2, 1, 1),
        bkpt(0)
    ]
}

#[test]
fn an_interrupt_between_any_two_instructions_of_an_it_block_changes_nothing() {
    let machine = m3(&it_program()).set(0, 123).set(1, RAM + 0x100).set(4, 0).set(5, 0);
    let mut free = machine.clone();
    free.run_to_breakpoint();
    assert_eq!([4, 5, 6, 2].map(|register| free.r(register)), [3, 0, 4, 4]);
    assert!(interrupted_everywhere("IT", &machine) > 15);
}

#[test]
fn every_condition_lasts_through_its_block() {
    // Each condition and its opposite on two instructions each, under all flags, interrupted in between.
    for condition in 0..14 {
        // Then, then, else, else.
        let mask = if condition & 1 == 0 { 0b0111 } else { 0b1001 };
        let code = code![msr(APSR, 3), it(condition, mask), adds(4, 1), adds(4, 2), adds(5, 1), adds(5, 2), bkpt(0)];
        for flags in 0..16 {
            let [n, z, c, v] = [3, 2, 1, 0].map(|bit| flags >> bit & 1 != 0);
            let holds = match condition / 2 {
                0 => z,
                1 => c,
                2 => n,
                3 => v,
                4 => c && !z,
                5 => n == v,
                _ => !z && n == v,
            } != (condition & 1 == 1);
            for cycle in 1..8 {
                let mut machine = m3(&code)
                    .set(3, flags << 28)
                    .set(4, 0)
                    .set(5, 0)
                    .handler(IRQ0, &[BX_LR])
                    .interrupt(0, 0)
                    .at(cycle, Action::Pulse(0));
                machine.run_to_breakpoint();
                let expected = if holds { [3, 0] } else { [0, 3] };
                assert_eq!([machine.r(4), machine.r(5)], expected, "{condition} {flags:#x}, interrupt at {cycle}");
            }
        }
    }
}

#[test]
fn an_interrupted_push_begins_anew() {
    // Its frame takes the place of what had been stored.
    let machine = m3(&[push(0x1FF), bkpt(0)]).handler(IRQ0, &[bkpt(1)]).interrupt(0, 0);
    for cycle in 1..10 {
        let mut machine = machine.clone().at(cycle, Action::Pulse(0));
        machine.run_to_breakpoint();
        let frame = machine.frame();
        assert_eq!((machine.r(13), frame[6], frame[7] & 0x0600_FC00), (STACK - 32, CODE, 0), "{cycle}");
    }
}

#[test]
fn the_frame_holds_where_in_the_it_block_it_is() {
    // ITTTT NE with the flags of Z clear; stop in the handler at each of the four.
    let code = code![movs(3, 1), it(NE, 0xF), movs(4, 1), movs(5, 1), movs(6, 1), movs(7, 1), NOP, SELF];
    let mut states = Vec::new();
    for cycle in 1..8 {
        let mut machine = m3(&code).handler(IRQ0, &[bkpt(0)]).interrupt(0, 0).at(cycle, Action::Pulse(0));
        machine.run_to_breakpoint();
        let frame = machine.frame();
        let it = (frame[7] >> 10 & 0x3F) << 2 | frame[7] >> 25 & 3;
        states.push(((frame[6] - CODE) / 2, it));
        assert_eq!(machine.core.cpu().xpsr() & 0x0600_FC00, 0, "the handler begins outside any block");
    }
    // IT itself is folded into the move before it, so that nothing comes between it and the first of the four.
    for (at, it) in [(1, 0), (3, 0x1E), (4, 0x1C), (5, 0x18), (6, 0)] {
        assert!(states.contains(&(at, it)), "{at}: {states:x?}");
    }
}

#[test]
fn a_fault_inside_an_it_block_returns_into_it() {
    // LDREQ from nowhere; the handler moves the base into RAM and tries again.
    let code = code![movs(3, 0), it(EQ, 0x2), adds(4, 1), ldr(5, 1, 0), adds(4, 2), movs(6, 1), bkpt(0)];
    let fix = code![str(2, 7, 1), BX_LR];
    let mut machine = m3(&code)
        .with(SHCSR, ALL_FAULTS)
        .handler(BUS_FAULT, &fix)
        .set(1, 0x7000_0000)
        .set(2, RAM + 0x100)
        .set(4, 0)
        .set(7, STACK - 32)
        .word_at(RAM + 0x100, 99);
    machine.run_to_breakpoint();
    assert_eq!([4, 5, 6].map(|register| machine.r(register)), [3, 99, 1]);
    // Skipped, it does not fault.
    let code = code![movs(3, 1), it(EQ, 0x2), adds(4, 1), ldr(5, 1, 0), adds(4, 2), movs(6, 1), bkpt(0)];
    let mut machine = m3(&code).set(1, 0x7000_0000).set(4, 0);
    machine.run_to_breakpoint();
    assert_eq!((machine.r(4), machine.r(6), machine.cfsr()), (0, 1, 0));
}

#[test]
fn a_supervisor_call_inside_an_it_block() {
    let code = code![movs(3, 0), it(EQ, 0x2), adds(4, 1), svc(1), adds(4, 2), it(NE, 0xC), svc(2), svc(3), bkpt(0)];
    let mut machine = m3(&code).set(4, 0).handler(SVCALL, &[ldr(5, 7, 7), BX_LR]).set(7, STACK - 32);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(4), 3);
    assert_eq!(machine.core.cpu().exceptions_taken, 1, "two are skipped");
    let it = (machine.r(5) >> 10 & 0x3F) << 2 | machine.r(5) >> 25 & 3;
    assert_eq!(it, 0x08, "returns to the last of the three");
    // Masked, it escalates and returns to itself, in its place in the block.
    let mut machine = m3(&code).set(4, 0).handler(HARD_FAULT, &[bkpt(0)]);
    machine.core.cpu_mut().primask = true;
    machine.run_to_breakpoint();
    let frame = machine.frame();
    assert_eq!((frame[6], (frame[7] >> 10 & 0x3F) << 2 | frame[7] >> 25 & 3), (CODE + 6, 0x04));
    assert_eq!(machine.hfsr(), FORCED);
}

#[test]
fn a_breakpoint_inside_an_it_block_is_unconditional() {
    // DDI 0403E §A7.7.17.
    let mut machine = m3(&code![movs(3, 1), it(EQ, 0x4), bkpt(7), movs(4, 1), SELF]).set(4, 9);
    assert!(matches!(machine.run_to_stop(50), Stop::Breakpoint(at, 7) if at.get() == CODE + 4));
    let cpu = machine.core.cpu_mut();
    cpu.go_to(cpu.r[15] + 2);
    machine.run_to_stop(50);
    assert_eq!(machine.r(4), 9, "the rest of the block still hangs on the condition");
}

#[test]
fn a_watch_inside_an_it_block_reports_and_changes_nothing() {
    let machine = || m3(&it_program()).set(0, 123).set(1, RAM + 0x100).set(4, 0).set(5, 0);
    let mut free = machine();
    let end = free.run_to_breakpoint();
    for at in 0..18 {
        let mut watched = machine();
        watched.core.watch(Address::new(CODE + 2 * at));
        let mut reports = 0;
        while let Stop::Watch(address) = watched.run(1000) {
            assert_eq!(address.get(), CODE + 2 * at);
            reports += 1;
        }
        // The second halfword of LDR.W and of MOVW is no instruction.
        assert_eq!(reports, u32::from(at != 13), "{at}");
        assert_eq!((watched.now() - 1, outcome(&watched)), (end, outcome(&free)), "{at}");
    }
}

#[test]
fn divisions_and_long_moves_interrupted_at_every_cycle_end_the_same() {
    let code = code![
        mov32(0, 0xFFFF_FFFF),
        movs(1, 1),
        udiv(2, 0, 1),
        sdiv(3, 0, 1),
        umull(4, 5, 0, 2),
        mla(6, 4, 5, 0),
        mov32(7, RAM + 0x100),
        ldrd(8, 9, 7),
        strd(2, 3, 7),
        it(EQ, 0x4),
        udiv(2, 0, 2),
        udiv(3, 0, 3),
        bkpt(0)
    ];
    assert!(interrupted_everywhere("UDIV", &m3(&code)) > 30);
}

#[test]
fn loads_and_stores_of_several_interrupted_at_every_cycle_end_the_same() {
    let lists = [
        ("LDM", code![ldm(7, 0x7F)]),
        ("LDM with its base", code![ldm(7, 0xFF)]),
        ("STM", code![stm(7, 0x7F)]),
        ("PUSH, POP", code![push(0x1FF), pop(0xFF), 0xB001u16]),
        ("LDM.W", code![ldm_w(7, true, 0x5F7F)]),
        ("LDM.W without !", code![ldm_w(7, false, 0x5F7F)]),
        ("STM.W", code![stm_w(7, true, 0x5F7F)]),
        ("STMDB, LDMDB", code![stmdb(7, 0x1F0F), ldmdb(7, 0x1F0F)]),
        ("in IT", code![movs(0, 0), it(EQ, 0x4), ldm(7, 0x7E), stm(7, 0x7E)]),
    ];
    for (name, body) in lists {
        let code = [body, vec![NOP, bkpt(0)]].concat();
        for machine in [m3(&code), m4f(&code)] {
            let mut machine = machine.set(7, RAM + 0x200);
            for register in [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14] {
                machine = machine.set(register, 0x100 * register as u32 + 5);
            }
            for word in 0..48 {
                machine = machine.word_at(RAM + 0x1A0 + 4 * word, 0xABCD_0000 + word);
            }
            assert!(interrupted_everywhere(name, &machine) >= 8, "{name}");
        }
    }
}

#[test]
fn each_register_is_transferred_once_however_it_is_interrupted() {
    // The device counts: fourteen words written, each once, in order; inside IT the instruction starts again.
    let list = 0x1F7F;
    for in_it in [false, true] {
        let body = if in_it { code![it(AL, 0x8), stm_w(7, true, list)] } else { code![stm_w(7, true, list), NOP] };
        let code = [body, vec![NOP, bkpt(0)]].concat();
        let machine = || {
            let mut machine = m3(&code).set(7, WORDS);
            for register in [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12] {
                machine = machine.set(register, register as u32 + 1);
            }
            machine
        };
        let written = |machine: &Machine| -> Vec<(u32, u32)> {
            let seen = machine.bus.peripherals.seen.iter();
            seen.filter_map(|seen| seen.written.map(|value| (seen.address, value))).collect()
        };
        let mut free = machine();
        let end = free.run_to_breakpoint();
        assert_eq!(written(&free).len(), 12);
        let mut continued = 0;
        for cycle in 1..end {
            let handler = code![mov(0, 13), ldr(1, 0, 7), BX_LR];
            let mut machine = machine().handler(IRQ0, &handler).interrupt(0, 0).at(cycle, Action::Pulse(0));
            machine.run_to_breakpoint();
            assert_eq!(written(&machine), written(&free), "interrupt at {cycle}, in IT: {in_it}");
            // The frame, whose words are still there.
            let xpsr = machine.word(STACK - 4);
            let ici = xpsr >> 12 & 0xF;
            if xpsr & 0x0600_0C00 == 0 && ici != 0 {
                continued += 1;
                let done = (list & ((1 << ici) - 1)).count_ones();
                assert!(done > 0 && list >> ici & 1 == 1, "continues at a register of the list: {ici}");
                assert_eq!(machine.word(STACK - 8), CODE, "returns to the instruction");
            }
        }
        assert_eq!(continued > 8, !in_it, "{continued}");
    }
}

#[test]
fn a_load_that_is_continued_reads_each_word_once() {
    let list = 0x1F7F;
    let code = code![ldm_w(7, true, list), NOP, bkpt(0)];
    let machine = || m3(&code).set(7, WORDS);
    let reads =
        |machine: &Machine| -> Vec<u32> { machine.bus.peripherals.seen.iter().map(|seen| seen.address).collect() };
    let mut free = machine();
    let end = free.run_to_breakpoint();
    for cycle in 1..end {
        let mut machine = machine().handler(IRQ0, &[BX_LR]).interrupt(0, 0).at(cycle, Action::Pulse(0));
        machine.run_to_breakpoint();
        assert_eq!(reads(&machine), reads(&free), "interrupt at {cycle}");
        assert_eq!(outcome(&machine).len(), outcome(&free).len());
    }
}

#[test]
fn exceptions_clear_the_exclusive_monitor() {
    // LDREX, then something, then STREX: 0 stored, 1 not.
    let with = |middle: Vec<u16>| {
        let code = code![ldrex(2, 1), middle, strex(3, 0, 1), bkpt(0)];
        let mut machine = m3(&code).set(0, 5).set(1, RAM + 0x100).set(3, 9).handler(SVCALL, &[BX_LR]);
        machine.run_to_breakpoint();
        (machine.r(3), machine.word(RAM + 0x100))
    };
    assert_eq!(with(vec![NOP]), (0, 5));
    assert_eq!(with(CLREX.to_vec()), (1, 0));
    assert_eq!(with(vec![svc(0)]), (1, 0), "entry and return");
    assert_eq!(with(strex(4, 0, 1).to_vec()), (1, 5), "a first STREX uses it up");
    // Return alone clears what the handler's LDREX set.
    let code = code![svc(0), strex(3, 0, 1), bkpt(0)];
    let mut machine = m3(&code).set(0, 5).set(1, RAM + 0x100).handler(SVCALL, &code![ldrex(2, 1), BX_LR]);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(3), 1);
    // Entry alone: the handler stores where thread code had loaded.
    let code = code![ldrex(2, 1), svc(0), bkpt(0)];
    let mut machine = m3(&code).set(0, 5).set(1, RAM + 0x100).handler(SVCALL, &code![strex(4, 0, 1), BX_LR]);
    machine.run_to_breakpoint();
    assert_eq!(machine.r(4), 1);
}

#[test]
fn table_branches() {
    // TBB [pc, r0] with the table behind it, TBH [r1, r2, lsl 1] with a table in RAM.
    let code = code![tbb(15, 0), 0x0402u16, 0x0006u16, movs(5, 1), bkpt(0), movs(5, 2), bkpt(0), movs(5, 3), bkpt(0)];
    for index in 0..3 {
        let mut machine = m3(&code).set(0, index);
        machine.run_to_breakpoint();
        assert_eq!(machine.r(5), index + 1);
    }
    let code = code![tbh(1, 2), movs(5, 1), bkpt(0), movs(5, 2), bkpt(0), movs(5, 3), bkpt(0)];
    for index in 0..3 {
        let mut machine =
            m3(&code).set(1, RAM + 0x100).set(2, index).word_at(RAM + 0x100, 2 << 16).word_at(RAM + 0x104, 4);
        machine.run_to_breakpoint();
        assert_eq!(machine.r(5), index + 1);
    }
}
