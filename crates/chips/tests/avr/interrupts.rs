use crate::asm::*;
use crate::machine::{HANDLER, Machine, nops, set};

const EICRA: u16 = 0x69;
const EIMSK: u8 = 0x1D;
const EIFR: u8 = 0x1C;
const PCICR: u16 = 0x68;
const PCIFR: u8 = 0x1B;
const PCMSK0: u16 = 0x6B;
const PCMSK2: u16 = 0x6D;

/// Returns the number of times the handler of INT0 runs while PD2 is high from cycle 100 to 150, and from 170 on.
fn handled(sense: u8) -> u8 {
    let mut machine = Machine::new(&[&set(EICRA, sense), &[sbi(EIMSK, 0), SEI], &nops(200), &[BREAK]]);
    machine.apply(0, "PD2", false);
    machine.apply(100, "PD2", true);
    machine.apply(150, "PD2", false);
    machine.apply(170, "PD2", true);
    machine.run_to_break();
    machine.r(20)
}

#[test]
fn the_external_interrupt_has_four_senses() {
    // 8271H table 13-2.
    assert_eq!([1, 2, 3].map(handled), [3, 1, 2]);
    // A level asks again after each handler, of some 13 cycles with the instruction between.
    assert!((7..=10).contains(&handled(0)), "{}", handled(0));
}

#[test]
fn a_low_level_asks_until_it_ends_and_leaves_no_flag() {
    let mut machine = Machine::new(&[&set(EICRA, 0), &[sbi(EIMSK, 0)], &nops(50), &[input(17, EIFR), BREAK]]);
    machine.apply(0, "PD2", false);
    machine.apply(40, "PD2", true);
    machine.run_to_break();
    assert_eq!(machine.r(17), 0);
    assert_eq!(machine.r(20), 0, "I is clear");
}

#[test]
fn an_edge_is_flagged_even_while_masked_and_a_one_clears_it() {
    let mut machine = Machine::new(&[
        &set(EICRA, 0x0F),
        &nops(60),
        &[input(17, EIFR), sbi(EIFR, 0), input(18, EIFR), ldi(16, 2), out(EIFR, 16), input(19, EIFR), BREAK],
    ]);
    machine.apply(20, "PD2", true);
    machine.apply(30, "PD3", true);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18), machine.r(19)), (3, 2, 0));
}

#[test]
fn an_edge_is_flagged_two_cycles_later_and_a_pin_change_three() {
    let code = |io| (17..24).map(|register| input(register, io)).collect::<Vec<u16>>();
    let seen = |machine: &Machine| (17..24).map(|register| machine.r(register)).take_while(|flags| *flags == 0).count();

    let mut machine = Machine::new(&[&set(EICRA, 3), &code(EIFR), &[BREAK]]);
    machine.apply(3, "PD2", true);
    machine.run_to_break();
    // The reads are at the cycles 3, 4, 5 and on.
    assert_eq!(seen(&machine), 2);

    let mut machine = Machine::new(&[&set(PCMSK0, 1), &code(PCIFR), &[BREAK]]);
    machine.apply(3, "PB0", true);
    machine.run_to_break();
    assert_eq!(seen(&machine), 3, "8271H figure 13-1: pin_sync, pcint_syn, PCIF");
}

#[test]
fn pin_changes_go_by_group_and_mask() {
    let mut machine = Machine::new(&[
        &set(PCMSK0, 0x02),
        &set(PCMSK2, 0x80),
        &set(PCICR, 0x04),
        &[SEI],
        &nops(100),
        &[input(17, PCIFR), BREAK],
    ]);
    machine.apply(20, "PB0", true);
    machine.apply(30, "PB1", true);
    machine.apply(40, "PD7", true);
    machine.apply(60, "PD7", false);
    machine.run_to_break();
    // PB0 is masked, PB1's group flagged and not enabled, PD7's handled twice.
    assert_eq!((machine.r(17), machine.r(20)), (1, 2));
}

#[test]
fn the_handler_of_the_lowest_vector_goes_first() {
    let mut machine = Machine::of(
        &cyclescope_chips::avr::ATMEGA328P,
        &[
            (4, &jmp(0x1100)),
            (8, &jmp(0x1200)),
            (0x1100, &[mov(21, 20), inc(20), RETI]),
            (0x1200, &[mov(22, 20), inc(20), RETI]),
            (HANDLER, &[BREAK]),
            (
                crate::machine::CODE,
                &[set(EICRA, 0x0F), vec![ldi(16, 3), out(EIMSK, 16)], nops(20), vec![SEI], nops(20), vec![BREAK]]
                    .concat(),
            ),
        ],
    );
    machine.apply(8, "PD3", true);
    machine.apply(10, "PD2", true);
    machine.run_to_break();
    assert_eq!((machine.r(21), machine.r(22)), (0, 1));
}

#[test]
fn the_32u4_has_int6_and_its_own_vectors() {
    let mut machine = Machine::of(
        &cyclescope_chips::avr::ATMEGA32U4,
        &[
            (4 * 7, &jmp(0x1100)),
            (0x1100, &[inc(21), RETI]),
            (crate::machine::CODE, &[set(0x6A, 0x30), vec![sbi(EIMSK, 6), SEI], nops(50), vec![BREAK]].concat()),
        ],
    );
    machine.apply(20, "PE6", true);
    machine.run_to_break();
    assert_eq!((machine.r(20), machine.r(21)), (0, 1));
    assert_eq!(machine.gaps(), Vec::<String>::new());
}
