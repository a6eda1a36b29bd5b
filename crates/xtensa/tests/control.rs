//! The run loop: however it is cut, watched, cloned or traced, a run is the same.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_compile::{Compiled, Settings};
use cyclescope_engine::laws::Program;
use cyclescope_xtensa::Config;

/// The part of the program that both cores run: the vectors, interrupts of the device and of CCOMPARE, loads whose results are
/// awaited, products, registers of the device, and code that changes.
fn setup(windows: bool) -> Code {
    // PS.WOE is bit 18.
    let ps = if windows { [movi(2, 1), rst("SLLI", 2, 2, 14), addi(2, 2, 0x20)] } else { [movi(2, 0x20); 3] };
    Code::at(RAM)
        .add(&[movi(2, 0x11), special("WSR", 2, sr::PS), rst("RSYNC", 0, 0, 0)])
        .add(&[movi(2, 0x41), special("WSR", 2, sr::INTENABLE), movi(2, 7), s32i(2, 14, io::LATER)])
        .add(&[special("RSR", 2, sr::CCOUNT), addi(2, 2, 50), special("WSR", 2, sr::CCOMPARE0), movi(6, 40)])
        .add(&ps)
        .add(&[special("WSR", 2, sr::PS)])
}

/// Interrupts of level 1 and system calls, at `vector`. A call skips itself and rewrites the constant of the instruction whose address is
/// at DATA + 64; the timer and the line begin anew. The window may be any.
fn handler(vector: u32) -> [Code; 2] {
    let literals = VECTORS + 0x800;
    let stub = Code::at(VECTORS + vector).add(&[special("WSR", 3, sr::EXCSAVE1), special("WSR", 2, sr::EXCSAVE2)]);
    let jump = (literals + 8).wrapping_sub(stub.here() + 4) << 6;
    let handler = Code::at(literals)
        .label("data")
        .word(DATA)
        .label("device")
        .word(DEVICE)
        .add(&[special("RSR", 3, sr::EXCCAUSE)])
        .to(st8("BEQI", 3, 0, 0) | 4 << 12, "interrupt")
        .add(&[special("RSR", 3, sr::EPC1), addi(3, 3, 3), special("WSR", 3, sr::EPC1)])
        .to(rst("L32R", 0, 0, 2), "data")
        .add(&[l32i(3, 2, 64), st8("S8I", 3, 6, 2)])
        .to(rst("J", 0, 0, 0), "out")
        .label("interrupt")
        .to(rst("L32R", 0, 0, 2), "device")
        .add(&[movi(3, 0), s32i(3, 2, io::LOWER), movi(3, 23), s32i(3, 2, io::LATER)])
        .add(&[special("RSR", 3, sr::CCOUNT), addi(3, 3, 77), special("WSR", 3, sr::CCOMPARE0)])
        .to(rst("L32R", 0, 0, 2), "data")
        .add(&[l32i(3, 2, 0), addi(3, 3, 1), s32i(3, 2, 0)])
        .label("out")
        .add(&[special("RSR", 3, sr::EXCSAVE1), special("RSR", 2, sr::EXCSAVE2), rst("RFE", 0, 0, 0)]);
    [stub.add(&[rst("J", 0, 0, 0) | jump & 0xFF_FFC0]), handler]
}

/// A busy program for the LX106.
fn busy() -> Machine {
    let code = setup(false)
        .label("loop")
        .to(rst("CALL0", 0, 0, 0), "sub")
        .add(&[l32i(8, 14, io::TIME), s32i(8, 15, 4), l16si(9, 15, 4), rst("ADD", 9, 9, 9)])
        .add(&[rst("SYSCALL", 0, 0, 0), rst("SSL", 1, 6, 0), rst("SLL", 10, 9, 0), addi(6, 6, -1)])
        .to(rst("BNEZ", 0, 6, 0), "loop")
        .add(&[s32i(0, 14, io::RESET)])
        .align()
        .label("sub")
        .add(&[rst("MULL", 11, 8, 6), rst("XOR", 12, 12, 11), l32i(7, 15, 8)])
        .narrow(rst("ADD.N", 7, 7, 7))
        .label("changes")
        .add(&[addi(13, 13, 3), rst("RET", 0, 0, 0)]);
    let changes = code.address_of("changes");
    let mut machine = Machine::new(lx106(), &[&[code], &handler(0x50)[..]].concat());
    assert!(machine.bus.memory.write(DATA + 64, cyclescope_machine::Width::Word, changes));
    machine
}

/// A busy program for the LX6: the same with loops, windows, the multiplier-accumulator and numbers.
fn busy_windowed() -> Machine {
    let code = setup(true)
        .add(&[movi(2, 1), special("WSR", 2, 224)])
        .label("loop")
        .add(&[rst("OR", 10, 6, 6)])
        .to(rst("CALL8", 0, 0, 0), "sub")
        .add(&[rst("ADD", 5, 5, 10), l32i(8, 14, io::TIME), s32i(8, 15, 5 & !3), l16si(9, 15, 6)])
        .add(&[movi(7, 5)])
        .to(rst("LOOP", 0, 7, 0), "end")
        .add(&[rst("ADD", 9, 9, 8), l32i(10, 15, 8), rst("ADD", 9, 9, 10)])
        .narrow(rst("ADD.N", 9, 9, 9))
        .label("end")
        .add(&[rst("WFR", 1, 9, 0), rst("FLOAT.S", 2, 9, 1), rst("MADD.S", 3, 2, 2), rst("MUL.S", 4, 3, 2)])
        .add(&[rst("MUL.AA", 0, 9, 8), rst("MULA.AA", 0, 9, 8) | 1 << 16, rst("QUOU", 11, 9, 6)])
        .add(&[rst("SYSCALL", 0, 0, 0), addi(6, 6, -1)])
        .to(rst("BNEZ", 0, 6, 0), "loop")
        .add(&[s32i(0, 14, io::RESET)])
        .align()
        .label("sub")
        .add(&[entry(1, 32), movi(4, 3)])
        // Recurses as deep as the count in a2 says, up to seven times.
        .add(&[rst("EXTUI", 3, 0, 2) | 2 << 20])
        .to(rst("BEQZ", 0, 3, 0), "deep")
        .add(&[addi(10, 3, -1)])
        .to(rst("CALL8", 0, 0, 0), "sub")
        .add(&[rst("ADD", 2, 2, 10)])
        .label("deep")
        .label("changes")
        .add(&[addi(4, 4, 3), rst("ADD", 2, 2, 4), rst("RETW", 0, 0, 0)]);
    let changes = code.address_of("changes");
    let mut machine = Machine::new(lx6(), &[&[code, overflow8(), underflow8()], &handler(0x340)[..]].concat());
    // The stack pointer of the caller of the first function, below its own.
    assert!(machine.bus.memory.write(DATA + 0xFF4, cyclescope_machine::Width::Word, DATA + 0x1800));
    assert!(machine.bus.memory.write(DATA + 64, cyclescope_machine::Width::Word, changes));
    machine
}

/// The manual's handler for windows of 8 registers.
fn overflow8() -> Code {
    Code::at(VECTORS + 0x80)
        .add(&[rst("S32E", 12, 9, 0), rst("L32E", 13, 1, 0), rst("S32E", 13, 9, 1), rst("S32E", 14, 9, 2)])
        .add(&[rst("S32E", 15, 9, 3), rst("S32E", 8, 0, 4), rst("S32E", 9, 0, 5), rst("S32E", 10, 0, 6)])
        .add(&[rst("S32E", 11, 0, 7), rst("RFWO", 0, 0, 0)])
}

/// The same back.
fn underflow8() -> Code {
    Code::at(VECTORS + 0xC0)
        .add(&[rst("L32E", 12, 9, 0), rst("L32E", 13, 9, 1), rst("L32E", 14, 9, 2), rst("L32E", 13, 1, 7)])
        .add(&[rst("L32E", 15, 9, 3), rst("L32E", 8, 7, 4), rst("L32E", 9, 7, 5), rst("L32E", 10, 7, 6)])
        .add(&[rst("L32E", 11, 7, 7), rst("RFWU", 0, 0, 0)])
}

fn obeys(make: fn() -> Machine) {
    let mut whole = make();
    whole.finish();
    assert!(whole.core.cpu().exceptions_taken > 60, "{}", whole.core.cpu().exceptions_taken);
    let make = || make().into_parts();
    let watched = [RAM + 36, RAM + 48, VECTORS + 0x808];
    let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &watched };
    program.obeys_all();
    let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
    assert!(regions > 0, "compiled code ran");
}

#[test]
fn a_busy_run_of_the_lx106_obeys_the_laws() {
    obeys(busy);
}

#[test]
fn a_busy_run_of_the_lx6_obeys_the_laws() {
    let mut machine = busy_windowed();
    machine.finish();
    assert_eq!(machine.core.cpu().last_fault, None);
    obeys(busy_windowed);
}

/// Nothing in memory names the place where the loop ends. LCOUNT is written before LEND, or behind it: then LEND alone ends none, nor does
/// it with the 0 of each other turn.
#[test]
fn a_loop_whose_end_a_program_sets_by_itself_ends_there() {
    for order in [[2u32, 1], [1, 2]] {
        let body = RAM + 27;
        let code = Code::at(RAM)
            .label("turn")
            .add(&[l32i(2, 15, 0), special("WSR", 2, 0), rsil(4, 0)])
            .add(
                &order
                    .map(|special| [l32i(2, 15, 4 * special as i32), common::asm::special("WSR", 2, special)])
                    .concat(),
            )
            .add(&[rst("RSYNC", 0, 0, 0), rst("RSYNC", 0, 0, 0)])
            .add(&[addi(3, 3, 1), addi(5, 5, 2), addi(6, 6, 1), addi(7, 7, -1)])
            .add(&[l32i(2, 15, 8), rst("XOR", 2, 2, 8), s32i(2, 15, 8)])
            .to(rst("BNEZ", 0, 7, 0), "turn")
            .add(&end());
        let config: Config = lx6();
        let mut machine = Machine::new(config, &[code]);
        machine.core.cpu_mut().ps.exception = false;
        machine.set(7, 20);
        machine.set(8, 9);
        for (place, value) in [body, body + 6, 9].into_iter().enumerate() {
            let at = DATA + 4 * place as u32;
            assert!(machine.bus.memory.write(at, cyclescope_machine::Width::Word, value));
        }
        machine.finish();
        assert_eq!([machine.a(3), machine.a(5), machine.a(6)], [10 * (10 + 1), 20 * (10 + 1), 20], "{order:?}");
    }
}

/// The end of the loop stands directly behind the instruction that sets its count.
#[test]
fn a_loop_whose_count_its_last_instruction_sets_goes_back() {
    let make = || {
        let code = Code::at(RAM)
            .add(&[rsil(4, 0), movi(6, 10), l32i(2, 15, 0), special("WSR", 2, 0), l32i(2, 15, 4)])
            .add(&[special("WSR", 2, 1), movi(2, 0x0F), special("WSR", 2, sr::PS)])
            .label("turn")
            .add(&[movi(2, 5)])
            .label("begin")
            .add(&[addi(3, 3, 1), addi(2, 2, -1), special("WSR", 2, 2)])
            .label("end")
            .add(&[addi(6, 6, -1)])
            .to(rst("BNEZ", 0, 6, 0), "turn")
            .add(&end());
        let places = [code.address_of("begin"), code.address_of("end")];
        let mut machine = Machine::new(lx6(), &[code]);
        for (at, value) in [DATA, DATA + 4].into_iter().zip(places) {
            assert!(machine.bus.memory.write(at, cyclescope_machine::Width::Word, value));
        }
        machine
    };
    let mut whole = make();
    whole.finish();
    assert_eq!(whole.a(3), 50);
    let make = || make().into_parts();
    Program { make: &make, outcome: &outcome, end: 100_000, watched: &[RAM + 30] }.obeys_all();
}

/// CCOMPARE is written where CCOUNT has just gone by, in the middle of a block.
#[test]
fn a_timer_that_is_set_to_a_cycle_gone_by_does_not_ring() {
    let make = || {
        let code = Code::at(RAM)
            .add(&[
                movi(2, 0x40),
                special("WSR", 2, sr::INTENABLE),
                movi(2, 0x20),
                special("WSR", 2, sr::PS),
                movi(6, 20),
            ])
            .label("turn")
            .add(&[special("RSR", 2, sr::CCOUNT), addi(2, 2, 1), addi(3, 3, 1), addi(3, 3, 1), addi(3, 3, 1)])
            .add(&[special("WSR", 2, sr::CCOMPARE0), addi(6, 6, -1)])
            .to(rst("BNEZ", 0, 6, 0), "turn")
            .add(&end());
        Machine::new(lx106(), &[code])
    };
    let mut whole = make();
    whole.finish();
    assert_eq!(whole.core.cpu().exceptions_taken, 0);
    let make = || make().into_parts();
    Program { make: &make, outcome: &outcome, end: 100_000, watched: &[RAM + 18] }.obeys_all();
}

/// The last instruction of the loop plans an event, so that the run loop looks at everything before the next turn.
#[test]
fn a_loop_goes_back_where_its_last_instruction_leaves_the_block() {
    let code = Code::at(RAM)
        .add(&[movi(7, 5), movi(4, 3), rsil(2, 15), movi(2, 0x2F), special("WSR", 2, sr::PS)])
        .to(rst("LOOP", 0, 7, 0), "end")
        .add(&[addi(3, 3, 1), s32i(4, 14, io::LATER)])
        .label("end")
        .add(&end());
    let mut machine = Machine::new(lx6(), &[code]);
    machine.finish();
    assert_eq!((machine.a(3), machine.core.cpu().loop_count), (5, 0));
}

/// Each turn goes through a loop whose last instruction is a load, which is awaited behind it and at its beginning. In every other turn
/// the program lets it begin an instruction later than LOOP says; half of the turns come there from a loop that is left at once, which
/// ends elsewhere. In an `exception` no loop goes back.
fn looping(exception: bool) -> Machine {
    let code = Code::at(RAM)
        .add(&[movi(2, if exception { 0x1F } else { 0xF }), special("WSR", 2, sr::PS), movi(6, 60)])
        .label("turn")
        .add(&[movi(7, 5), rst("EXTUI", 2, 0, 6), rst("ADDX4", 2, 2, 15), l32i(8, 2, 12)])
        .to(rst("LOOP", 0, 7, 0), "other")
        .to(rst("J", 0, 0, 0), "out")
        .add(&[addi(5, 5, 2)])
        .label("other")
        .label("out")
        .add(&[rst("EXTUI", 12, 1, 6)])
        .to(rst("BNEZ", 0, 12, 0), "begin")
        .to(rst("LOOP", 0, 7, 0), "end")
        .add(&[special("WSR", 8, 0), rst("RSYNC", 0, 0, 0)])
        .label("begin")
        .add(&[rst("ADD", 3, 3, 10), addi(5, 5, 2), l32i(10, 15, 8)])
        .label("end")
        .add(&[rst("ADD", 9, 9, 10), rst("ADDX2", 4, 4, 9), s32i(9, 15, 8), addi(6, 6, -1)])
        .to(rst("BNEZ", 0, 6, 0), "turn")
        .add(&end());
    let begin = code.address_of("begin");
    let mut machine = Machine::new(lx6(), &[code]);
    for (offset, value) in [(8, 1), (12, begin), (16, begin + 3)] {
        assert!(machine.bus.memory.write(DATA + offset, cyclescope_machine::Width::Word, value));
    }
    machine
}

#[test]
fn loops_go_back_as_often_in_compiled_code() {
    for (exception, turns) in [(false, 30 * 5 + 30), (true, 60)] {
        let mut whole = looping(exception);
        whole.finish();
        assert_eq!(whole.a(5), 2 * turns);
        let make = || looping(exception).into_parts();
        let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[RAM + 9] };
        let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
        assert!(regions > 0, "compiled code ran");
    }
}

/// Each turn reads CCOUNT in the middle of a block, moves values through registers that keep them, and changes the level. Then it sets PS.EXCM
/// with a window started ahead: what lies in it is used without an overflow, and ENTRY is illegal. Without EXCM the use overflows, and the
/// handler says that the window is spilled.
fn special_registers() -> Machine {
    let keeping = Code::at(RAM)
        .add(&[movi(6, 60), movi(2, 3), rst("SLLI", 10, 2, 15), movi(11, 0x10), rst("OR", 11, 11, 10)])
        .label("turn")
        .add(&[addi(5, 5, 3), l32i(3, 15, 0), rst("ADD", 9, 9, 3), special("RSR", 4, sr::CCOUNT), rst("XOR", 9, 9, 4)])
        .add(&[special("WSR", 9, sr::EXCSAVE2), rst("ADDX2", 4, 4, 9), special("RSR", 3, sr::EXCSAVE2)])
        .add(&[special("WSR", 4, sr::SAR), rst("SRL", 4, 0, 3), special("RSR", 2, sr::SAR), rst("SUB", 9, 4, 2)])
        .add(&[rsil(4, 3), rst("ADD", 9, 9, 4), special("RSR", 4, sr::PS), rsil(3, 0), rst("ADDX4", 9, 3, 9)])
        .add(&[rst("ADD", 9, 9, 4), movi(2, 0x29), special("WSR", 2, 73), special("WSR", 11, sr::PS)])
        .add(&[rst("ADD", 13, 13, 9), entry(1, 32), rst("ADD", 13, 13, 9), special("WSR", 10, sr::PS)])
        .add(&[rst("ADD", 13, 13, 9), s32i(13, 15, 0), addi(6, 6, -1)])
        .to(rst("BNEZ", 0, 6, 0), "turn")
        .add(&end());
    let skipping = Code::at(VECTORS + 0x3C0).add(&[special("WSR", 3, sr::EXCSAVE1), special("RSR", 3, 192)]).add(&[
        addi(3, 3, 3),
        special("WSR", 3, 192),
        special("RSR", 3, sr::EXCSAVE1),
        rst("RFDE", 0, 0, 0),
    ]);
    let spilled = [0x00, 0x80, 0x100].map(|vector| Code::at(VECTORS + vector).add(&[rst("RFWO", 0, 0, 0)]));
    Machine::new(lx6(), &[&[keeping, skipping], &spilled[..]].concat())
}

#[test]
fn special_registers_are_the_same_in_compiled_code() {
    let mut whole = special_registers();
    whole.finish();
    assert_eq!(whole.core.cpu().exceptions_taken, 2 * 60, "ENTRY and an overflow each turn");
    let make = || special_registers().into_parts();
    let program = Program { make: &make, outcome: &outcome, end: 100_000, watched: &[RAM + 21, RAM + 48] };
    program.obeys_all();
    let regions = program.is_the_same_in_another_tier(&|| Box::new(Compiled::new(Settings::ALL)));
    assert!(regions > 0, "compiled code ran");
}
