//! The converter: results, and times from 8271H chapter 24.

use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::ATMEGA328P;
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{SignalKind, Transfer, Voltage};

use crate::asm::*;
use crate::machine::{CODE, Machine, nops, pin, set};
use crate::probe::watch;

const ADCL: u16 = 0x78;
const ADCH: u16 = 0x79;
const ADCSRA: u16 = 0x7A;
const ADCSRB: u16 = 0x7B;
const ADMUX: u16 = 0x7C;
const DIDR0: u16 = 0x7E;
const ADEN: u8 = 0x80;
const ADSC: u8 = 0xC0;
/// AVCC is the reference.
const AVCC: u8 = 0x40;

fn apply(machine: &mut Machine, at: u64, name: &str, voltage: Voltage) {
    machine.stimulate(at, Stimulus::Voltage { pin: pin(name), voltage: Some(voltage) });
}

/// ADCL and ADCH into two registers.
fn result(register: u16) -> Vec<u16> {
    [lds(register, ADCL), lds(register + 1, ADCH)].concat()
}

/// Waits for the end of a conversion.
fn wait() -> Vec<u16> {
    [&lds(17, ADCSRA)[..], &[sbrc(17, 6), rjmp(-4)]].concat()
}

fn taken(machine: &Machine, register: u8) -> u16 {
    u16::from_le_bytes([machine.r(register), machine.r(register + 1)])
}

/// The ends of conversions with their channels and results.
fn conversions(machine: &mut Machine) -> Vec<(u64, u8, u16)> {
    machine.bus.shared.signals.want(SignalKind::Transfer);
    let (_, transfers) = watch(machine);
    let conversions = transfers.into_iter().map(|(at, _, transfer)| match transfer {
        Transfer::Conversion { channel, value } => (at, channel, value),
        other => panic!("{other:?}"),
    });
    conversions.collect()
}

#[test]
fn the_first_conversion_takes_25_clocks_and_the_others_13() {
    for (adps, divider) in [(0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 64), (7, 128)] {
        let mut machine = Machine::new(&[
            &set(ADMUX, AVCC),
            &set(ADCSRA, ADEN | adps),
            &set(ADCSRA, ADSC | adps),
            &nops(28 * 128),
            &set(ADCSRA, ADSC | adps),
            &nops(16 * 128),
            &[BREAK],
        ]);
        apply(&mut machine, 0, "PC0", Voltage::Constant(2_500_000));
        let seen = conversions(&mut machine);
        // ADEN is written in cycle 5, from which on the prescaler counts; ADSC in cycle 8 and later.
        let after = |written: u64| 5 + ((written - 5) / divider + 1) * divider;
        let second = 8 + 28 * 128 + 3;
        let expected = [after(8) + 25 * divider, after(second) + 13 * divider];
        assert_eq!(seen, expected.map(|at| (at, 0, 512)), "clock/{divider}");
    }
}

#[test]
fn results_are_the_voltage_s_share_of_the_reference() {
    let run = |admux: u8, voltage: i32| {
        let mut machine = Machine::new(&[&set(ADMUX, admux), &set(ADCSRA, ADSC | 2), &wait(), &result(18), &[BREAK]]);
        apply(&mut machine, 0, "PC3", Voltage::Constant(voltage));
        machine.run_to_break();
        (taken(&machine, 18), machine.gaps())
    };
    for (admux, voltage, expected) in [
        (AVCC | 3, 0, 0),
        (AVCC | 3, 4_882, 0),
        (AVCC | 3, 4_883, 1),
        (AVCC | 3, 3_300_000, 675),
        (AVCC | 3, 5_000_000, 1023),
        (AVCC | 3, -100_000, 0),
        (0xC0 | 3, 550_000, 512),
        // The bandgap, ground, and the sensor at 25 degrees.
        (AVCC | 14, 0, 225),
        (AVCC | 15, 0, 0),
        (0xC0 | 8, 0, 292),
        // ADLAR.
        (AVCC | 0x20 | 3, 3_300_000, 675 << 6),
    ] {
        assert_eq!(run(admux, voltage), (expected, vec![]), "{admux:#x} {voltage}");
    }
    assert_eq!(run(3, 5_000_000).1, ["ADC: its reference is AREF, which nothing drives; taken as AVCC"]);
    assert_eq!(run(AVCC | 7, 0).1, ["ADC: this part has no pin ADC7, taken as 0 V"]);
    assert_eq!(run(AVCC | 1, 0).1, ["ADC: nothing drives PC1 (ADC1), taken as 0 V"]);
    assert_eq!(run(AVCC | 9, 0).1, ["ADC: MUX = 0x09 is reserved"]);
}

#[test]
fn the_sensor_follows_the_part_s_temperature() {
    let mut machine = Machine::new(&[&set(ADMUX, 0xC8), &set(ADCSRA, ADSC | 2), &wait(), &result(18), &[BREAK]]);
    let (device, name, value) = ("die".into(), "temperature".into(), "85".into());
    machine.stimulate(1, Stimulus::Device { device, name, value });
    machine.run_to_break();
    // 380 mV of 1.1 V.
    assert_eq!((taken(&machine, 18), machine.gaps()), (353, vec![]));
}

#[test]
fn a_sample_is_of_its_own_moment() {
    // A ramp of 1 V a millisecond: 16 cycles are a millivolt.
    let mut machine = Machine::new(&[
        &set(ADMUX, 0xC0),
        &set(ADCSRA, ADSC | 7),
        &nops(4000),
        &set(ADCSRA, ADSC | 7),
        &nops(2000),
        &[BREAK],
    ]);
    let over = Picoseconds::new(1_000_000_000);
    apply(&mut machine, 0, "PC0", Voltage::Ramp { from: 0, to: 1_000_000, over });
    let seen = conversions(&mut machine);
    // 13.5 clocks after the first begins, 1.5 after the second.
    let value = |cycle: u64| (cycle * 1_000_000 / 16_000 * 1024 / 1_100_000) as u16;
    let begin = |end: u64, length: u64| end - length * 128;
    assert_eq!(seen[0].2, value(begin(seen[0].0, 25) + 27 * 64));
    assert_eq!(seen[1].2, value(begin(seen[1].0, 13) + 3 * 64));
}

#[test]
fn the_channel_is_locked_while_a_conversion_is_under_way() {
    let mut machine = Machine::new(&[
        &set(ADMUX, AVCC),
        &set(ADCSRA, ADSC | 4),
        &nops(40),
        &set(ADMUX, AVCC | 1),
        &wait(),
        &set(ADCSRA, ADSC | 4),
        &wait(),
        &[BREAK],
    ]);
    apply(&mut machine, 0, "PC0", Voltage::Constant(1_000_000));
    apply(&mut machine, 0, "PC1", Voltage::Constant(2_000_000));
    let seen: Vec<(u8, u16)> =
        conversions(&mut machine).into_iter().map(|(_, channel, value)| (channel, value)).collect();
    assert_eq!(seen, [(0, 204), (1, 409)]);
}

#[test]
fn free_running_converts_every_13_clocks() {
    let mut machine = Machine::new(&[
        &set(ADMUX, AVCC),
        &set(ADCSRA, ADSC | 0x20 | 4),
        &nops(2000),
        // Switched off, it stops at once.
        &set(ADCSRA, 0),
        &nops(1000),
        &[BREAK],
    ]);
    apply(&mut machine, 0, "PC0", Voltage::Constant(1_000_000));
    let ends: Vec<u64> = conversions(&mut machine).into_iter().map(|(at, ..)| at).collect();
    assert_eq!(ends[0], 5 + 16 + 25 * 16);
    assert!(ends.windows(2).all(|pair| pair[1] - pair[0] == 13 * 16));
    assert_eq!(ends.len() as u64, 1 + (2000 - 26 * 16) / (13 * 16));
}

#[test]
fn reading_adcl_holds_the_result_until_adch_is_read() {
    let mut machine = Machine::new(&[
        &set(ADMUX, AVCC),
        &set(ADCSRA, ADSC | 2),
        &wait(),
        &lds(18, ADCL),
        &set(ADMUX, AVCC | 1),
        &set(ADCSRA, ADSC | 2),
        &wait(),
        &lds(19, ADCH),
        &result(22),
        &set(ADCSRA, ADSC | 2),
        &wait(),
        &result(24),
        &[BREAK],
    ]);
    apply(&mut machine, 0, "PC0", Voltage::Constant(1_000_000));
    apply(&mut machine, 0, "PC1", Voltage::Constant(4_000_000));
    machine.run_to_break();
    assert_eq!([taken(&machine, 18), taken(&machine, 22), taken(&machine, 24)], [204, 204, 819]);
}

#[test]
fn the_handler_or_a_one_clears_the_flag() {
    let code = |interrupt: u8, sei: u16| {
        [
            set(ADMUX, AVCC | 15),
            set(ADCSRA, ADSC | interrupt | 2),
            vec![sei],
            nops(200),
            lds(18, ADCSRA).to_vec(),
            set(ADCSRA, ADEN | 0x10 | 2),
            lds(19, ADCSRA).to_vec(),
            vec![BREAK],
        ]
        .concat()
    };
    let run = |interrupt, sei| {
        let mut machine = Machine::of(&ATMEGA328P, &[(CODE, &code(interrupt, sei))]);
        machine.run_to_break();
        [18, 19, 20].map(|register| machine.r(register))
    };
    assert_eq!(run(0, NOP), [0x92, 0x82, 0]);
    assert_eq!(run(8, SEI), [0x8A, 0x82, 1]);
}

#[test]
fn a_trigger_s_flag_converts_in_13_and_a_half_clocks() {
    // Timer 0: OCR0A = 99 in CTC at clk/8, 800 cycles apart; its flag has to be cleared, here by its own handler.
    let clear = [&set(0x35, 0x07), &set(0x36, 0x27)[..], &set(0x50, 0x10), &[RETI]].concat();
    let run = |source: u8, setup: &[Vec<u16>], more: &dyn Fn(&mut Machine)| {
        let code = [
            &set(ADMUX, AVCC | 15)[..],
            &set(ADCSRB, source),
            &set(ADCSRA, ADSC | 4),
            &nops(500),
            &setup.concat(),
            &set(ADCSRA, ADEN | 0x20 | 0x10 | 4),
            &[SEI],
            &nops(4500),
            &[BREAK],
        ]
        .concat();
        let vectors = [1, 10, 11, 12, 13, 14, 16, 23].map(|vector| (4 * vector, jmp(0x6000)));
        let mut sections: Vec<(u32, &[u16])> = vectors.iter().map(|(at, words)| (*at, &words[..])).collect();
        sections.extend([(0x6000, &clear[..]), (CODE, &code[..])]);
        let mut machine = Machine::of(&ATMEGA328P, &sections);
        more(&mut machine);
        let ends: Vec<u64> = conversions(&mut machine).into_iter().skip(1).map(|(at, ..)| at).collect();
        (ends, machine)
    };
    // Without an interrupt and with its flag cleared never: one conversion only.
    let (ends, _) = run(3, &[set(0x44, 2), set(0x47, 99), set(0x45, 2)], &|_| {});
    assert_eq!(ends.len(), 1, "{ends:?}");
    let (ends, _) = run(3, &[set(0x44, 2), set(0x47, 99), set(0x6E, 2), set(0x45, 2)], &|_| {});
    assert!(ends.len() >= 3 && ends.windows(2).all(|pair| pair[1] - pair[0] == 800), "{ends:?}");
    let periodic: [(u8, &[Vec<u16>], u64); 4] = [
        // Overflow of Timer 0, compare B, overflow and capture (by its pin) of Timer 1.
        (4, &[set(0x6E, 1), set(0x45, 1)], 256),
        (5, &[set(0x80, 3), set(0x81, 9), set(0x8B, 0), set(0x8A, 9), set(0x6F, 4)], 1024),
        (6, &[set(0x80, 3), set(0x81, 9), set(0x6F, 1)], 1024),
        (7, &[set(0x81, 0x41), set(0x6F, 0x20)], 0),
    ];
    for (source, setup, period) in periodic {
        let (ends, _) = run(source, setup, &|machine| {
            machine.apply(1000, "PB0", true);
            machine.apply(1500, "PB0", false);
            machine.apply(2000, "PB0", true);
        });
        // A flag that is up already when the source is chosen is a trigger, too.
        let first = usize::from(period > 0);
        let gaps: Vec<u64> = ends[first..].windows(2).map(|pair| pair[1] - pair[0]).collect();
        match period {
            0 => assert_eq!(gaps, [1000], "source {source}"),
            // A trigger during a conversion is lost.
            period => {
                assert!(!gaps.is_empty() && gaps.iter().all(|gap| gap % period == 0), "source {source}: {ends:?}")
            }
        }
    }
    // INT0 on rising edges: the flag comes two cycles behind the edge, the prescaler's reset three behind the flag.
    let (ends, _) = run(2, &[set(0x69, 3), set(0x3D, 1)], &|machine| machine.apply(1501, "PD2", true));
    assert_eq!(ends, [1501 + 2 + 3 + 27 * 8]);
    // The comparator: its flag comes a cycle behind the crossing.
    let (ends, _) = run(1, &[set(0x50, 0x1B)], &|machine| machine.apply(1500, "PD6", true));
    assert_eq!(ends, [1500 + 1 + 3 + 27 * 8]);
}

#[test]
fn noise_reduction_converts_while_the_core_and_its_timers_stand_still() {
    let code = [
        set(ADMUX, AVCC),
        set(0x45, 1),
        set(ADCSRA, ADEN | 8 | 7),
        vec![SEI],
        // SMCR: ADC Noise Reduction.
        set(0x53, 3),
        vec![input(18, 0x26), SLEEP, input(19, 0x26)],
        result(22),
        vec![BREAK],
    ];
    let mut machine = Machine::new(&[&code.concat()]);
    apply(&mut machine, 0, "PC0", Voltage::Constant(2_500_000));
    machine.run_to_break();
    assert_eq!((taken(&machine, 22), machine.r(20)), (512, 1));
    // The core was away for 25 clocks of 128 cycles, of which Timer 0 saw nothing.
    assert!(machine.now() > 25 * 128, "{}", machine.now());
    let counted = machine.r(19).wrapping_sub(machine.r(18));
    assert!(counted < 30, "{counted}");
}

#[test]
fn a_digital_input_that_is_off_reads_zero() {
    let mut machine = Machine::new(&[&set(DIDR0, 1), &[input(18, 0x06)], &set(DIDR0, 0), &[input(19, 0x06), BREAK]]);
    machine.apply(0, "PC0", true);
    machine.apply(0, "PC1", true);
    machine.run_to_break();
    assert_eq!((machine.r(18), machine.r(19)), (2, 3));
}

#[test]
fn the_32u4_measures_differences_with_a_gain() {
    let run = |mux: u8, high: i32, low: i32| {
        let mut machine = Machine::u4(&[
            &set(ADCSRB, if mux & 0x20 != 0 { 0xA0 } else { 0x80 }),
            &set(ADMUX, AVCC | mux & 0x1F),
            &set(ADCSRA, ADSC | 2),
            &wait(),
            &set(ADCSRA, ADSC | 2),
            &wait(),
            &result(18),
            &[BREAK],
        ]);
        apply(&mut machine, 0, "PF5", Voltage::Constant(high));
        apply(&mut machine, 0, "PF0", Voltage::Constant(low));
        apply(&mut machine, 0, "PF1", Voltage::Constant(low));
        apply(&mut machine, 0, "PD4", Voltage::Constant(high));
        let ends: Vec<u64> = conversions(&mut machine).into_iter().map(|(at, ..)| at).collect();
        ((taken(&machine, 18) << 6) as i16 >> 6, ends[1] - ends[0])
    };
    // ADC5 against ADC0, gain 10: 100 mV of 5 V.
    assert_eq!(run(0x29, 1_100_000, 1_000_000).0, 102);
    assert_eq!(run(0x29, 1_000_000, 1_100_000).0, -103);
    assert_eq!(run(0x39, 1_100_000, 1_000_000).0, 511, "gain 200 is too much");
    assert_eq!(run(0x15, 2_000_000, 1_000_000).0, 102, "ADC5 against ADC1");
    assert_eq!(run(0x20, 2_500_000, 0).0, -512, "ADC8 alone: 512 of ten bits");
}
