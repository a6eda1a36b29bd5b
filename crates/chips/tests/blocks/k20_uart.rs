//! MK20DX256: serial ports (K20P64M72SF1RM, "Universal Asynchronous Receiver/Transmitter").

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::{GapKind, Width};

use crate::bench::Bench;
use crate::k20_clocks::{byte, fast, read_byte};

const UART0: u32 = 0x4006_A000;
const UART2: u32 = 0x4006_C000;
const BDL: u32 = 1;
const C2: u32 = 3;
const S1: u32 = 4;
const D: u32 = 7;
const C4: u32 = 10;
const PFIFO: u32 = 0x10;
const RX_TX: [usize; 3] = [45, 47, 49];

/// The port at 115200: UART0 from 96 MHz, UART2 from 48 MHz, each divided by 16 * (SBR + BRFA / 32).
fn on(port: u32, control: u32) -> Bench {
    let mut bench = fast(MemorySetting::Equal);
    let (sbr, brfa) = if port == UART0 { (52, 3) } else { (26, 1) };
    byte(&mut bench, port, 0);
    byte(&mut bench, port + BDL, sbr);
    byte(&mut bench, port + C4, brfa);
    byte(&mut bench, port + C2, control);
    // The idle character that TE sends.
    bench.pass(20_000);
    bench
}

/// Ten bits of 16 * (52 + 3/32) cycles.
const FRAME: u64 = 8_335;

#[test]
fn a_byte_takes_ten_bits_by_the_fractional_divisor() {
    let mut bench = on(UART0, 0x08);
    assert_eq!(read_byte(&mut bench, UART0 + S1), 0xC0, "TDRE, TC");
    byte(&mut bench, UART0 + D, u32::from(b'A'));
    assert_eq!(read_byte(&mut bench, UART0 + S1), 0x80, "in the shift register");
    byte(&mut bench, UART0 + D, u32::from(b'B'));
    assert_eq!(read_byte(&mut bench, UART0 + S1), 0, "and one behind it");
    bench.pass(FRAME - 1);
    assert!(bench.uart(0).is_empty());
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
    assert_eq!(read_byte(&mut bench, UART0 + S1), 0x80);
    bench.pass(FRAME);
    assert_eq!(bench.uart(0), b"AB");
    assert_eq!(read_byte(&mut bench, UART0 + S1), 0xC0);
    assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
}

#[test]
fn the_first_two_ports_have_fifos_of_eight() {
    let mut bench = on(UART0, 0);
    byte(&mut bench, UART0 + PFIFO, 0x88);
    assert_eq!(read_byte(&mut bench, UART0 + PFIFO), 0xAA, "sizes are the part's");
    byte(&mut bench, UART0 + C2, 0x08);
    bench.pass(20_000);
    for letter in b'a'..b'a' + 9 {
        byte(&mut bench, UART0 + D, u32::from(letter));
    }
    assert_eq!(read_byte(&mut bench, UART0 + 0x14), 8, "TCFIFO");
    bench.pass(9 * FRAME);
    assert_eq!(bench.uart(0), b"abcdefghi");
    let mut bench = on(UART2, 0);
    assert_eq!(read_byte(&mut bench, UART2 + PFIFO), 0);
}

#[test]
fn ports_beyond_the_second_count_the_bus_clock() {
    let mut bench = on(UART2, 0x08);
    byte(&mut bench, UART2 + D, u32::from(b'z'));
    // Ten bits of 16 * (26 + 1/32) bus clocks of two cycles.
    bench.pass(8_330 - 1);
    assert!(bench.uart(2).is_empty());
    bench.pass(1);
    assert_eq!(bench.uart(2), b"z");
}

#[test]
fn a_byte_received_interrupts_until_it_is_read_as_a_byte() {
    let mut bench = on(UART0, 0x04 | 0x20);
    bench.stimulate(0, Stimulus::Uart { number: 0, bytes: b"Q".to_vec() });
    let begun = bench.now;
    assert_eq!(bench.until_line(RX_TX[0], 100_000), Some(begun + FRAME));
    assert_eq!(read_byte(&mut bench, UART0 + S1) & 0x20, 0x20, "RDRF");
    assert!(bench.bus.shared.interrupts.is_high(RX_TX[0]), "reading S1 takes nothing out");
    assert_eq!(read_byte(&mut bench, UART0 + D), u32::from(b'Q'));
    assert!(!bench.bus.shared.interrupts.is_high(RX_TX[0]));
    assert_eq!(read_byte(&mut bench, UART0 + S1) & 0x20, 0);
}

#[test]
fn an_overrun_shows_and_is_cleared_by_reading_status_and_data() {
    let mut bench = on(UART0, 0x04);
    bench.stimulate(0, Stimulus::Uart { number: 0, bytes: b"12".to_vec() });
    bench.pass(3 * FRAME);
    bench.pass(10);
    assert_eq!(read_byte(&mut bench, UART0 + S1) & 0x38, 0x38, "RDRF, IDLE, OR");
    assert_eq!(read_byte(&mut bench, UART0 + D), u32::from(b'1'));
    assert_eq!(read_byte(&mut bench, UART0 + S1) & 0x38, 0);
}

#[test]
fn what_is_not_modelled_is_named_by_its_own_register() {
    let mut bench = on(UART0, 0);
    byte(&mut bench, UART0 + 0x0D, 1);
    bench.try_write(UART0 + 0x0B, Width::Byte, 0x80).unwrap();
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["UART0_MODEM.TXCTSE", "UART0_C5.TDMAS"]);
}
