//! ESP8266: UARTs, pins, the timers FRC1 and FRC2, the watchdog, the real-time clock's pin and the core's clock. What no document
//! says is what the blocks' own rows assume.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, Pin};

use crate::bench::Bench;

const UART0: u32 = 0x6000_0000;
const GPIO: u32 = 0x6000_0300;
const TIMER: u32 = 0x6000_0600;
const RTC: u32 = 0x6000_0700;
const IO_MUX: u32 = 0x6000_0800;
const WDT: u32 = 0x6000_0900;
const EDGES: u32 = 0x3FF0_0004;
const CTL: u32 = 0x3FF0_0014;

const LINE_GPIO: usize = 4;
const LINE_UART: usize = 5;
const LINE_WDT: usize = 8;
const LINE_FRC1: usize = 9;
const LINE_FRC2: usize = 10;

/// UART.
const INT_RAW: u32 = UART0 + 0x04;
const INT_ENA: u32 = UART0 + 0x0C;
const INT_CLR: u32 = UART0 + 0x10;
const CLKDIV: u32 = UART0 + 0x14;
const STATUS: u32 = UART0 + 0x1C;
const CONF0: u32 = UART0 + 0x20;
const CONF1: u32 = UART0 + 0x24;

/// 8 data bits, a stop bit; a bit of 20 periods of 80 MHz.
const FORMAT: u32 = 3 << 2 | 1 << 4;
const BIT: u64 = 20;
const FRAME: u64 = 10 * BIT;

fn part() -> Bench {
    Bench::of("esp8266", MemorySetting::Shipped)
}

fn uart() -> Bench {
    let mut bench = part();
    bench.write(CLKDIV, BIT as u32);
    bench.write(CONF0, FORMAT);
    bench
}

#[test]
fn a_byte_is_out_when_its_stop_bit_ends() {
    let mut bench = uart();
    bench.write(UART0, b'A'.into());
    bench.write(UART0, b'B'.into());
    assert_eq!(bench.read(STATUS) >> 16 & 0xFF, 1, "the first is in the shift register");
    bench.pass(FRAME - 1);
    assert_eq!(bench.uart(0), b"");
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
    bench.pass(FRAME);
    assert_eq!(bench.uart(0), b"AB");
}

#[test]
fn frames_follow_data_parity_and_stop_bits() {
    // 7 data bits, even parity, 2 stop bits: 11 bits.
    let mut bench = uart();
    bench.write(CONF0, 2 << 2 | 3 << 4 | 1 << 1);
    bench.write(UART0, 0x41);
    bench.pass(11 * BIT - 1);
    assert_eq!(bench.uart(0), b"");
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
}

#[test]
fn the_transmitter_shows_its_frame_at_its_pin() {
    let mut bench = uart();
    bench.write(UART0, 0x01);
    bench.pass(FRAME);
    assert_eq!(bench.edges(Pin::GPIO, 1), [(0, true), (0, false), (BIT, true), (2 * BIT, false), (9 * BIT, true)]);
}

#[test]
fn the_transmit_fifo_holds_128_bytes_and_interrupts_below_its_threshold() {
    let mut bench = uart();
    bench.write(CONF1, 2 << 8);
    for byte in 0..140 {
        bench.write(UART0, byte);
    }
    assert_eq!(bench.read(STATUS) >> 16 & 0xFF, 128);
    bench.write(INT_CLR, 2);
    bench.write(INT_ENA, 2);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_UART));
    // Of 129 bytes the shift register takes the 128th, so that one is left, after 127 frames.
    assert_eq!(bench.until_line(LINE_UART, 200 * FRAME), Some(127 * FRAME));
    bench.write(INT_CLR, 2);
    assert!(bench.bus.shared.interrupts.is_high(LINE_UART), "the condition still holds");
    bench.pass(10 * FRAME);
    assert_eq!(bench.uart(0).len(), 129);
}

#[test]
fn the_receive_fifo_interrupts_at_its_threshold_and_after_silence() {
    let mut bench = uart();
    // Full at 3 bytes; silence of 2 units of 8 bits.
    bench.write(CONF1, 3 | 2 << 24 | 1 << 31);
    bench.write(INT_ENA, 1);
    bench.stimulate(1, Stimulus::Uart { number: 0, bytes: b"abc".to_vec() });
    let at = bench.until_line(LINE_UART, 100 * FRAME).unwrap();
    assert_eq!(at, 1 + 3 * FRAME);
    assert_eq!(bench.read(STATUS) & 0xFF, 3);
    bench.write(INT_ENA, 1 << 8);
    assert_eq!(bench.until_line(LINE_UART, 100 * FRAME), Some(at + 16 * BIT));
    let bytes: Vec<u8> = (0..3).map(|_| bench.read(UART0) as u8).collect();
    assert_eq!(bytes, b"abc");
    bench.write(INT_CLR, 1 << 8);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_UART));
    assert_eq!(bench.read(STATUS) & 0xFF, 0);
}

#[test]
fn the_129th_byte_is_lost_and_told_of() {
    let mut bench = uart();
    bench.stimulate(1, Stimulus::Uart { number: 0, bytes: (0..130).collect() });
    bench.pass(131 * FRAME);
    assert_eq!(bench.read(STATUS) & 0xFF, 128);
    assert_eq!(bench.read(INT_RAW) & 1 << 4, 1 << 4);
    assert_eq!(bench.read(UART0), 0);
    // A reset of the FIFO empties it.
    bench.write(CONF0, FORMAT | 1 << 17);
    bench.write(CONF0, FORMAT);
    assert_eq!(bench.read(STATUS) & 0xFF, 0);
}

#[test]
fn pins_are_driven_by_set_and_clear_registers_where_their_pads_are_the_ports() {
    let mut bench = part();
    bench.write(GPIO + 0x10, 1 << 4 | 1 << 12);
    bench.write(GPIO + 0x04, 1 << 4 | 1 << 12);
    // GPIO4's pad is the port's after reset; GPIO12's belongs to MTDI.
    assert!(bench.bus.peripherals.pin(Pin::gpio(4)));
    assert!(!bench.bus.peripherals.pin(Pin::gpio(12)));
    bench.write(IO_MUX + 0x04, 3 << 4);
    assert!(bench.bus.peripherals.pin(Pin::gpio(12)));
    bench.write(GPIO + 0x08, 1 << 12);
    assert!(!bench.bus.peripherals.pin(Pin::gpio(12)));
    assert_eq!(bench.read(GPIO), 1 << 4);
}

#[test]
fn an_input_interrupts_by_its_type_after_the_synchroniser() {
    let mut bench = part();
    // GPIO5: falling edges. The pull makes it high.
    bench.write(IO_MUX + 0x40, 1 << 7);
    bench.write(GPIO + 0x28 + 4 * 5, 2 << 7);
    bench.pass(10);
    assert_eq!(bench.read(GPIO + 0x18) & 1 << 5, 1 << 5);
    bench.set_pin(1, Pin::GPIO, 5, Some(false));
    let begun = bench.now;
    // The first edge of 80 MHz behind the pin's, and one more.
    let at = bench.until_line(LINE_GPIO, 100).unwrap();
    assert_eq!(at, begun + 3);
    assert_eq!(bench.read(GPIO + 0x1C), 1 << 5);
    bench.write(GPIO + 0x24, 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_GPIO));
    bench.set_pin(1, Pin::GPIO, 5, Some(true));
    bench.pass(10);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_GPIO), "a rising edge is none of its type");
    // A high level comes again as often as it is cleared.
    bench.write(GPIO + 0x28 + 4 * 5, 5 << 7);
    bench.write(GPIO + 0x24, 1 << 5);
    assert!(bench.bus.shared.interrupts.is_high(LINE_GPIO));
}

#[test]
fn gpio16_belongs_to_the_real_time_clock() {
    let mut bench = part();
    bench.write(RTC + 0x68, 1);
    bench.write(RTC + 0x74, 1);
    assert!(bench.bus.peripherals.pin(Pin::gpio(16)));
    assert_eq!(bench.read(RTC + 0x8C), 1);
    bench.write(RTC + 0x68, 0);
    assert!(!bench.bus.peripherals.pin(Pin::gpio(16)));
    bench.write(RTC + 0x74, 0);
    bench.set_pin(1, Pin::GPIO, 16, Some(true));
    bench.pass(5);
    assert_eq!(bench.read(RTC + 0x8C), 1);
}

#[test]
fn frc1_counts_down_by_its_divider_and_reloads() {
    for (code, divider) in [(0, 1), (1, 16), (2, 256), (3, 256)] {
        let mut bench = part();
        bench.write(EDGES, 2);
        bench.write(TIMER, 100);
        // On, reloading, a level.
        bench.write(TIMER + 0x08, 1 << 7 | 1 << 6 | code << 2 | 1);
        bench.pass(30 * divider);
        assert_eq!(bench.read(TIMER + 0x04), 70);
        assert_eq!(bench.until_line(LINE_FRC1, 1_000 * divider), Some(100 * divider));
        assert_eq!(bench.read(TIMER + 0x08) >> 8 & 1, 1);
        bench.write(TIMER + 0x0C, 0);
        assert!(!bench.bus.shared.interrupts.is_high(LINE_FRC1));
        assert_eq!(bench.until_line(LINE_FRC1, 1_000 * divider), Some(200 * divider));
    }
}

#[test]
fn frc1_without_reload_runs_through_zero() {
    let mut bench = part();
    bench.write(EDGES, 2);
    bench.write(TIMER, 10);
    bench.write(TIMER + 0x08, 1 << 7 | 1);
    assert_eq!(bench.until_line(LINE_FRC1, 1_000), Some(10));
    bench.write(TIMER + 0x0C, 0);
    bench.pass(1);
    assert_eq!(bench.read(TIMER + 0x04), 0x7F_FFFF);
    assert_eq!(bench.until_line(LINE_FRC1, 1 << 24), Some(10 + (1 << 23)));
}

#[test]
fn an_edge_of_frc1_needs_dport_and_ends_by_itself() {
    let mut bench = part();
    bench.write(TIMER, 10);
    bench.write(TIMER + 0x08, 1 << 7 | 1 << 6);
    assert_eq!(bench.until_line(LINE_FRC1, 1_000), None, "DPORT does not pass it on");
    bench.pass(3);
    bench.write(EDGES, 2);
    let now = bench.now;
    let at = bench.until_line(LINE_FRC1, 1_000).unwrap();
    assert!((1..=10).contains(&(at - now)));
    bench.pass(1);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_FRC1));
    assert_eq!(bench.until_line(LINE_FRC1, 1_000), Some(at + 10), "the next comes without a handler that clears");
}

#[test]
fn frc2_counts_up_to_its_alarm() {
    let mut bench = part();
    bench.write(TIMER + 0x20, 5);
    bench.write(TIMER + 0x30, 105);
    bench.write(TIMER + 0x28, 1 << 7 | 1 << 2 | 1);
    bench.pass(16 * 20 + 15);
    assert_eq!(bench.read(TIMER + 0x24), 25);
    assert_eq!(bench.until_line(LINE_FRC2, 10_000), Some(1600));
    bench.write(TIMER + 0x2C, 0);
    bench.pass(16);
    assert_eq!(bench.read(TIMER + 0x24), 106, "it goes on behind the alarm");
}

#[test]
fn the_core_at_160_mhz_leaves_the_buses_clock_alone() {
    let mut bench = uart();
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(80_000_000));
    bench.write(TIMER, 1_000);
    bench.write(TIMER + 0x08, 1 << 7);
    bench.pass(100);
    bench.write(CTL, 1);
    assert_eq!(bench.bus.peripherals.hclk(), Hertz::new(160_000_000));
    bench.pass(200);
    assert_eq!(bench.read(TIMER + 0x04), 800, "two cycles of the core are one of the timer");
    bench.write(UART0, b'A'.into());
    bench.pass(2 * FRAME - 1);
    assert_eq!(bench.uart(0), b"");
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
}

#[test]
fn the_watchdog_interrupts_then_resets_unless_it_is_fed() {
    let mut bench = part();
    bench.write(EDGES, 1);
    // Stages of 0.8 ms and 1.6 ms.
    bench.write(WDT + 0x04, 0);
    bench.write(WDT + 0x08, 1);
    bench.write(WDT, 1);
    bench.pass(60_000);
    bench.write(WDT + 0x14, 0x73);
    assert_eq!(bench.until_line(LINE_WDT, 100_000), Some(60_000 + 64_000));
    bench.write(WDT + 0x14, 0x72);
    assert!(bench.bus.shared.interrupts.is_high(LINE_WDT), "another value feeds nothing");
    bench.pass(128_000 - 1);
    assert_eq!(bench.reset(), None);
    bench.pass(1);
    assert_eq!(bench.reset(), Some("WDT"));
    bench.pass(1_000_000);
    assert_eq!(bench.reset(), None, "it is off after the reset");
}

#[test]
fn words_of_the_real_time_clock_outlive_a_reset_by_software() {
    let mut bench = part();
    bench.write(RTC + 0x30, 0x1234_5678);
    bench.write(TIMER, 99);
    bench.write(RTC, 1 << 31);
    assert_eq!(bench.reset(), Some("RTC_CTL"));
    assert_eq!(bench.read(RTC + 0x30), 0x1234_5678);
    assert_eq!(bench.read(TIMER), 0);
    // 150 kHz: a count is 533 cycles and a third.
    let before = bench.read(RTC + 0x1C);
    bench.pass(80_000);
    assert_eq!(bench.read(RTC + 0x1C) - before, 150);
}

#[test]
fn random_numbers_differ_and_repeat_in_another_run() {
    let numbers = || {
        let mut bench = part();
        (0..8).map(|_| bench.read(0x3FF2_0E44)).collect::<Vec<_>>()
    };
    let first = numbers();
    assert_eq!(first, numbers());
    assert!((1..8).all(|index| !first[..index].contains(&first[index])));
}

#[test]
fn what_is_absent_is_named() {
    let mut bench = part();
    bench.read(0x4000_1000);
    bench.read(0x4020_1000);
    bench.write(0x6000_0200, u32::MAX);
    bench.write(UART0 + 0x18, 1);
    let reads = bench.gaps(GapKind::RegisterRead);
    assert!(reads.contains(&"the vendor's boot ROM, at 0x40000000"), "{reads:?}");
    assert!(reads.contains(&"serial flash through the cache, at 0x40200000"), "{reads:?}");
    let writes = bench.gaps(GapKind::RegisterWrite);
    assert!(writes.iter().any(|gap| gap.starts_with("SPI0_")), "{writes:?}");
    assert!(writes.contains(&"UART0_AUTOBAUD.AUTOBAUD_EN"), "{writes:?}");
}
