//! Interrupts, sleep and what may not come between: ATmega328P datasheet (8271H) §7.7 and chapter 10.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Signal, SignalKind, Stop};

/// `code` at its place, and a handler that counts in r20 at each of vectors 1 to 5.
fn machine(code: &[u16]) -> Machine {
    let count: &[u16] = &[inc(20), RETI];
    let mut places = vec![(CODE, code)];
    places.extend((1..6).map(|vector| (4 * vector, count)));
    Machine::with(config(), &places)
}

/// The pcs of the instructions retired.
fn path(machine: &mut Machine) -> Vec<u32> {
    let (retired, stop) = machine.trace(10_000);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
    retired.iter().map(|retire| retire.pc.get()).collect()
}

#[test]
fn the_lowest_vector_goes_first_and_one_instruction_executes_between() {
    let code = [ldi(16, 5), out(io::RAISE, 16), ldi(16, 2), out(io::RAISE, 16), SEI, NOP, NOP, NOP, BREAK];
    let mut machine = machine(&code);
    let first = CODE + 10;
    let expected = [CODE, CODE + 2, CODE + 4, CODE + 6, CODE + 8, first, 8, 10, first + 2, 20, 22, first + 4];
    assert_eq!(path(&mut machine), expected, "one instruction after SEI, and one after RETI");
    assert_eq!(machine.core.cpu().interrupts_taken, 2);
    assert_eq!(machine.core.cpu().sp, 0x8FF);
    assert_eq!(machine.core.cpu().lowest_sp, 0x8FD);
    assert!(machine.core.cpu().active_vectors().is_empty());
}

#[test]
fn a_return_address_lies_with_its_low_byte_above_its_high_one() {
    let mut machine = machine(&[ldi(16, 2), out(io::RAISE, 16), SEI, NOP, NOP, BREAK]);
    machine.run_to_break();
    let ram = machine.bus.memory.ram.bytes();
    let word = (CODE + 8) >> 1;
    assert_eq!(ram[ram.len() - 2..], [(word >> 8) as u8, word as u8]);
}

#[test]
fn sei_and_sleep_cannot_be_parted() {
    // The line is high before SEI: sleep is entered all the same, and left at once.
    let code = [ldi(16, 1), out(io::SMCR, 16), ldi(16, 2), out(io::RAISE, 16), SEI, SLEEP, NOP, BREAK];
    let mut machine = machine(&code);
    let pcs = path(&mut machine);
    assert_eq!(pcs[4..], [CODE + 8, CODE + 10, 8, 10, CODE + 12]);
    let log: Vec<_> = machine.log().iter().filter(|(_, what)| matches!(what, Happened::Asleep(..))).collect();
    assert_eq!(log, [&(6, Happened::Asleep(true, 0)), &(10, Happened::Asleep(false, 0))]);
}

#[test]
fn cli_lets_nothing_come_after_it() {
    let mut machine = machine(&[SEI, ldi(16, 2), out(io::LATER, 16), CLI, NOP, NOP, BREAK]);
    machine.run_to_break();
    // The event is due at the end of CLI.
    assert_eq!(machine.core.cpu().interrupts_taken, 0);
    assert!(machine.log().contains(&(4, Happened::Event)));
}

#[test]
fn a_write_to_sreg_that_sets_i_lets_one_instruction_execute_however_it_is_written() {
    let [store, to] = sts(0x5F, 17);
    for write in [&[out(io::SREG, 17)][..], &[store, to]] {
        let code = [&[ldi(16, 2), out(io::RAISE, 16), ldi(17, 0x80)], write, &[NOP, NOP, BREAK]].concat();
        let mut machine = machine(&code);
        let after = CODE + 6 + 2 * write.len() as u32;
        let pcs = path(&mut machine);
        assert_eq!(pcs[4..], [after, 8, 10, after + 2]);
    }
}

#[test]
fn a_level_that_stays_comes_again_and_again_with_one_instruction_between() {
    let mut machine = machine(&[ldi(16, 2), SEI, out(io::RAISE, 16), NOP, NOP, NOP, BREAK]);
    machine.bus.peripherals.level = true;
    machine.run_to_break();
    assert_eq!(machine.core.cpu().get(20), 4, "after OUT, and after each NOP");
}

#[test]
fn sleep_without_an_interrupt_to_come_is_a_deadlock_and_without_i_nothing_wakes() {
    let code = [ldi(16, 0x5), out(io::SMCR, 16), SEI, SLEEP, BREAK];
    let mut asleep = machine(&code);
    assert_eq!(asleep.run(1000), Stop::Deadlock(Address::new(CODE + 8)));
    assert_eq!(asleep.core.cpu().asleep, Some(2), "power-down");
    assert_eq!(asleep.now(), 4);
    // From outside.
    asleep.bus.shared.interrupts.set(1, true);
    asleep.run_to_break();
    let code = [ldi(16, 1), out(io::SMCR, 16), ldi(16, 9), out(io::LATER, 16), CLI, SLEEP, BREAK];
    assert_eq!(machine(&code).run(1000), Stop::Deadlock(Address::new(CODE + 12)));
    assert_eq!(machine(&code).run(10), Stop::Horizon, "the event is yet to come");
}

#[test]
fn a_run_ends_at_its_limit_asleep_and_awake_with_what_is_under_way() {
    // Asleep from 7 on; the line rises at 23, the clock has started up at 123, and waking takes four cycles more.
    let code = [ldi(16, 1), out(io::SMCR, 16), ldi(16, 20), out(io::LATER, 16), SEI, NOP, SLEEP, NOP, HERE];
    let mut machine = machine(&code);
    machine.bus.peripherals.start_up = 100;
    let (retired, _) = machine.clone().trace(200);
    let mut cut = machine.clone();
    for until in 1..200 {
        let mut machine = machine.clone();
        assert_eq!((machine.run(until), cut.run(until)), (Stop::Horizon, Stop::Horizon));
        let ends = retired.iter().flat_map(|retire| [retire.at, retire.at + retire.cycles]).map(Cycles::get);
        let expected =
            if (7..=123).contains(&until) { Some(until) } else { ends.chain([127]).filter(|at| *at >= until).min() };
        assert_eq!(Some(machine.now()), expected, "limit {until}");
        assert_eq!(machine.outcome(), cut.outcome(), "limit {until}");
    }
}

#[test]
fn vectors_move_to_the_boot_section() {
    let code = [ldi(16, 2), SEI, out(io::RAISE, 16), NOP, BREAK];
    let mut machine = Machine::with(config(), &[(CODE, &code), (0x800 + 8, &[inc(21), RETI])]);
    machine.bus.peripherals.vector_base = 0x800;
    machine.run_to_break();
    assert_eq!(machine.core.cpu().get(21), 1);
}

#[test]
fn signals_carry_their_cycles() {
    let mut machine = machine(&[SEI, ldi(16, 4), out(io::LATER, 16), NOP, NOP, NOP, NOP, NOP, BREAK]);
    machine.bus.shared.signals.want(SignalKind::Exception);
    let mut met = Vec::new();
    while machine.run(1000) == Stop::Signal {
        met.extend(machine.bus.shared.signals.drain());
    }
    let expected = [
        (Cycles::new(6), Signal::ExceptionPended { number: 3 }),
        (Cycles::new(10), Signal::ExceptionEntered { number: 3 }),
        (Cycles::new(15), Signal::ExceptionReturned { number: 3 }),
    ];
    assert_eq!(met, expected);
}

#[test]
fn wdr_and_bits_of_flag_registers_reach_their_blocks() {
    let mut machine = machine(&[WDR, sbi(io::FLAGS, 1), BREAK]);
    machine.bus.peripherals.flags = 0b111;
    machine.run_to_break();
    assert_eq!(machine.bus.peripherals.flags, 0b101, "only the bit named");
    assert_eq!(machine.log(), [(0, Happened::Watchdog), (2, Happened::Bit(0x25, 1, true))]);
}
