//! Exceptions, interrupts and windows as the manual has them.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::Stop;
use cyclescope_xtensa::{Config, InstructionSet as _, Ps};

/// A vector that ends the run.
fn ends(vector: u32) -> Code {
    Code::at(VECTORS + vector).add(&end())
}

fn free(config: Config, code: &[Code]) -> Machine {
    let mut machine = Machine::new(config, code);
    machine.core.cpu_mut().ps = Ps { user: true, windows: true, ..Ps::default() };
    machine
}

#[test]
fn an_unaligned_load_is_an_exception_on_the_lx106_and_none_on_the_lx6() {
    let code = || Code::at(RAM).add(&[movi(3, 0x7F), s32i(3, 15, 4), addi(2, 15, 3), l32i(3, 2, 0)]).add(&end());
    let mut machine = free(lx106(), &[code(), ends(0x50)]);
    machine.finish();
    let cpu = machine.core.cpu();
    assert_eq!((cpu.cause, cpu.address, cpu.epc[1]), (9, DATA + 3, RAM + 9));
    let mut machine = free(lx6(), &[code(), ends(0x340)]);
    machine.finish();
    assert_eq!((machine.a(3), machine.core.cpu().exceptions_taken), (0x7F00, 0));
}

#[test]
fn a_byte_of_the_instruction_bus_is_refused() {
    let config = Config { word_only: &[DATA..DATA + 0x80, DATA + 0x80..DATA + 0x100], ..lx106() };
    let code = Code::at(RAM).add(&[l32i(2, 15, 0), st8("L8UI", 15, 2, 4)]);
    let mut machine = free(config, &[code, ends(0x50)]);
    // Such RAM is never the main one, whose accesses are not looked at.
    machine.bus.memory.ram.close(true);
    machine.finish();
    let cpu = machine.core.cpu();
    assert_eq!((cpu.cause, cpu.address, cpu.epc[1]), (3, DATA + 4, RAM + 3));
}

#[test]
fn an_exception_within_one_goes_to_its_own_vector() {
    let code = Code::at(RAM).add(&[rst("SYSCALL", 0, 0, 0)]);
    let user = Code::at(VECTORS + 0x50).add(&[0]);
    let mut machine = free(lx106(), &[code, user, ends(0x70)]);
    machine.finish();
    let cpu = machine.core.cpu();
    assert_eq!((cpu.epc[1], cpu.epc[0], cpu.cause), (RAM, VECTORS + 0x50, 0));
    // There another one would go on for ever.
    let double = Code::at(VECTORS + 0x70).add(&[0]);
    let mut machine = free(lx106(), &[Code::at(RAM).add(&[0]), Code::at(VECTORS + 0x50).add(&[0]), double]);
    assert!(matches!(machine.run(1000), Stop::Lockup(_)));
}

#[test]
fn levels_decide_who_interrupts_whom() {
    // Line 19 has level 2, line 23 level 3: the higher one comes first, the lower one waits for its end.
    let code = Code::at(RAM)
        .add(&[movi(4, 19), s32i(4, 14, io::RAISE), movi(4, 23), s32i(4, 14, io::RAISE)])
        .add(&[rsil(5, 0), addi(6, 6, 1)])
        .add(&end());
    let low = Code::at(VECTORS + 0x180).add(&[
        movi(4, 19),
        s32i(4, 14, io::LOWER),
        addi(7, 8, 10),
        rst("RFI", 0, 2, 1) | 2 << 8,
    ]);
    let high = Code::at(VECTORS + 0x1C0).add(&[
        movi(4, 23),
        s32i(4, 14, io::LOWER),
        addi(8, 8, 1),
        rst("RFI", 0, 3, 0) | 3 << 8,
    ]);
    let mut machine = free(lx6(), &[code, low, high]);
    machine.core.cpu_mut().ps.level = 15;
    machine.core.cpu_mut().enabled = 1 << 19 | 1 << 23;
    machine.finish();
    assert_eq!([machine.a(8), machine.a(7), machine.a(6)], [1, 11, 1]);
    assert_eq!(machine.core.cpu().ps.level, 0);
}

#[test]
fn a_sleeping_core_wakes_at_an_interrupt() {
    let code =
        Code::at(RAM).add(&[movi(2, 100), s32i(2, 14, io::LATER), rst("WAITI", 0, 0, 0), addi(6, 6, 1)]).add(&end());
    let user = Code::at(VECTORS + 0x50).add(&[movi(2, 0), s32i(2, 14, io::LOWER), rst("RFE", 0, 0, 0)]);
    let mut machine = free(lx106(), &[code, user]);
    machine.core.cpu_mut().enabled = 1;
    let end = machine.finish();
    assert_eq!((machine.a(6), machine.core.cpu().epc[1]), (1, RAM + 9));
    assert!((100..140).contains(&end), "{end}");
    let sleeps = machine.bus.peripherals.log.iter().filter(|(_, what, _)| *what == u32::MAX - 1).count();
    assert_eq!(sleeps, 2);
}

#[test]
fn a_timer_counts_to_its_compare_and_is_cleared_by_writing_it() {
    let code = Code::at(RAM)
        .add(&[special("RSR", 2, sr::CCOUNT), addi(2, 2, 60), special("WSR", 2, sr::CCOMPARE0), rst("WAITI", 0, 0, 0)])
        .add(&end());
    let user = Code::at(VECTORS + 0x50)
        .add(&[special("RSR", 3, sr::CCOUNT), special("RSR", 5, sr::INTSET), special("WSR", 2, sr::CCOMPARE0)])
        .add(&[special("RSR", 4, sr::INTSET), rst("RFE", 0, 0, 0)]);
    let mut machine = free(lx106(), &[code, user]);
    machine.core.cpu_mut().enabled = 1 << 6;
    machine.finish();
    let late = machine.a(3).wrapping_sub(machine.a(2));
    assert!((1..20).contains(&late), "{late}");
    assert_eq!([machine.a(5), machine.a(4)], [1 << 6, 0]);
}

#[test]
fn icount_stops_before_the_instruction_that_it_counts_to() {
    let code = Code::at(RAM)
        .add(&[movi(2, -3), special("WSR", 2, sr::ICOUNT), movi(2, 2), special("WSR", 2, sr::ICOUNTLEVEL)])
        .add(&[rst("ISYNC", 0, 0, 0), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1)]);
    let mut machine = free(lx106(), &[code, ends(0x10)]);
    machine.finish();
    let cpu = machine.core.cpu();
    assert_eq!((cpu.get(6), cpu.epc[2], cpu.ps.level), (1, RAM + 18, 2));
}

#[test]
fn windows_rotate_by_what_the_call_says() {
    let code = Code::at(RAM)
        .add(&[movi(10, 7)])
        .to(rst("CALL8", 0, 0, 0), "sub")
        .add(&[rst("ADD", 6, 10, 10)])
        .add(&end())
        .align()
        .label("sub")
        .add(&[entry(1, 48), rst("ADD", 2, 2, 2), rst("RETW", 0, 0, 0)]);
    let mut machine = free(lx6(), &[code]);
    machine.finish();
    let cpu = machine.core.cpu();
    assert_eq!((machine.a(6), machine.a(9), cpu.window_base, cpu.window_start), (28, DATA + 0x1000 - 48, 0, 1));
}

#[test]
fn a_register_of_another_window_is_spilled_before_it_is_used() {
    // The window two ahead has started: a8 cannot be used before it is spilled; a7 can.
    let code = Code::at(RAM).add(&[movi(7, 1), movi(8, 2)]);
    let mut machine = free(lx6(), &[code, ends(0x80)]);
    assert!(machine.core.cpu_mut().set_register(20, 1 | 1 << 2 | 1 << 4));
    let stop = machine.run(100);
    let cpu = machine.core.cpu();
    // The handler's a14 is not the device.
    assert!(!matches!(stop, Stop::Reset(_)));
    assert_eq!((cpu.window_base, cpu.ps.old_base, cpu.epc[1]), (2, 0, RAM + 3));
}

#[test]
fn litbase_moves_the_literals_of_a_core_that_has_it() {
    let code = || {
        Code::at(RAM)
            .add(&[rst("J", 0, 0, 0) | 4 << 6])
            .align()
            .label("literal")
            .word(7)
            .to(rst("L32R", 0, 0, 2), "literal")
            .add(&[special("WSR", 4, sr::LITBASE)])
            // The word before the data's.
            .add(&[rst("L32R", 0, 0, 3) | 0xFFFF << 8, special("WSR", 5, sr::LITBASE)])
            .to(rst("L32R", 0, 0, 6), "literal")
            .add(&end())
    };
    let mut machine = free(lx106(), &[code()]);
    machine.set(4, DATA | 1);
    assert!(machine.bus.memory.write(DATA - 4, cyclescope_machine::Width::Word, 9));
    machine.finish();
    assert_eq!([2, 3, 6].map(|register| machine.a(register)), [7, 9, 7]);
    let mut machine = free(lx6(), &[code(), ends(0x340)]);
    machine.finish();
    assert_eq!((machine.core.cpu().cause, machine.core.cpu().epc[1]), (0, RAM + 11));
}
