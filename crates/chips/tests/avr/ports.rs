use crate::asm::*;
use crate::joint::joint;
use crate::machine::{CODE, Machine, pin, set};
use cyclescope_avr::DATA_SPACE;
use cyclescope_machine::Stop;
use cyclescope_machine::units::{Address, Cycles};

const PINB: u8 = 0x03;
const DDRB: u8 = 0x04;
const PORTB: u8 = 0x05;

#[test]
fn a_pin_is_read_back_two_cycles_after_out() {
    // 8271H §14.2.4: a NOP is needed between OUT and IN.
    let mut machine =
        Machine::new(&[&[ldi(16, 0xFF), out(DDRB, 16), out(PORTB, 16), input(17, PINB), input(18, PINB), BREAK]]);
    let edges = machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18)), (0x00, 0xFF));
    // OUT is the third cycle, 2; the pins have their level with the edge that ends it.
    assert_eq!(edges.len(), 8);
    assert!(edges.iter().all(|(at, pin, high)| (*at, pin.port, *high) == (3, 1, true)), "{edges:?}");
}

#[test]
fn levels_of_successive_cycles_are_read_in_their_order() {
    let code = [
        ldi(16, 1),
        ldi(19, 0),
        out(DDRB, 16),
        out(PORTB, 16),
        out(PORTB, 19),
        input(17, PINB),
        input(18, PINB),
        BREAK,
    ];
    let mut machine = Machine::new(&[&code]);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18)), (1, 0));
}

#[test]
fn a_level_from_outside_is_read_a_cycle_later() {
    let reads: Vec<u16> = (17..22).map(|register| input(register, PINB)).collect();
    let mut machine = Machine::new(&[&reads, &[BREAK]]);
    machine.apply(2, "PB3", true);
    machine.run_to_break();
    assert_eq!([17, 18, 19, 20, 21].map(|register| machine.r(register)), [0, 0, 0, 8, 8]);
}

#[test]
fn a_one_written_to_pinx_toggles_its_bit_of_portx() {
    let mut machine = Machine::new(&[&[
        ldi(16, 0x0F),
        out(PORTB, 16),
        ldi(16, 0x81),
        out(PINB, 16),
        sbi(PINB, 1),
        cbi(PINB, 2),
        input(17, PORTB),
        BREAK,
    ]]);
    machine.run_to_break();
    assert_eq!(machine.r(17), 0x0F ^ 0x81 ^ 0x02);
}

#[test]
fn setting_one_bit_leaves_the_others_alone() {
    let mut machine =
        Machine::new(&[&[sbi(DDRB, 5), sbi(PORTB, 5), sbi(PORTB, 0), cbi(PORTB, 5), input(17, PORTB), BREAK]]);
    let edges = machine.run_to_break();
    assert_eq!(machine.r(17), 1);
    // SBI and CBI write in their second cycle; the pull-up of PB0 raises it, for nothing drives it.
    assert_eq!(edges, [(4, pin("PB5"), true), (6, pin("PB0"), true), (8, pin("PB5"), false)]);
}

#[test]
fn pull_ups_hold_what_nobody_drives_until_pud() {
    let mut machine = Machine::new(&[
        &[ldi(16, 0x03), out(PORTB, 16), NOP, input(17, PINB)],
        &set(0x55, 0x10),
        &[NOP, input(18, PINB)],
        &set(0x55, 0x00),
        &[NOP, input(19, PINB), BREAK],
    ]);
    machine.apply(0, "PB1", false);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18), machine.r(19)), (1, 0, 1));
    assert_eq!(machine.gaps(), Vec::<String>::new());
}

#[test]
fn what_the_part_drives_beats_what_is_applied() {
    let mut machine = Machine::new(&[&[
        sbi(DDRB, 0),
        sbi(PORTB, 0),
        NOP,
        NOP,
        input(17, PINB),
        cbi(DDRB, 0),
        NOP,
        input(18, PINB),
        BREAK,
    ]]);
    machine.apply(0, "PB0", false);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18)), (1, 0));
}

/// Connects two pins.
fn join(machine: &mut Machine, a: &str, b: &str) {
    let (devices, mut context) = machine.bus.with_context(Cycles::ZERO, Address::ZERO);
    devices.attach(vec![joint([a, b].map(pin))], &mut context);
}

#[test]
fn a_pin_follows_the_one_it_is_connected_with_at_once() {
    const DDRD: u8 = 0x0A;
    const PIND: u8 = 0x09;
    let code = [
        sbi(DDRB, 0),
        ldi(16, 1),
        ldi(17, 0),
        out(PORTB, 16),
        // 8271H §14.2.4: neither pin is read in the cycle behind OUT.
        input(18, PIND),
        input(19, PIND),
        out(PORTB, 17),
        NOP,
        input(20, PIND),
        // An input with its pull-up holds the wire high while nobody drives it.
        out(PORTB, 16),
        cbi(DDRB, 0),
        NOP,
        input(21, PIND),
        out(PORTB, 17),
        NOP,
        input(23, PIND),
        // The other way round.
        sbi(0x0B, 3),
        sbi(DDRD, 3),
        NOP,
        input(22, PINB),
        BREAK,
    ];
    let mut machine = Machine::new(&[&code]);
    join(&mut machine, "PB0", "PD3");
    let edges = machine.run_to_break();
    let read = [18, 19, 20, 21, 23, 22].map(|register| machine.r(register) & 9);
    assert_eq!(read, [0, 8, 0, 8, 0, 1]);
    let at = |name| edges.iter().filter(|(_, known, _)| *known == pin(name)).map(|(at, ..)| *at).collect::<Vec<_>>();
    assert_eq!(at("PB0")[..2], at("PD3")[..2], "{edges:?}");
}

#[test]
fn a_cut_run_and_a_clone_are_the_same_run() {
    let code = [sbi(DDRB, 5), sbi(PINB, 5), inc(17), rjmp(-3)];
    let mut whole = Machine::of(&cyclescope_chips::avr::ATMEGA328P, &[(CODE, &code)]);
    let mut cut = whole.clone();
    let (edges, stop) = whole.run(10_000);
    assert_eq!(stop, Stop::Horizon);
    let mut pieces = Vec::new();
    for until in (0..=10_000).step_by(7).chain([10_000]) {
        pieces.extend(cut.run(until).0);
        if until % 3 == 0 {
            let copy = cut.clone();
            cut.core.restore(&copy.core);
            cut.bus.peripherals.restore(&copy.bus.peripherals);
        }
    }
    assert_eq!(edges, pieces);
    assert_eq!((whole.now(), whole.r(17)), (cut.now(), cut.r(17)));
    assert_eq!(whole.bus.memory.ram.base().get(), DATA_SPACE + 0x100);
}
