//! The run loop: however it is cut, watched, cloned or traced, a run is the same; what cannot go on is named.

use std::sync::{Arc, Mutex};

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_avr::Core;
use cyclescope_compile::{Compiled, Settings};
use cyclescope_engine::laws::Program;
use cyclescope_engine::{Counting, LoweredShare};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Bus, EventId, FaultReport, GapKind, Stop};

/// A busy program: a loop with calls, the stack, I/O, SREG saved and restored, and a timer's interrupt all the while.
fn busy() -> Machine {
    let [store, to] = sts(0x300, 18);
    let code = [
        ldi(16, 7),
        out(io::LATER, 16),
        SEI,
        ldi(17, 40),
        // the loop
        rcall(12),
        input(18, io::TIME),
        store,
        to,
        input(19, io::SREG),
        CLI,
        sbi(io::LATCH, 2),
        out(io::SREG, 19),
        sbis(io::LATCH, 2),
        rjmp(-1),
        dec(17),
        brbc(1, -12),
        BREAK,
        // the subroutine
        push(17),
        add(21, 17),
        cpse(21, 17),
        0x9603, // adiw r24, 3
        pop(17),
        RET,
    ];
    // The handler: counts, and asks for the next interrupt after ever other cycles.
    let handler: &[u16] =
        &[push(16), input(16, io::SREG), push(16), inc(20), mov(16, 20), 0x700F, 0x6005, out(io::LATER, 16)];
    let tail: &[u16] = &[pop(16), out(io::SREG, 16), pop(16), RETI];
    let jump = jmp(0x800);
    Machine::with(config(), &[(CODE, &code), (12, &jump), (0x800, &[handler, tail].concat())])
}

/// A loop that reads a register which changes with time, and one that it writes, by LDS and IN; an interrupt writes the latter too.
fn polling() -> Machine {
    let ([time, time_at], [latch, latch_at]) =
        (lds(18, 0x20 + u16::from(io::TIME)), lds(19, 0x20 + u16::from(io::LATCH)));
    let code = [
        ldi(16, 50),
        out(io::LATER, 16),
        SEI,
        ldi(17, 200),
        // the loop
        time,
        time_at,
        time,
        time_at,
        add(21, 18),
        latch,
        latch_at,
        input(20, io::LATCH),
        add(22, 19),
        add(23, 20),
        sbrc(17, 3),
        cbi(io::LATCH, 2),
        sbrs(17, 3),
        sbi(io::LATCH, 2),
        input(20, io::LATCH),
        add(23, 20),
        dec(17),
        brbc(1, -18),
        BREAK,
    ];
    let handler = [sbi(io::LATCH, 5), out(io::LATER, 21), RETI];
    let jump = jmp(0x800);
    let mut machine = Machine::with(config(), &[(CODE, &code), (12, &jump), (0x800, &handler)]);
    machine.bus.peripherals.unit = 37;
    machine
}

#[test]
fn a_register_that_shows_what_it_has_shown_is_not_asked_again() {
    let mut whole = polling();
    whole.run_to_break();
    assert!(whole.core.cpu().interrupts_taken > 5, "{}", whole.core.cpu().interrupts_taken);
    let make = || Machine::into_parts(polling());
    let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[CODE + 8, 0x800] };
    program.obeys_all();
    let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
    assert!(regions > 0, "compiled code ran");
}

#[test]
fn a_busy_run_obeys_the_laws() {
    let mut whole = busy();
    whole.run_to_break();
    assert!(whole.core.cpu().interrupts_taken > 20, "{}", whole.core.cpu().interrupts_taken);
    let make = || Machine::into_parts(busy());
    let watched = [CODE + 8, CODE + 34, 12, 0x800, 0x80E];
    let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &watched };
    program.obeys_all();
    let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
    assert!(regions > 0, "compiled code ran");
}

#[test]
fn what_retires_is_counted_by_the_way_in_which_compiled_code_would_carry_it_out() {
    // A store to a register is left to its body, also in the block that BREAK ends.
    let code = [ldi(17, 40), inc(16), sbi(io::LATCH, 2), dec(17), brbc(1, -4), sbi(io::LATCH, 3), BREAK];
    let mut machine = Machine::with(config(), &[(CODE, &code)]);
    let share = Arc::new(Mutex::new(LoweredShare::default()));
    machine.core.set_tier(Some(Box::new(Counting::new(Arc::clone(&share)))));
    machine.run_to_break();
    drop(machine);
    let LoweredShare { lowered, bodies } = share.lock().unwrap().clone();
    let [(operation, count)] = <[_; 1]>::try_from(Vec::from_iter(bodies)).unwrap();
    assert_eq!((operation.as_str(), lowered), ("Sbi", 3 * count));
    assert!((36..40).contains(&count), "{count} of 40 turns: the first ones are not counted");
}

/// The program waits for a byte of SRAM that the handler changes, 200 times 16 cycles after it was asked.
#[test]
fn waiting_for_a_flag_is_skipped_exactly() {
    let [look, from] = lds(18, 0x300);
    let [store, to] = sts(0x300, 18);
    for inside in 0..4_usize {
        let back = -(inside as i16) - 5;
        let start = [ldi(16, 250), SEI, ldi(17, 20), ldi(18, 0), store, to, out(io::LATER, 16)];
        let wait = [&[look, from][..], &vec![NOP; inside], &[cpse(18, 20), rjmp(1), rjmp(back)]].concat();
        // r20 counts the interrupts; the flag is the same number until the handler has counted on.
        let code = [&start[..], &wait, &[mov(20, 18), dec(17), HERE]].concat();
        let handler = [ldi(18, 1), store, to, RETI];
        let jump = jmp(0x800);
        let make = || {
            let machine = Machine::with(config(), &[(CODE, &code), (12, &jump), (0x800, &handler)]);
            Machine::into_parts(machine)
        };
        let program = Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] };
        let most = program.is_the_same_where_loops_are_skipped();
        assert!(most > 30_000, "{inside}: {most} cycles skipped");
    }
    // Polling a device's register is no such loop, whatever it reads.
    let code = [input(18, io::TIME), ldi(18, 0), rjmp(-3)];
    let make = || Machine::into_parts(Machine::with(config(), &[(CODE, &code)]));
    let program = Program { make: &make, outcome: &outcome, end: 60_000, watched: &[] };
    assert_eq!(program.is_the_same_where_loops_are_skipped(), 0);
}

/// The handler saves what it uses.
#[test]
fn an_interrupt_in_any_cycle_changes_no_result() {
    let [store, to] = sts(0x300, 18);
    let code = [
        SEI,
        ldi(17, 5),
        // the loop
        rcall(7),
        store,
        to,
        0x9F11, // mul r17, r17
        add(18, 0),
        dec(17),
        brbc(1, -7),
        BREAK,
        // the subroutine
        push(17),
        add(21, 17),
        cpse(21, 17),
        0x9603, // adiw r24, 3
        pop(17),
        RET,
    ];
    let handler = [push(16), input(16, io::SREG), push(16), 0x7000, pop(16), out(io::SREG, 16), pop(16), RETI];
    let make = || Machine::into_parts(Machine::with(config(), &[(CODE, &code), (12, &handler)]));
    let raise = |bus: &mut Bus<Device>, at| bus.shared.events.schedule(at, EventId::new(0));
    let result = |core: &Core<Device>, bus: &Bus<Device>| {
        let cpu = core.cpu();
        let above = &bus.memory.ram.bytes()[..0x300];
        format!("{:?} {:?}", (cpu.r, cpu.pc, cpu.sp, cpu.sreg(), cpu.instructions - 8 * cpu.interrupts_taken), above)
    };
    let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[] };
    program.has_its_result_whenever_interrupted(&raise, &result);
}

#[test]
fn what_is_no_instruction_is_named_with_its_place() {
    let mut machine = Machine::new(&[NOP, 0x9204]);
    let fault = |pc: u32, cause: &'static str, address: Option<u32>| {
        Stop::Fault(FaultReport { pc: Address::new(pc), cause, address: address.map(Address::new) })
    };
    let reserved = fault(CODE + 2, "reserved opcode", None);
    assert_eq!(machine.run(100), reserved);
    assert_eq!((machine.run(100), machine.now()), (reserved, 1), "and again");
    let [jump, to] = jmp(0x1000);
    assert_eq!(Machine::new(&[jump, to]).run(100), fault(CODE, "jump outside flash", Some(0x1000)));
    let z = [ldi(30, 0), ldi(31, 8)];
    for word in [IJMP, ICALL] {
        let stop = Machine::new(&[z[0], z[1], word]).run(100);
        assert_eq!(stop, fault(CODE + 4, "jump outside flash", Some(0x1000)));
    }
    let mut returns = Machine::new(&[ldi(16, 0xFF), push(16), push(16), RET]);
    assert_eq!(returns.run(100), fault(CODE + 6, "jump outside flash", Some(0x1FFFE)));
    assert_eq!(returns.core.cpu().sp, 0x8FD, "not popped");
    let mut end = Machine::with(config(), &[(0xFFE, &[NOP])]);
    end.core.cpu_mut().pc = 0xFFE;
    assert_eq!(end.run(100), fault(0x1000, "execution behind the end of flash", None));
    let mut cut = Machine::with(config(), &[(0xFFE, &[0x940C])]);
    cut.core.cpu_mut().pc = 0xFFE;
    assert_eq!(cut.run(100), fault(0xFFE, "instruction cut off by the end of flash", None));
}

#[test]
fn relative_jumps_wrap_at_the_end_of_flash_as_the_program_counter_does() {
    let mut machine = Machine::with(config(), &[(0, &[rjmp(-2)]), (0xFFE, &[BREAK])]);
    machine.core.cpu_mut().pc = 0;
    machine.run_to_break();
    assert_eq!(machine.core.cpu().pc().get(), 0xFFE);
}

#[test]
fn undefined_combinations_and_addresses_where_nothing_is_are_counted() {
    let [load, from] = lds(17, 0x900);
    let [hole, at] = lds(17, 0xF0);
    let mut machine = Machine::new(&[ldi(26, 0), ldi(27, 2), 0x900D | 26 << 4, load, from, hole, at, BREAK]);
    machine.run_to_break();
    let gaps: Vec<(GapKind, &str, u32)> =
        machine.bus.shared.gaps.all().iter().map(|gap| (gap.kind, gap.name.as_str(), gap.pc.get())).collect();
    let expected = [
        (GapKind::Instruction, "LD Rd, X+ with Rd in X", CODE + 4),
        (GapKind::RegisterRead, "data space beyond SRAM", CODE + 6),
        (GapKind::RegisterRead, "no memory or register at 0x008000f0", CODE + 10),
    ];
    assert_eq!(gaps, expected);
}

#[test]
fn registers_are_in_the_data_space() {
    let [load, from] = lds(16, 17);
    let [store, to] = sts(0x12, 16);
    let mut machine = Machine::new(&[ldi(17, 0x5A), load, from, store, to, BREAK]);
    machine.run_to_break();
    assert_eq!(machine.core.cpu().r[16..19], [0x5A; 3]);
    // SP and SREG too.
    let [low, sp] = sts(0x5D, 16);
    let [flags, sreg] = lds(18, 0x5F);
    let mut machine = Machine::new(&[ldi(16, 0x34), low, sp, 0x9408, flags, sreg, input(19, io::SPL), BREAK]);
    machine.run_to_break();
    assert_eq!((machine.core.cpu().sp, machine.core.cpu().get(18), machine.core.cpu().get(19)), (0x834, 1, 0x34));
}

#[test]
fn code_that_programs_flash_runs_as_programmed() {
    // The word at 0x400 is reserved until SPM clears bits: NOP.
    let mut machine = Machine::new(&[ldi(30, 0), ldi(31, 4), SPM, rjmp(((0x400 - CODE as i16) >> 1) - 4)]);
    assert!(matches!(machine.run(100), Stop::Fault(report) if report.pc.get() == 0x402), "behind the NOP");
}

#[test]
fn flash_beyond_64_and_128_kib_is_reached_through_rampz_and_eind() {
    let wide = cyclescope_avr::Config {
        timing: &cyclescope_avr::timing::WIDE_PC,
        extensions: cyclescope_avr::decode::Extensions::ALL,
        pc_bytes: 3,
        rampz: Some(0x5B),
        eind: Some(0x5C),
        ..config()
    };
    let code = [
        ldi(16, 1),
        out(0x3C, 16), // EIND
        ldi(30, 0xFF),
        ldi(31, 0xFF),
        0x9007 | 17 << 4, // elpm r17, Z+, with RAMPZ 0: the byte at 0xFFFF
        0x9006 | 18 << 4, // elpm r18, Z: the byte at 0x10000
        input(19, 0x3B),  // RAMPZ
        ldi(31, 0x40),
        0x9519, // eicall to the word 0x14000
        BREAK,
    ];
    let bytes: &[u16] = &[0x2100, 0x0043];
    let mut machine =
        Machine::with_flash(256 << 10, wide, &[(CODE, &code), (0xFFFE, bytes), (0x2_8000, &[inc(20), RET])]);
    machine.run_to_break();
    assert_eq!(machine.core.cpu().r[17..21], [0x21, 0x43, 1, 1]);
    let ram = machine.bus.memory.ram.bytes();
    let [high, middle, low] = ram[ram.len() - 3..] else { unreachable!() };
    assert_eq!([high, middle, low], [0, 0, ((CODE + 18) >> 1) as u8]);
    let [jump, to] = [0x940D, 0x4000]; // jmp 0x28000
    let mut far = Machine::with_flash(256 << 10, wide, &[(CODE, &[jump, to]), (0x2_8000, &[BREAK])]);
    far.run_to_break();
    assert_eq!(far.core.cpu().pc().get(), 0x2_8000);
}

#[test]
fn break_does_nothing_on_a_part_without_a_debugger() {
    let config = cyclescope_avr::Config { debugger: false, ..config() };
    let mut machine = Machine::with(config, &[(CODE, &[BREAK, NOP])]);
    assert!(matches!(machine.run(100), Stop::Fault(_)));
    assert_eq!(machine.now(), 2);
}

#[test]
fn a_stack_that_runs_into_what_lies_below_it_is_named_once() {
    // RCALL to itself.
    let mut machine = Machine::new(&[NOP, rcall(-1)]);
    machine.core.cpu_mut().stack_floor = 0x7FF;
    machine.run(10_000);
    let overrun = machine.core.cpu().overrun.unwrap();
    // 128 calls fill the bytes from 0x8FF to 0x800; the next is three cycles each after the NOP, data in its second.
    let expected = (CODE + 2, 1 + 128 * 3 + 1, 0x7FF);
    assert_eq!((overrun.pc.get(), overrun.at.get(), overrun.stack_pointer), expected);
    let mut machine = Machine::new(&[push(0), push(0), push(0), BREAK]);
    machine.core.cpu_mut().stack_floor = 0x8FD;
    machine.run_to_break();
    assert_eq!(machine.core.cpu().overrun.map(|overrun| overrun.pc.get()), Some(CODE + 4));
    assert_eq!(machine.core.cpu().sp, 0x8FC);
}

#[test]
fn room_made_below_the_floor_is_an_overrun_and_another_tasks_stack_is_none() {
    let set = |sp: u16| {
        let [low, high] = sp.to_le_bytes();
        [ldi(17, high), out(io::SPH, 17), ldi(16, low), out(io::SPL, 16)]
    };
    let overrun = |code: &[u16]| {
        let mut machine = Machine::new(code);
        machine.core.cpu_mut().stack_floor = 0x5FF;
        machine.run_to_break();
        (machine.core.cpu().overrun.map(|overrun| overrun.deepest), machine.core.cpu().lowest_sp)
    };
    // A frame of locals that reaches below the floor, and then a push.
    let frame = [&[push(0)][..], &set(0x5E0), &[push(0), push(0), BREAK]].concat();
    assert_eq!(overrun(&frame), (Some(0x5DF), 0x5DE));
    // A task's stack, whose registers are popped before it goes on and pushes; back again; and to the task once more.
    let there = [&set(0x200)[..], &[pop(0), push(0), push(0)]].concat();
    let switch = [&[push(0)][..], &there, &set(0x8FE), &[pop(0)], &there, &[BREAK]].concat();
    assert_eq!(overrun(&switch), (None, 0x8FE));
}

#[test]
fn rows_used_are_those_of_code_and_interrupts() {
    let mut machine = Machine::with(config(), &[(CODE, &[SEI, sbi(io::RAISE, 2), NOP, BREAK]), (8, &[RETI])]);
    machine.run_to_break();
    let timing = machine.core.cpu().config.timing;
    let used = machine.core.rows_used();
    let names: Vec<&str> =
        timing.rows.iter().enumerate().filter(|(index, _)| used.contains(*index)).map(|(_, row)| row.name).collect();
    let expected =
        ["RETI", "SBI", "flags", "BREAK", "NOP", "interrupt response", "interrupt delay", "interrupt recognition"];
    assert_eq!(names, expected);
}

#[test]
fn a_call_frame_names_where_a_function_returns_to() {
    let [first, second] = call(CODE + 6);
    let mut machine = Machine::new(&[first, second, BREAK, RET]);
    machine.core.watch(Address::new(CODE + 6));
    assert_eq!(machine.run(100), Stop::Watch(Address::new(CODE + 6)));
    let frame = machine.core.call_frame(&machine.bus);
    assert_eq!((frame.return_address.get(), frame.stack_pointer.get()), (CODE + 4, 0x80_08FF));
    assert!(matches!(machine.run(100), Stop::Breakpoint(..)));
}

#[test]
fn no_random_flash_panics_or_runs_for_ever() {
    let mut seed = 0x1234_5678_9ABC_DEF1u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..300 {
        let words: Vec<u16> = (0..2048).map(|_| random() as u16).collect();
        let mut machine = Machine::with(config(), &[(0, &words)]);
        for register in 0..32 {
            machine.core.cpu_mut().r[register] = random() as u8;
        }
        machine.core.cpu_mut().pc = random() as u32 & 0xFFE;
        let mut stepped = machine.clone();
        machine.run(20_000);
        stepped.trace(20_000);
        assert_eq!(machine.outcome(), stepped.outcome());
    }
}
