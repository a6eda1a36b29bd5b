use crate::asm::*;
use crate::machine::{Machine, nops, set};
use cyclescope_chips::Stimulus;

const UCSRA: u16 = 0xC0;
const UCSRB: u16 = 0xC1;
const UCSRC: u16 = 0xC2;
const UBRRL: u16 = 0xC4;
const UBRRH: u16 = 0xC5;
const UDR: u16 = 0xC6;
const U2X: u8 = 2;
const RXEN: u8 = 0x10;
const TXEN: u8 = 0x08;
const EIGHT: u8 = 0x06;

fn setup(double: bool, ubrr: u16, b: u8, c: u8) -> Vec<u16> {
    let a = if double { U2X } else { 0 };
    let [low, high] = ubrr.to_le_bytes();
    [set(UCSRA, a), set(UBRRH, high), set(UBRRL, low), set(UCSRC, c), set(UCSRB, b)].concat()
}

/// Cycles from the end of one frame to the end of the next, behind one another.
fn frame(double: bool, ubrr: u16, b: u8, c: u8) -> u64 {
    let mut machine =
        Machine::new(&[&setup(double, ubrr, b | TXEN, c), &set(UDR, 0x55), &nops(4), &set(UDR, 0xAA), &[HERE]]);
    machine.run_until(1_000_000, |machine| machine.sent().len() == 1);
    let first = machine.now();
    machine.run_until(1_000_000, |machine| machine.sent().len() == 2);
    machine.now() - first
}

#[test]
fn a_frame_lasts_its_bits() {
    // 8271H §20.3.1: 16 (UBRR + 1) cycles a bit, or 8 (UBRR + 1) with U2X. The loop is of two cycles.
    let close = |cycles: u64, expected: u64| assert!(cycles.abs_diff(expected) <= 1, "{cycles} for {expected}");
    close(frame(true, 16, 0, EIGHT), 1360);
    close(frame(false, 8, 0, EIGHT), 1440);
    close(frame(true, 8, 0, EIGHT), 720);
    close(frame(false, 103, 0, EIGHT), 16_640);
    close(frame(true, 0x1FF, 0, EIGHT), 40_960);
    for (code, bits) in [(0x00, 5), (0x02, 6), (0x04, 7), (0x06, 8)] {
        close(frame(true, 16, 0, code), 136 * (bits + 2));
        close(frame(true, 16, 0, code | 0x20), 136 * (bits + 3));
        close(frame(true, 16, 0, code | 0x30 | 0x08), 136 * (bits + 4));
    }
    // UCSZ2 is in UCSRB.
    close(frame(true, 16, 0x04, EIGHT), 136 * 11);
}

#[test]
fn short_characters_lose_their_high_bits() {
    let mut machine = Machine::new(&[&setup(true, 0, TXEN, 0x00), &set(UDR, 0xFF), &[HERE]]);
    machine.run(10_000);
    assert_eq!(machine.sent(), [0x1F]);
}

#[test]
fn udr_is_double_buffered() {
    let [lds, udr] = lds(17, UCSRA);
    let status = |register: u16| [lds & !0x1F0 | register << 4, udr];
    let mut machine = Machine::new(&[
        &setup(true, 16, TXEN, EIGHT),
        &status(17),
        &set(UDR, b'a'),
        &nops(3),
        &status(18),
        &set(UDR, b'b'),
        &nops(3),
        &status(19),
        // The buffer is full: this one is lost (8271H §20.11.1).
        &set(UDR, b'c'),
        &nops(3000),
        &status(21),
        &set(UCSRA, 0x42),
        &status(22),
        &[BREAK],
    ]);
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(18), machine.r(19)), (0x22, 0x22, 0x02));
    assert_eq!((machine.r(21), machine.r(22)), (0x62, 0x22), "TXC is set at the end, and a one clears it");
    assert_eq!(machine.sent(), b"ab");
}

#[test]
fn the_first_frame_waits_for_the_bit_clock_and_no_longer() {
    // UBRRL is written in cycle 8; the bit clock has its edges every 136 cycles from there.
    for wait in [0, 50, 100, 135, 136, 300] {
        let mut machine = Machine::new(&[&setup(true, 16, TXEN, EIGHT), &nops(wait), &set(UDR, b'x'), &[HERE]]);
        machine.run_until(10_000, |machine| machine.sent().len() == 1);
        // Five writes of three cycles and then UDR's: written in cycle 17 + wait, loaded in the next.
        let loaded = 17 + wait as u64 + 1;
        let begun = 8 + (loaded - 8).next_multiple_of(136);
        assert!(machine.now().abs_diff(begun + 1360) <= 1, "{} for {}", machine.now(), begun + 1360);
    }
}

#[test]
fn transmit_interrupts_follow_their_flags() {
    // UDRE asks as long as the buffer is empty, TXC once: its handler's start clears it.
    let program = |enable: u8, wait: usize| {
        Machine::of(
            &cyclescope_chips::avr::ATMEGA328P,
            &[
                (4 * 19, &jmp(0x6000)),
                (4 * 20, &jmp(0x6100)),
                (0x6000, &[inc(21), RETI]),
                (0x6100, &[inc(22), RETI]),
                (
                    crate::machine::CODE,
                    &[setup(true, 16, TXEN | enable, EIGHT), set(UDR, 1), vec![SEI], nops(wait), vec![BREAK]].concat(),
                ),
            ],
        )
    };
    let mut machine = program(0x40, 3000);
    machine.run_to_break();
    assert_eq!((machine.r(21), machine.r(22)), (0, 1));
    let mut machine = program(0x20, 200);
    machine.run_to_break();
    assert!((190..=201).contains(&machine.r(21)), "once an instruction: {}", machine.r(21));
}

#[test]
fn a_character_arrives_in_the_middle_of_its_stop_bit() {
    let [lds, a] = lds(17, UCSRA);
    let poll = [lds, a, sbrs(17, 7), rjmp(-4), BREAK];
    for (double, sample, samples, last) in [(true, 17, 8, 6), (false, 9, 16, 10)] {
        let mut machine = Machine::new(&[&setup(double, sample as u16 - 1, RXEN, EIGHT), &poll]);
        machine.stimulate(1000, Stimulus::Uart { number: 0, bytes: vec![0x5A] });
        machine.run_to_break();
        // UBRRL is written in cycle 8: the first sample at or behind 1000, then nine bits, then the last of the three.
        let first = 8 + 992u64.next_multiple_of(sample);
        let expected = first + (9 * samples + last - 1) * sample;
        assert!((expected..expected + 7).contains(&machine.now()), "{} for {expected}", machine.now());
    }
}

#[test]
fn two_characters_wait_and_a_third_in_the_shift_register() {
    let read = |register: u16| [lds(register, UCSRA), lds(register + 1, UDR)].concat();
    let run = |count: u8| {
        let mut machine = Machine::new(&[
            &setup(true, 16, RXEN, EIGHT),
            &nops(8000),
            &read(16),
            &read(18),
            &read(20),
            &read(22),
            &[BREAK],
        ]);
        machine.stimulate(100, Stimulus::Uart { number: 0, bytes: (1..=count).collect() });
        machine.run_to_break();
        [16, 18, 20, 22].map(|register| (machine.r(register) & 0xD8, machine.r(register + 1)))
    };
    assert_eq!(run(3), [(0x80, 1), (0x80, 2), (0x80, 3), (0, 0)]);
    // The fourth's start bit finds all full: the third is lost, and the fourth says so.
    assert_eq!(run(4), [(0x80, 1), (0x80, 2), (0x88, 4), (0, 0)]);
}

#[test]
fn the_receive_interrupt_holds_until_udr_is_read() {
    let handler = [lds(17, UDR).to_vec(), vec![inc(21), RETI]].concat();
    let mut machine = Machine::of(
        &cyclescope_chips::avr::ATMEGA328P,
        &[
            (4 * 18, &jmp(0x6000)),
            (0x6000, &handler),
            (crate::machine::CODE, &[setup(true, 16, RXEN | 0x80, EIGHT), vec![SEI], nops(6000), vec![BREAK]].concat()),
        ],
    );
    machine.stimulate(100, Stimulus::Uart { number: 0, bytes: vec![7, 8, 9] });
    machine.run_to_break();
    assert_eq!((machine.r(17), machine.r(21)), (9, 3));
}

#[test]
fn switching_the_receiver_off_forgets_what_it_holds() {
    let [load, a] = lds(17, UCSRA);
    let mut machine = Machine::new(&[
        &setup(true, 16, RXEN, EIGHT),
        &nops(3000),
        &set(UCSRB, 0),
        &set(UCSRB, RXEN),
        &[load, a, BREAK],
    ]);
    machine.stimulate(100, Stimulus::Uart { number: 0, bytes: vec![7] });
    machine.run_to_break();
    assert_eq!(machine.r(17) & 0x80, 0);
}

#[test]
fn the_transmitter_holds_its_pin_and_gives_it_back() {
    let mut machine = Machine::new(&[&setup(true, 0, TXEN, EIGHT), &nops(10), &set(UCSRB, 0), &nops(10), &[BREAK]]);
    let edges = machine.run_to_break();
    let txd = crate::machine::pin("PD1");
    assert_eq!(edges.iter().map(|(_, pin, high)| (*pin, *high)).collect::<Vec<_>>(), [(txd, true), (txd, false)]);
}

#[test]
fn other_modes_are_named() {
    let mut machine = Machine::new(&[&set(UCSRC, 0x46), &set(UCSRA, 0x01), &[BREAK]]);
    machine.run_to_break();
    assert_eq!(machine.gaps(), ["UCSR0C.UMSEL0", "UCSR0A.MPCM0"]);
}

#[test]
fn the_32u4_calls_its_port_usart1() {
    let mut machine = Machine::u4(&[&set(0xC8, U2X), &set(0xCC, 16), &set(0xC9, TXEN), &set(0xCE, b'!'), &[HERE]]);
    machine.run(3000);
    let runs: Vec<_> = machine.bus.shared.console.runs().collect();
    assert_eq!(runs, [(cyclescope_machine::Channel::Uart(1), b"!".as_slice())]);
    assert_eq!(machine.bus.peripherals.serial_ports(), [1]);
}
