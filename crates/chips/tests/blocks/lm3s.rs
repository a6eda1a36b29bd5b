//! The LM3S6965's first serial port beside a Cortex-M3 alone.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::{GapKind, Width};

use crate::bench::Bench;

const UART0: u32 = 0x4000_C000;
const DR: u32 = UART0;
const FR: u32 = UART0 + 0x18;
const IBRD: u32 = UART0 + 0x24;
const FBRD: u32 = UART0 + 0x28;
const LCRH: u32 = UART0 + 0x2C;
const CTL: u32 = UART0 + 0x30;
const IM: u32 = UART0 + 0x38;
const RIS: u32 = UART0 + 0x3C;
const ICR: u32 = UART0 + 0x44;
const SYSCTL: u32 = 0x400F_E000;
const LINE: usize = 5;
/// A bit at 115200 from 48 MHz: 16 * (26 + 3/64) = 416.75 cycles.
const BIT_QUARTERS: u64 = 1667;
/// A frame of ten bits, to the next whole cycle.
const FRAME: u64 = (BIT_QUARTERS * 10).div_ceil(4);

fn new() -> Bench {
    Bench::of("cortex-m3", MemorySetting::Equal)
}

fn on() -> Bench {
    let mut bench = new();
    bench.write(IBRD, 26);
    bench.write(FBRD, 3);
    bench.write(LCRH, 0x60 | 1 << 4);
    bench.write(CTL, 0x301);
    bench
}

#[test]
fn a_byte_takes_ten_bits_and_comes_out_when_they_are_over() {
    let mut bench = on();
    bench.write(DR, u32::from(b'A'));
    assert_eq!(bench.read(FR), 1 << 3 | 1 << 4 | 1 << 7, "BUSY, RXFE, TXFE");
    bench.pass(FRAME - 1);
    assert!(bench.uart(0).is_empty());
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
    assert_eq!(bench.read(FR), 1 << 4 | 1 << 7);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn sixteen_bytes_and_the_one_being_sent_fill_the_transmitter() {
    let mut bench = on();
    for byte in 0..17 {
        assert_eq!(bench.read(FR) & 1 << 5, 0, "TXFF before byte {byte}");
        bench.write(DR, byte);
    }
    assert_ne!(bench.read(FR) & 1 << 5, 0);
    bench.write(IM, 1 << 5);
    assert_eq!(bench.read(RIS) & 1 << 5, 0);
    // Half of the FIFO is left when the ninth frame begins, that is, when eight have ended.
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(begun + 8 * FRAME));
    bench.write(ICR, 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
}

#[test]
fn a_uart_that_nobody_switched_on_still_talks_and_is_named() {
    let mut bench = new();
    bench.try_write(DR, Width::Byte, u32::from(b'x')).unwrap();
    assert_eq!(bench.uart(0), b"x");
    assert_eq!(bench.gaps(GapKind::Setting), ["UART0: byte written while the transmitter is off: sent at once"]);
}

#[test]
fn received_bytes_interrupt_by_level_or_by_timeout() {
    let mut bench = on();
    bench.write(IM, 1 << 4 | 1 << 6);
    bench.stimulate(0, cyclescope_chips::Stimulus::Uart { number: 0, bytes: b"hi".to_vec() });
    // Two frames, then 32 bits of silence.
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(2 * FRAME + BIT_QUARTERS * 8));
    assert_eq!(bench.read(RIS) & 0x70, 1 << 6, "RT");
    assert_eq!([bench.read(DR), bench.read(DR)], [u32::from(b'h'), u32::from(b'i')]);
    assert_eq!(bench.read(RIS) & 0x70, 0);
}

#[test]
fn start_up_code_finds_what_it_looks_for() {
    let mut bench = new();
    bench.write(SYSCTL + 0x104, 1);
    bench.write(SYSCTL + 0x108, 1);
    assert_eq!(bench.read(SYSCTL + 0x50), 1 << 6, "the PLL has locked");
    bench.write(0x4000_4420, 3);
    assert!(bench.gaps(GapKind::RegisterWrite).is_empty());
    bench.write(SYSCTL + 0x60, 0x0780_3AC0);
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["SYSCTL_RCC.VALUE"]);
    assert!(bench.try_read(0x4000_D000, Width::Word).is_err(), "UART1 is not there");
}
