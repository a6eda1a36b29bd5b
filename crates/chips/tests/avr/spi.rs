//! SPI: bytes, edges and flags against 8271H chapter 19.

use cyclescope_machine::{Line, Pin, Transfer};

use crate::asm::*;
use crate::machine::{Machine, nops, pin, set};
use crate::probe::{Probe, attach, heard, watch};

const DDRB: u16 = 0x24;
const PORTB: u16 = 0x25;
const SPCR: u16 = 0x4C;
const SPSR: u16 = 0x4D;
const SPDR: u16 = 0x4E;
const SPE_MSTR: u8 = 0x50;
const SPSR_IO: u8 = 0x2D;
const SPDR_IO: u8 = 0x2E;

/// SCK, MOSI and SS are outputs; SS is high.
fn pins() -> Vec<u16> {
    [set(PORTB, 0x04), set(DDRB, 0x2C)].concat()
}

/// Waits for SPIF and reads SPDR into `register`.
fn wait(register: u16) -> Vec<u16> {
    vec![input(17, SPSR_IO), sbrs(17, 7), rjmp(-3), input(register, SPDR_IO)]
}

fn machine(probe: Probe, code: &[&[u16]]) -> Machine {
    let mut machine = Machine::new(code);
    attach(&mut machine, probe, "SPI", &[("cs", "PB2")]);
    machine
}

/// A byte as an independent decoder reads it from the lines: the bits of MOSI and MISO at the edges that `rising` names.
fn decode(edges: &[(u64, Pin, bool)], rising: bool) -> Vec<(u8, u8)> {
    let (mut mosi, mut miso, mut bits, mut bytes) = (false, false, 0, Vec::new());
    let (mut sent, mut received) = (0u8, 0u8);
    let mut selected = false;
    for (_, line, high) in edges {
        match *line {
            line if line == pin("PB2") => selected = !high,
            line if line == pin("PB3") => mosi = *high,
            line if line == pin("PB4") => miso = *high,
            line if line == pin("PB5") && selected && *high == rising => {
                (sent, received) = (sent << 1 | u8::from(mosi), received << 1 | u8::from(miso));
                bits += 1;
                if bits == 8 {
                    bytes.push((sent, received));
                    bits = 0;
                }
            }
            _ => {}
        }
    }
    bytes
}

#[test]
fn bytes_go_both_ways_in_all_modes_and_the_lines_say_the_same() {
    for mode in 0..4u8 {
        for last_first in [0, 0x20] {
            let falling = mode == 1 || mode == 2;
            let control = SPE_MSTR | mode << 2 | last_first;
            let mut machine = machine(
                Probe::spi(falling, &[0xC3, 0x5A, 0x81]),
                &[
                    &pins(),
                    &set(SPCR, control),
                    &set(PORTB, 0),
                    &set(SPDR, 0x9F),
                    &wait(18),
                    &set(SPDR, 0x01),
                    &wait(19),
                    &[BREAK],
                ],
            );
            let (edges, transfers) = watch(&mut machine);
            let ordered = |byte: u8| if last_first != 0 { byte.reverse_bits() } else { byte };
            assert_eq!((machine.r(18), machine.r(19)), (ordered(0xC3), ordered(0x5A)), "mode {mode}");
            let expected = [(ordered(0x9F), 0xC3), (ordered(0x01), 0x5A)];
            assert_eq!(heard(&machine), expected.map(|(sent, _)| format!("{sent:02x}")));
            assert_eq!(decode(&edges, !falling), expected, "mode {mode}");
            let told = expected.map(|(sent, received)| {
                (Line::Peripheral("SPI"), Transfer::SpiFrame { sent: sent.into(), received: received.into(), bits: 8 })
            });
            let seen: Vec<_> = transfers.into_iter().map(|(_, line, transfer)| (line, transfer)).collect();
            assert_eq!(seen, told);
            assert!(machine.gaps().is_empty(), "{:?}", machine.gaps());
        }
    }
}

#[test]
fn a_byte_takes_its_bits_at_each_rate() {
    // 8271H table 19-5.
    let rates = [(0, 0, 4), (1, 0, 16), (2, 0, 64), (3, 0, 128), (0, 1, 2), (1, 1, 8), (2, 1, 32), (3, 1, 64)];
    for (rate, double, divider) in rates {
        let mut machine = Machine::new(&[
            &pins(),
            &set(SPSR, double),
            &set(SPCR, SPE_MSTR | rate),
            &set(SPDR, 0x55),
            &nops(1100),
            &[BREAK],
        ]);
        machine.bus.shared.signals.want(cyclescope_machine::SignalKind::Transfer);
        let (edges, transfers) = watch(&mut machine);
        // Four writes of three cycles, of which each takes effect in its last: SPDR's in cycle 14.
        let begun = 14 + 1;
        assert_eq!(transfers.len(), 1);
        assert_eq!(transfers[0].0, begun + 8 * divider, "fosc/{divider}");
        let clock: Vec<u64> = { edges.iter() }.filter(|(_, line, _)| *line == pin("PB5")).map(|edge| edge.0).collect();
        let expected: Vec<u64> = (1..=16).map(|half| begun + half * divider / 2).collect();
        assert_eq!(clock, expected, "fosc/{divider}");
    }
}

#[test]
fn flags_are_cleared_by_status_then_data_and_a_write_in_between_collides() {
    let status = |register: u16| vec![input(register, SPSR_IO)];
    let mut machine = Machine::new(&[
        &pins(),
        &set(SPCR, SPE_MSTR),
        &set(SPDR, 1),
        &set(SPDR, 2),
        &status(18),
        &nops(60),
        &status(19),
        &[input(24, SPDR_IO)],
        &status(20),
        &set(SPDR, 3),
        &nops(60),
        // Without a look at SPSR, SPDR clears nothing.
        &[input(24, SPDR_IO)],
        &status(21),
        &status(22),
        &set(SPDR, 4),
        &status(23),
        &[BREAK],
    ]);
    machine.run_to_break();
    assert_eq!([18, 19, 20].map(|register| machine.r(register)), [0x40, 0xC0, 0x00]);
    assert_eq!([21, 22, 23].map(|register| machine.r(register)), [0x80, 0x80, 0x00]);
}

#[test]
fn what_was_received_stays_until_the_next_byte_is_whole() {
    let mut machine = machine(
        Probe::spi(false, &[0xA1, 0xB2]),
        &[
            &pins(),
            &set(SPCR, SPE_MSTR),
            &set(PORTB, 0),
            &set(SPDR, 0),
            &nops(40),
            &set(SPDR, 0),
            &nops(20),
            &[input(18, SPDR_IO)],
            &nops(20),
            &[input(19, SPDR_IO), BREAK],
        ],
    );
    machine.run_to_break();
    assert_eq!((machine.r(18), machine.r(19)), (0xA1, 0xB2));
}

#[test]
fn the_interrupt_s_handler_clears_the_flag() {
    let handler = [input(18, SPSR_IO), inc(21), RETI];
    let code = [pins(), set(SPCR, SPE_MSTR | 0x80), vec![SEI], set(SPDR, 1), nops(100), vec![BREAK]].concat();
    let mut machine = Machine::of(
        &cyclescope_chips::avr::ATMEGA328P,
        &[(4 * 17, &jmp(0x6000)), (0x6000, &handler), (crate::machine::CODE, &code)],
    );
    machine.run_to_break();
    assert_eq!((machine.r(18), machine.r(21)), (0, 1));
}

#[test]
fn bytes_that_nobody_hears_are_named_once() {
    let byte = [set(SPDR, 1), wait(18)].concat();
    let mut machine = Machine::new(&[&pins(), &set(SPCR, SPE_MSTR), &byte, &byte, &[BREAK]]);
    machine.run_to_break();
    assert_eq!(machine.gaps(), ["SPI: nothing is attached to its pins, so that it receives what an open line has"]);
}

#[test]
fn a_low_select_as_an_input_makes_a_target_of_the_controller() {
    let read = [input(18, 0x2C), input(19, SPSR_IO), BREAK];
    let code: [&[u16]; 5] = [&set(DDRB, 0x28), &set(SPCR, SPE_MSTR), &nops(20), &read, &[]];
    let run = |select: &dyn Fn(&mut Machine)| {
        let mut machine = Machine::new(&code);
        select(&mut machine);
        machine.run_to_break();
        (machine.r(18), machine.r(19), machine.gaps())
    };
    let (control, status, gaps) = run(&|machine| machine.apply(0, "PB2", true));
    assert_eq!((control, status, gaps.len()), (0x50, 0, 0));
    let (control, status, gaps) = run(&|machine| {
        machine.apply(0, "PB2", true);
        machine.apply(15, "PB2", false);
    });
    assert_eq!((control, status, gaps.len()), (0x40, 0x80, 0));
    let (control, _, gaps) = run(&|_| {});
    assert_eq!((control, gaps), (0x40, vec!["SPI: its pin SS is an input that nothing drives, taken as low".into()]));
}

#[test]
fn a_target_answers_a_controller_outside() {
    for mode in 0..4u8 {
        let (polarity, phase) = (mode & 2 != 0, mode & 1 != 0);
        // MISO is an output; the byte to send is written ahead.
        let mut machine = Machine::new(&[
            &set(DDRB, 0x10),
            &set(SPCR, 0x40 | mode << 2),
            &set(SPDR, 0xC5),
            &wait(18),
            &nops(100),
            &[BREAK],
        ]);
        machine.apply(0, "PB2", true);
        machine.apply(0, "PB5", polarity);
        machine.apply(100, "PB2", false);
        let mut at = 200;
        for bit in (0..8).rev() {
            // With CPHA the first edge begins the bit.
            machine.apply(at - 5, "PB3", 0x3Au8 >> bit & 1 != 0);
            machine.apply(at, "PB5", !polarity);
            machine.apply(at + 10, "PB5", polarity);
            at += 20;
        }
        machine.apply(at + 5, "PB2", true);
        let (edges, _) = machine.run(300);
        let level = |edges: &[(u64, Pin, bool)], until: u64| {
            let mut miso = edges.iter().filter(|(when, line, _)| *line == pin("PB4") && *when <= until);
            miso.next_back().is_some_and(|(.., high)| *high)
        };
        let mut all = edges;
        all.extend(machine.run_to_break());
        let taken = if phase { 10 } else { 0 };
        let sent = (0..8).fold(0u8, |byte, bit| byte << 1 | u8::from(level(&all, 200 + 20 * bit + taken)));
        assert_eq!((machine.r(18), sent), (0x3A, 0xC5), "mode {mode}");
    }
}

#[test]
fn the_32u4_has_its_own_pins() {
    let code =
        [set(PORTB, 0x01), set(DDRB, 0x07), set(SPCR, SPE_MSTR), set(PORTB, 0), set(SPDR, 0x42), wait(18), vec![BREAK]];
    let mut machine = Machine::u4(&[&code.concat()]);
    attach(&mut machine, Probe::spi(false, &[0x99]), "SPI", &[("cs", "PB0")]);
    watch(&mut machine);
    assert_eq!((machine.r(18), heard(&machine)), (0x99, vec!["42".to_string()]));
}
