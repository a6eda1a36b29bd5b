//! The run loop: however it is cut, watched, cloned or traced, a run is the same; what cannot go on is named.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_compile::{Compiled, Settings};
use cyclescope_engine::laws::Program;
use cyclescope_machine::units::Address;
use cyclescope_machine::{Bus, EventId, GapKind, Stop};
use cyclescope_riscv::timing::{IBEX, INSTRUCTIONS, PICORV32};
use cyclescope_riscv::{Config, Core, Misaligned};

const HANDLER: u32 = RAM + 0x1000;

/// A busy program: a loop with calls, divisions, registers of the device, misaligned accesses, atomics, code that
/// changes, masks, and a timer's interrupt all the while; user mode calls machine mode.
fn busy() -> Machine {
    busy_on(config())
}

fn busy_on(config: Config) -> Machine {
    let code = [
        // The handler's address, interrupts, the timer, the PMP open to user mode.
        lui(5, HANDLER),
        csrrw(0, MTVEC, 5),
        addi(6, 0, 0x80),
        csrrw(0, MIE, 6),
        addi(6, 0, 7),
        sw(6, 30, io::LATER),
        addi(6, 0, -1),
        csrrw(0, PMPADDR0, 6),
        addi(6, 0, 0x1F),
        csrrw(0, PMPCFG0, 6),
        addi(17, 0, 60),
        lui(24, 0x6_8000),
        addi(24, 24, 0x693),
        // To the loop, in user mode.
        auipc(7, 0),
        addi(7, 7, 20),
        csrrw(0, MEPC, 7),
        csrrsi(0, MSTATUS, 0), // MIE stays clear: U mode takes interrupts all the same.
        MRET,
        // The loop.
        jal(1, 44),
        lw(8, 30, io::TIME),
        sw(8, 31, 0),
        sw(17, 31, 5),
        lh(9, 31, 3),
        amoadd(10, 17, 31),
        ECALL,
        addi(17, 17, -1),
        bne(17, 0, -32),
        sw(0, 30, io::RESET),
        HERE,
        // The subroutine.
        div(11, 8, 17),
        mul(12, 11, 17),
        addi(13, 13, 3),
        lr(14, 31),
        addi(14, 14, 1),
        sc(15, 14, 31),
        jalr(0, 1, 0),
    ];
    // The handler: a call returns behind itself and rewrites an instruction of the subroutine; the timer starts anew.
    let handler = [
        csrrw(20, MSCRATCH, 20),
        csrrs(20, MCAUSE, 0),
        blt(20, 0, 32),
        // Over "addi x13, x13, 3" in the subroutine: "addi x13, x13" and the count.
        slli(22, 17, 20),
        add(22, 22, 24),
        lui(21, RAM),
        sw(22, 21, 124),
        csrrs(22, MEPC, 0),
        addi(22, 22, 4),
        csrrw(0, MEPC, 22),
        // Of the timer, falling through from a call does no harm.
        addi(22, 0, 7),
        sw(22, 30, io::LOWER),
        addi(23, 23, 5),
        sw(23, 30, io::LATER),
        addi(22, 0, 31),
        blt(23, 22, 8),
        addi(23, 0, 3),
        csrrw(20, MSCRATCH, 20),
        MRET,
    ];
    Machine::with(config, &[(RAM, &code), (HANDLER, &handler)])
}

#[test]
fn a_busy_run_obeys_the_laws() {
    let mut whole = busy();
    whole.finish();
    assert!(whole.core.cpu().traps_taken > 80, "{}", whole.core.cpu().traps_taken);
    // 3, then each count from 60 that a call has put there, one loop later.
    assert_eq!(whole.x(13), 3 + (2..=60).sum::<u32>());
    let watched = [RAM + 72, RAM + 88, RAM + 124, HANDLER, HANDLER + 8];
    // Cores whose timing hangs on data and memory, and one that takes a cycle each.
    for timing in [&INSTRUCTIONS, &IBEX] {
        let make = || busy_on(Config { timing, ..config() }).into_parts();
        let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &watched };
        program.obeys_all();
        let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
        assert!(regions > 0, "compiled code ran");
    }
}

/// The program waits for a word of RAM that the handler changes.
#[test]
fn waiting_for_a_flag_is_skipped_exactly() {
    let start = [
        lui(5, HANDLER),
        csrrw(0, MTVEC, 5),
        addi(6, 0, 0x80),
        csrrw(0, MIE, 6),
        csrrsi(0, MSTATUS, 8),
        lui(7, 0x4000),
        sw(7, 30, io::LATER),
    ];
    let handler = [addi(22, 0, 7), sw(22, 30, io::LOWER), sw(22, 31, 0), MRET];
    for timing in [&INSTRUCTIONS, &IBEX] {
        for inside in 0..4_i32 {
            let wait = [&[lw(8, 31, 0)][..], &vec![NOP; inside as usize], &[beq(8, 0, -4 * (inside + 1))]].concat();
            let code = [&start[..], &wait, &[addi(9, 9, 1), HERE]].concat();
            let make = || {
                let config = Config { timing, ..config() };
                Machine::with(config, &[(RAM, &code), (HANDLER, &handler)]).into_parts()
            };
            let program = Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] };
            let most = program.is_the_same_where_loops_are_skipped();
            assert!(most > 30_000, "{inside}: {most} cycles skipped");
        }
        // What reads the time is no such loop, whatever it makes of it.
        for code in [[csrrs(8, MCYCLE, 0), addi(8, 0, 0), jal(0, -8)], [lw(8, 30, io::TIME), addi(8, 0, 0), jal(0, -8)]]
        {
            let make = || Machine::with(Config { timing, ..config() }, &[(RAM, &code)]).into_parts();
            let program = Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] };
            assert_eq!(program.is_the_same_where_loops_are_skipped(), 0);
        }
    }
}

#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let code = ending(&[
        lui(5, HANDLER),
        csrrw(0, MTVEC, 5),
        addi(6, 0, 0x80),
        csrrw(0, MIE, 6),
        csrrsi(0, MSTATUS, 8),
        addi(17, 0, 6),
        // The loop.
        jal(1, 28),
        sw(17, 31, 5),
        lh(9, 31, 3),
        amoadd(10, 17, 31),
        addi(17, 17, -1),
        bne(17, 0, -20),
        jal(0, 20),
        // The subroutine.
        div(11, 10, 17),
        mul(12, 11, 17),
        addi(13, 13, 3),
        jalr(0, 1, 0),
    ]);
    let handler = [addi(22, 0, 7), sw(22, 30, io::LOWER), MRET];
    for timing in [&INSTRUCTIONS, &IBEX] {
        let make = || Machine::with(Config { timing, ..config() }, &[(RAM, &code), (HANDLER, &handler)]).into_parts();
        let raise = |bus: &mut Bus<Device>, at| bus.shared.events.schedule(at, EventId::new(0));
        let result =
            |core: &Core<Device>, bus: &Bus<Device>| format!("{:?} {:?}", &core.cpu().x[..20], bus.memory.ram.bytes());
        let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[] };
        program.has_its_result_whenever_interrupted(&raise, &result);
    }
}

#[test]
fn what_pico_counts_when_its_interrupt_is_raised_obeys_the_laws() {
    // Each interrupt that an instruction raises by failing counts as that instruction, which ends a block.
    let code = [
        maskirq(0, 0),
        addi(5, 0, 40),
        addi(6, 5, 7),
        div(7, 6, 5),
        lw(1, 31, 1),
        mul(8, 7, 6),
        lw(9, 31, 4),
        EBREAK,
        NOP,
        NOP,
        addi(5, 5, -1),
        bne(5, 0, -36),
    ];
    let handler = [getq(12, 1), add(13, 13, 12), RETIRQ];
    let make = || {
        Machine::with(Config { timing: &PICORV32, ..pico() }, &[(RAM, &ending(&code)), (HANDLER, &handler)])
            .into_parts()
    };
    Program { make: &make, outcome: &outcome, end: 100_000, watched: &[RAM + 12, HANDLER] }.obeys_all();
}

/// Being counted changes nothing that a program can see, its own counters among it.
#[test]
fn counters_read_the_same_in_blocks_that_are_marked() {
    let code = ending(&[
        lui(31, DATA),
        csrrs(5, MINSTRET, 0),
        lw(6, 31, 0),
        lw(7, 31, 4),
        sw(6, 31, 8),
        csrrs(8, MINSTRET, 0),
        csrrs(9, MCYCLE, 0),
        lw(6, 31, 0),
        csrrw(0, MINSTRET, 0),
        lw(6, 31, 0),
        csrrs(10, MINSTRET, 0),
    ]);
    for timing in [&INSTRUCTIONS, &IBEX] {
        let machine = || Machine::with(Config { timing, ..config() }, &[(RAM, &code)]);
        let mut silent = machine();
        silent.finish();
        assert_eq!((silent.x(8) - silent.x(5), silent.x(10)), (4, 1));
        let make = || machine().into_parts();
        Program { make: &make, outcome: &outcome, end: 100_000, watched: &[] }.is_counted_in_blocks_as_one_by_one();
    }
}

/// The stack that was used first counts, from where it was then; one that lies elsewhere does not, nor does an address that is
/// loaded in two halves.
#[test]
fn the_main_stack_is_measured_where_room_is_made_on_it() {
    let code = ending(&[
        lui(2, DATA + 0x1000),
        addi(2, 2, -16),
        addi(2, 2, -32),
        addi(2, 2, -48),
        addi(2, 2, 80),
        addi(2, 2, -64),
        // Another one below.
        lui(2, DATA),
        addi(2, 2, 512),
        addi(2, 2, -256),
    ]);
    let mut machine = Machine::new(&code);
    machine.finish();
    assert_eq!(machine.core.cpu().main_stack.used(), 80);
}

#[test]
fn code_that_rewrites_itself_runs_as_rewritten_even_in_its_own_block() {
    // Stores "addi x10, x0, 2" over the instruction behind the store.
    let code = ending(&[lui(5, addi(10, 0, 2)), addi(5, 5, 0x513), lui(6, RAM), sw(5, 6, 16), addi(10, 0, 1)]);
    let mut whole = Machine::new(&code);
    whole.finish();
    assert_eq!(whole.x(10), 2);
    let make = || Machine::new(&code).into_parts();
    let program = Program { make: &make, outcome: &outcome, end: 1000, watched: &[RAM + 16] };
    program.obeys_all();
    program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
}

#[test]
fn x0_is_zero_whatever_writes_it() {
    let code = [addi(0, 0, 5), lui(0, 0x1000), lw(0, 31, 0), csrrw(0, MSCRATCH, 31), jal(0, 4), mul(0, 31, 31)];
    let mut machine = Machine::new(&ending(&code));
    machine.finish();
    assert_eq!(machine.core.cpu().x[0], 0);
}

#[test]
fn counters_read_the_exact_cycle_and_can_be_set_and_stopped() {
    let mut machine = Machine::new(&ending(&[
        NOP,
        csrrs(10, MCYCLE, 0),
        csrrs(11, MINSTRET, 0),
        csrrw(0, MCYCLE, 0),
        csrrs(12, MCYCLE, 0),
        csrrs(13, 0xC00, 0),
        csrrsi(0, 0x320, 5),
        csrrs(14, MCYCLE, 0),
        NOP,
        csrrs(15, MCYCLE, 0),
        csrrs(16, MINSTRET, 0),
        csrrw(0, MINSTRET, 0),
        csrrw(0, 0xB82, 31),
        csrrci(0, 0x320, 5),
        NOP,
        csrrs(17, MINSTRET, 0),
        csrrs(18, 0xB82, 0),
    ]));
    machine.finish();
    let read: Vec<u32> = (10..=18).map(|register| machine.x(register)).collect();
    // mcycle written in cycle 3 reads 0 in cycle 4; it stops with cycle 6 and stands at what cycle 7 would have read.
    assert_eq!(read, [1, 2, 0, 1, 3, 3, 7, 1, DATA]);
}

#[test]
fn unknown_registers_and_forbidden_ones_are_illegal_instructions() {
    let vector = lui(5, HANDLER);
    let handler = ending(&[csrrs(10, MCAUSE, 0), csrrs(11, MTVAL, 0), csrrs(12, MEPC, 0)]);
    for word in [csrrs(1, 0x123, 0), csrrw(0, 0xF14, 1), csrrsi(0, 0xC00, 1), 0xFFFF_FFFF, 0x0000_100B] {
        let mut machine = Machine::with(config(), &[(RAM, &[vector, csrrw(0, MTVEC, 5), word]), (HANDLER, &handler)]);
        machine.finish();
        assert_eq!([10, 11, 12].map(|register| machine.x(register)), [2, word, RAM + 8], "{word:08x}");
    }
    // What only reads may read what is read-only.
    let mut machine = Machine::new(&ending(&[addi(1, 0, 7), csrrs(1, 0xF14, 0)]));
    machine.finish();
    assert_eq!(machine.x(1), 0);
}

#[test]
fn a_trap_vector_that_faults_itself_is_a_lockup() {
    let mut machine = Machine::new(&[0]);
    let Stop::Lockup(report) = machine.run(1000) else { panic!("{:?}", machine.core.cpu().pc()) };
    assert_eq!((report.pc.get(), report.cause), (0, "instruction access fault"));
    let mut machine = Machine::new(&[lui(5, RAM), addi(5, 5, 12), csrrw(0, MTVEC, 5), 0]);
    let Stop::Lockup(report) = machine.run(1000) else { panic!() };
    assert_eq!((report.pc.get(), report.cause), (RAM + 12, "illegal instruction"));
}

#[test]
fn misaligned_accesses_are_made_or_trap_as_the_core_is_built() {
    let code = ending(&[
        sw(5, 31, 3),
        lw(10, 31, 3),
        lh(11, 31, 3),
        lw(12, 31, 0),
        lw(13, 31, 4),
        sh(5, 31, 1),
        lw(14, 31, 0),
    ]);
    let mut machine = Machine::new(&code);
    machine.set(5, 0x8765_4321);
    machine.finish();
    let read: Vec<u32> = (10..=14).map(|register| machine.x(register)).collect();
    assert_eq!(read, [0x8765_4321, 0x4321, 0x2100_0000, 0x0087_6543, 0x2143_2100]);
    let strict = Config { misaligned: Misaligned::Trap, ..config() };
    for (word, cause, address) in [
        (lw(1, 31, 2), 4, DATA + 2),
        (lh(1, 31, 1), 4, DATA + 1),
        (sw(1, 31, 1), 6, DATA + 1),
        (sh(1, 31, 3), 6, DATA + 3),
    ] {
        let mut machine = Machine::with(strict, &[(RAM, &[word])]);
        machine.core.cpu_mut().halt_on_fault = true;
        let Stop::Fault(report) = machine.run(100) else { panic!("{word:08x}") };
        assert_eq!((report.pc.get(), report.address), (RAM, Some(Address::new(address))));
        assert_eq!(machine.core.cpu().trap.cause, cause);
    }
}

#[test]
fn reservations_hold_until_the_next_store_conditional() {
    let code = [lr(10, 31), sc(11, 31, 31), sc(12, 30, 31), lw(13, 31, 0), lr(14, 31), addi(5, 31, 4), sc(15, 30, 5)];
    let mut machine = Machine::new(&ending(&code));
    machine.finish();
    let read: Vec<u32> = (10..=15).map(|register| machine.x(register)).collect();
    assert_eq!(read, [0, 0, 1, DATA, DATA, 1], "an address of its own");
    let mut machine = Machine::new(&[addi(31, 31, 2), lr(1, 31)]);
    machine.core.cpu_mut().halt_on_fault = true;
    assert!(matches!(machine.run(100), Stop::Fault(report) if report.cause == "load address misaligned"));
    let mut machine = Machine::new(&[addi(31, 31, 2), amoadd(1, 1, 31)]);
    machine.core.cpu_mut().halt_on_fault = true;
    assert!(matches!(machine.run(100), Stop::Fault(report) if report.cause == "store/AMO address misaligned"));
}

#[test]
fn accesses_where_nothing_answers_are_faults_with_their_address() {
    for (word, cause) in [(lw(1, 0, 0x700), "load access fault"), (sb(1, 0, 0x700), "store/AMO access fault")] {
        let mut machine = Machine::new(&[word]);
        machine.core.cpu_mut().halt_on_fault = true;
        let Stop::Fault(report) = machine.run(100) else { panic!() };
        assert_eq!((report.cause, report.address), (cause, Some(Address::new(0x700))));
        assert_eq!(machine.core.instructions().get(), 0, "it does not retire");
    }
}

#[test]
fn a_call_of_the_environment_is_no_fault() {
    // The handler reads the cause; a fault in it still stops the run.
    for last in [EBREAK, lw(1, 0, 0x700)] {
        let code = [lui(5, HANDLER), csrrw(0, MTVEC, 5), ECALL];
        let mut machine = Machine::with(config(), &[(RAM, &code), (HANDLER, &[csrrs(10, MCAUSE, 0), last])]);
        machine.core.cpu_mut().halt_on_fault = true;
        let stopped = machine.run(100);
        assert_eq!(machine.x(10), 11, "the handler runs");
        let pc = match stopped {
            Stop::Breakpoint(pc, 0) if last == EBREAK => pc,
            Stop::Fault(report) if last != EBREAK => report.pc,
            other => panic!("{other:?}"),
        };
        assert_eq!(pc.get(), HANDLER + 4);
    }
}

#[test]
fn without_compressed_instructions_jumps_must_be_aligned_to_words() {
    let plain = cyclescope_riscv::decode::Extensions { c: false, ..config().extensions };
    let strict = Config { extensions: plain, ..config() };
    for word in [jal(1, 6), jalr(1, 31, 2), beq(0, 0, 6)] {
        let mut machine = Machine::with(strict, &[(RAM, &[word])]);
        machine.core.cpu_mut().halt_on_fault = true;
        let Stop::Fault(report) = machine.run(100) else { panic!("{word:08x}") };
        assert_eq!((report.cause, report.pc.get()), ("instruction address misaligned", RAM));
        assert_eq!(machine.x(1), 0, "nothing is linked");
    }
}

#[test]
fn semihosting_prints_and_ends_the_run() {
    let call = [slli(0, 0, 31), EBREAK, srai(0, 0, 7)];
    let mut code = vec![addi(10, 0, 4), addi(11, 31, 0)];
    code.extend(call);
    code.extend([lui(11, 0x2_0000), addi(11, 11, 0x26), addi(10, 0, 0x18)]);
    code.extend(call);
    let mut machine = Machine::with(Config { semihosting: true, ..config() }, &[(RAM, &code), (DATA, &[0x000A_6968])]);
    assert_eq!(machine.run(1000), Stop::Exit(0));
    assert_eq!(machine.bus.shared.console.bytes(cyclescope_machine::Channel::Semihosting), b"hi\n");
    let mut without = Machine::with(config(), &[(RAM, &code), (DATA, &[0x000A_6968])]);
    without.core.cpu_mut().halt_on_fault = true;
    assert_eq!(without.run(1000), Stop::Breakpoint(Address::new(RAM + 12), 0));
}

#[test]
fn what_is_not_modelled_is_counted_when_it_matters() {
    let ibex = cyclescope_riscv::Traps::Privileged(cyclescope_riscv::Privileged::ibex(RAM));
    let code = ending(&[csrrw(0, 0x747, 0), csrrsi(10, 0x747, 2), csrrs(11, 0x747, 0)]);
    let mut machine = Machine::with(Config { traps: ibex, ..config() }, &[(RAM, &code)]);
    machine.finish();
    let gaps: Vec<(GapKind, &str, u64)> =
        machine.bus.shared.gaps.all().iter().map(|gap| (gap.kind, gap.name.as_str(), gap.at.get())).collect();
    assert_eq!(gaps, [(GapKind::Instruction, "mseccfg", 1)]);
    assert_eq!((machine.x(10), machine.x(11)), (0, 2));
}

#[test]
fn a_call_frame_names_where_a_function_returns_to() {
    let mut machine = Machine::new(&[jal(1, 8), HERE, NOP]);
    machine.set(2, DATA);
    machine.core.watch(Address::new(RAM + 8));
    assert_eq!(machine.run(100), Stop::Watch(Address::new(RAM + 8)));
    let frame = machine.core.call_frame(&machine.bus);
    assert_eq!((frame.return_address.get(), frame.stack_pointer.get()), (RAM + 4, DATA));
}

#[test]
fn no_random_memory_panics_or_runs_for_ever() {
    let mut seed = 0x1234_5678_9ABC_DEF1u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for number in 0..300 {
        let words: Vec<u32> = (0..0x1000).map(|_| random() as u32).collect();
        let config = if number % 4 == 0 { pico() } else { config() };
        let mut machine = Machine::with(config, &[(RAM, &words)]);
        for register in 1..32 {
            machine.set(register, if random() & 1 == 0 { random() as u32 } else { RAM | random() as u32 & 0x3FFF });
        }
        machine.core.cpu_mut().csrs.mtvec = RAM | random() as u32 & 0x3FFC;
        let mut stepped = machine.clone();
        machine.run(20_000);
        stepped.trace(20_000);
        assert_eq!(machine.outcome(), stepped.outcome(), "{number}");
    }
}
