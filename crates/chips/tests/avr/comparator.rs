//! The analog comparator against 8271H chapter 23.

use cyclescope_chips::Stimulus;
use cyclescope_machine::Voltage;
use cyclescope_machine::units::Picoseconds;

use crate::asm::*;
use crate::machine::{Machine, nops, pin, set};

const ACSR: u16 = 0x50;
const ACSR_IO: u8 = 0x30;

fn apply(machine: &mut Machine, at: u64, name: &str, voltage: Voltage) {
    machine.stimulate(at, Stimulus::Voltage { pin: pin(name), voltage: Some(voltage) });
}

/// Looks at ACSR in each of ten cycles from `wait` on.
fn looks(wait: usize) -> Vec<u16> {
    [nops(wait), (16..26).map(|register| input(register, ACSR_IO)).collect(), vec![BREAK]].concat()
}

fn looked(machine: &Machine) -> Vec<u8> {
    (16..26).map(|register| machine.r(register)).collect()
}

#[test]
fn the_output_follows_the_voltages_a_cycle_later() {
    let mut machine = Machine::new(&[&looks(10)]);
    apply(&mut machine, 0, "PD7", Voltage::Constant(2_000_000));
    apply(&mut machine, 0, "PD6", Voltage::Constant(1_900_000));
    apply(&mut machine, 13, "PD6", Voltage::Constant(2_100_000));
    machine.run_to_break();
    // The flag for every change is up as well: ACIS is 0.
    assert_eq!(looked(&machine), [0, 0, 0, 0, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30]);
}

#[test]
fn interrupts_come_with_the_edges_that_are_chosen() {
    for (mode, expected) in [(0, 2), (2, 1), (3, 1)] {
        let mut machine = Machine::new(&[&set(ACSR, 0x10 | 8 | mode), &[SEI], &nops(200), &[BREAK]]);
        machine.apply(50, "PD6", true);
        machine.apply(100, "PD6", false);
        machine.run_to_break();
        assert_eq!(machine.r(20), expected, "ACIS = {mode}");
    }
}

#[test]
fn bandgap_and_multiplexer_take_the_places_of_the_pins() {
    // ACBG: 1.1 V against AIN1; with ACME and the converter off against ADC2.
    let read = |machine: &mut Machine| {
        machine.run_to_break();
        [16, 18, 19].map(|register| machine.r(register) & 0x20 != 0)
    };
    let code = [
        set(ACSR, 0x40),
        nops(3),
        vec![input(16, ACSR_IO)],
        set(0x7C, 2),
        set(0x7B, 0x40),
        nops(3),
        vec![input(18, ACSR_IO)],
        // The converter takes its multiplexer back.
        set(0x7A, 0x80),
        nops(3),
        vec![input(19, ACSR_IO), BREAK],
    ]
    .concat();
    let mut machine = Machine::new(&[&code]);
    apply(&mut machine, 0, "PD7", Voltage::Constant(1_000_000));
    apply(&mut machine, 0, "PC2", Voltage::Constant(1_200_000));
    // The registers of `set` are r16: the first look is overwritten, so it is kept elsewhere.
    let [_, multiplexed, back] = read(&mut machine);
    assert_eq!((multiplexed, back), (false, true));
}

#[test]
fn a_ramp_crosses_in_its_cycle_and_timer_1_captures_it() {
    // Timer 1 at the core's clock from cycle 2 on; captures rising edges of the comparator.
    let code =
        [set(0x81, 0x41), set(ACSR, 0x04), nops(2000), lds(24, 0x86).to_vec(), lds(25, 0x87).to_vec(), vec![BREAK]];
    let mut machine = Machine::new(&[&code.concat()]);
    apply(&mut machine, 0, "PD7", Voltage::Constant(1_000_000));
    // 1.6 mV a cycle: above 1 V from cycle 626 on.
    let over = Picoseconds::new(125_000_000);
    apply(&mut machine, 0, "PD6", Voltage::Ramp { from: 0, to: 3_200_000, over });
    machine.run_to_break();
    let captured = u64::from(u16::from_le_bytes([machine.r(24), machine.r(25)]));
    // The comparator's synchroniser and the timer's; the count of a cycle is the one before it.
    assert_eq!(captured, 626 + 1 + 3 - 3 - 1);
}

#[test]
fn a_sine_is_seen_at_every_crossing() {
    let mut machine = Machine::new(&[&set(ACSR, 0x18), &[SEI, HERE]]);
    apply(&mut machine, 0, "PD7", Voltage::Constant(2_500_000));
    // 10 kHz: 1600 cycles; there are ten periods.
    let period = Picoseconds::new(100_000_000);
    apply(&mut machine, 800, "PD6", Voltage::Sine { mean: 2_500_000, amplitude: 1_000_000, period });
    machine.run(800 + 16_000 - 100);
    assert_eq!(machine.r(20), 20);
}

#[test]
fn switched_off_it_says_nothing() {
    let mut machine = Machine::new(&[&set(ACSR, 0x90), &nops(20), &[input(18, ACSR_IO), BREAK]]);
    machine.apply(10, "PD6", true);
    machine.run_to_break();
    assert_eq!(machine.r(18), 0x80);
}
