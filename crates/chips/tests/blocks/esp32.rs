//! ESP32: the interrupt matrix, clocks, UARTs, pins and their matrix, timer groups and watchdogs (Technical Reference Manual 5.2).

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::Pin;
use cyclescope_machine::units::Hertz;

use crate::bench::Bench;

const DPORT: u32 = 0x3FF0_0000;
const CPU_PER_CONF: u32 = DPORT + 0x3C;
const PERIP_CLK_EN: u32 = DPORT + 0xC0;
const PERIP_RST_EN: u32 = DPORT + 0xC4;
const UART0: u32 = 0x3FF4_0000;
const GPIO: u32 = 0x3FF4_4000;
const RTC: u32 = 0x3FF4_8000;
const CLK_CONF: u32 = RTC + 0x70;
const IO_MUX: u32 = 0x3FF4_9000;
const UART1: u32 = 0x3FF5_0000;
const TIMG0: u32 = 0x3FF5_F000;
const TIMG1: u32 = 0x3FF6_0000;

/// Sources of the matrix.
const TG0_T0: u32 = 14;
const TG0_WDT: u32 = 16;
const FROM_CPU0: u32 = 24;
const SOURCE_GPIO: u32 = 22;
const SOURCE_UART0: u32 = 34;
const RTC_CORE: u32 = 46;

/// GPIO4 and GPIO5 in IO_MUX.
const PAD4: u32 = IO_MUX + 0x48;
const PAD5: u32 = IO_MUX + 0x6C;

const KEY: u32 = 0x50D8_3AA1;

fn part() -> Bench {
    Bench::of("esp32", MemorySetting::Shipped)
}

/// At 240 MHz, where the APB has a third.
fn fast() -> Bench {
    let mut bench = part();
    bench.write(CPU_PER_CONF, 2);
    bench.write(CLK_CONF, 0x2210 | 1 << 27);
    bench
}

fn connect(bench: &mut Bench, source: u32, interrupt: u32) {
    bench.write(DPORT + 0x104 + 4 * source, interrupt);
}

#[test]
fn clocks_follow_source_period_and_divider() {
    let mut bench = part();
    let hclk = |bench: &Bench| bench.bus.peripherals.hclk();
    assert_eq!(hclk(&bench), Hertz::new(40_000_000), "the crystal");
    bench.write(0x3FF6_6000, 3);
    assert_eq!(hclk(&bench), Hertz::new(10_000_000), "divided by 4");
    for (select, megahertz) in [(0, 80), (1, 160), (2, 240)] {
        bench.write(CPU_PER_CONF, select);
        bench.write(CLK_CONF, 0x2210 | 1 << 27);
        assert_eq!(hclk(&bench), Hertz::new(megahertz * 1_000_000));
    }
    bench.write(CLK_CONF, 0x2210 | 2 << 27);
    assert_eq!(hclk(&bench), Hertz::new(8_000_000), "the internal oscillator");
}

#[test]
fn sources_reach_the_interrupts_that_the_matrix_says() {
    let mut bench = part();
    bench.write(DPORT + 0xDC, 1);
    assert_eq!(bench.read(DPORT + 0xEC), 1 << FROM_CPU0);
    assert!((0..32).all(|line| !bench.bus.shared.interrupts.is_high(line)), "16, a timer of the core, after reset");
    connect(&mut bench, FROM_CPU0, 9);
    assert!(bench.bus.shared.interrupts.is_high(9));
    connect(&mut bench, FROM_CPU0, 23);
    assert!(!bench.bus.shared.interrupts.is_high(9) && bench.bus.shared.interrupts.is_high(23));
    connect(&mut bench, FROM_CPU0, 29);
    assert!((0..32).all(|line| !bench.bus.shared.interrupts.is_high(line)), "29 is software's");
    connect(&mut bench, FROM_CPU0, 9);
    bench.write(DPORT + 0xDC, 0);
    assert!(!bench.bus.shared.interrupts.is_high(9));
}

#[test]
fn a_uart_counts_the_apb_or_the_tick_with_a_fraction() {
    let mut bench = fast();
    connect(&mut bench, SOURCE_UART0, 5);
    // 20 and 8/16 periods of 80 MHz a bit: 61.5 cycles of the core, 615 a frame.
    bench.write(UART0 + 0x14, 20 | 8 << 20);
    bench.write(UART0 + 0x0C, 1 << 14);
    bench.write(UART0, b'A'.into());
    let begun = bench.now;
    assert_eq!(bench.until_line(5, 10_000), Some(begun + 615), "TX_DONE");
    assert_eq!(bench.uart(0), b"A");
    // By REF_TICK of 1 MHz, 2 ticks a bit.
    bench.write(UART0 + 0x10, 1 << 14);
    bench.write(UART0 + 0x20, 0x1C);
    bench.write(UART0 + 0x14, 2);
    bench.write(UART0, b'B'.into());
    let begun = bench.now;
    assert_eq!(bench.until_line(5, 100_000), Some(begun + 20 * 240));
}

#[test]
fn the_other_addresses_of_the_bus_are_the_same_registers() {
    let mut bench = fast();
    bench.write(UART0 + 0x14, 20);
    assert_eq!(bench.read(0x6000_0014), 20);
    bench.write(0x6000_0000, b'Z'.into());
    bench.pass(600);
    assert_eq!(bench.uart(0), b"Z");
}

#[test]
fn a_signal_goes_to_any_pin_through_the_matrix() {
    let mut bench = fast();
    bench.write(UART1 + 0x14, 20);
    // U1TXD is signal 17; its pin is the matrix's.
    bench.write(PAD4, 2 << 12 | 1 << 9);
    bench.write(GPIO + 0x530 + 4 * 4, 17);
    bench.pass(1);
    bench.edges(Pin::GPIO, 4);
    let begun = bench.now;
    bench.write(UART1, 0xFF);
    bench.pass(600);
    assert_eq!(bench.edges(Pin::GPIO, 4), [(begun, false), (begun + 60, true)]);
    bench.write(GPIO + 0x530 + 4 * 4, 0x100);
    assert!(!bench.bus.peripherals.pin(Pin::gpio(4)), "the port's again, and not driven");
}

#[test]
fn pins_interrupt_those_whom_they_name() {
    let mut bench = part();
    connect(&mut bench, SOURCE_GPIO, 10);
    bench.write(PAD5, 2 << 12 | 1 << 9);
    // Any edge, for the second core alone, then for the first.
    bench.write(GPIO + 0x88 + 4 * 5, 3 << 7 | 1 << 13);
    bench.set_pin(1, Pin::GPIO, 5, Some(true));
    bench.pass(20);
    assert_eq!(bench.read(GPIO + 0x44), 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(10));
    bench.write(GPIO + 0x88 + 4 * 5, 3 << 7 | 1 << 15);
    assert!(bench.bus.shared.interrupts.is_high(10));
    assert_eq!(bench.read(GPIO + 0x68), 1 << 5);
    bench.write(GPIO + 0x4C, 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(10));
    assert_eq!(bench.read(GPIO + 0x3C) & 1 << 5, 1 << 5);
    // Without its input the pad reads low.
    bench.write(PAD5, 2 << 12);
    bench.pass(20);
    assert_eq!(bench.read(GPIO + 0x3C) & 1 << 5, 0);
}

#[test]
fn a_timer_counts_up_and_down_by_its_divider_to_its_alarm() {
    for (increase, start, alarm) in [(1 << 30, 100u32, 150u32), (0, 150, 100)] {
        let mut bench = fast();
        connect(&mut bench, TG0_T0, 4);
        bench.write(TIMG0 + 0x98, 1);
        bench.write(TIMG0 + 0x18, start);
        bench.write(TIMG0 + 0x20, 1);
        bench.write(TIMG0 + 0x10, alarm);
        // On, reloading, alarm and level interrupt on, divided by 80: a microsecond a count.
        let config = 1 << 31 | 1 << 29 | increase | 80 << 13 | 1 << 10 | 1 << 11;
        bench.write(TIMG0, config);
        let begun = bench.now;
        bench.pass(240 * 20);
        bench.write(TIMG0 + 0x0C, 1);
        assert_eq!(bench.read(TIMG0 + 0x04), if increase != 0 { 120 } else { 130 });
        assert_eq!(bench.until_line(4, 240 * 1_000), Some(begun + 240 * 50));
        assert_eq!(bench.read(TIMG0) & 1 << 10, 0, "the alarm has switched itself off");
        bench.write(TIMG0 + 0x0C, 1);
        assert_eq!(bench.read(TIMG0 + 0x04), start, "reloaded");
        bench.write(TIMG0 + 0xA4, 1);
        assert!(!bench.bus.shared.interrupts.is_high(4));
        bench.write(TIMG0, config);
        assert_eq!(bench.until_line(4, 240 * 1_000), Some(begun + 240 * 100));
    }
}

#[test]
fn an_alarm_behind_the_count_comes_at_once_and_64_bits_count() {
    let mut bench = fast();
    connect(&mut bench, TG0_T0, 4);
    bench.write(TIMG0 + 0x98, 1);
    bench.write(TIMG0 + 0x18, u32::MAX);
    bench.write(TIMG0 + 0x1C, 7);
    bench.write(TIMG0 + 0x20, 0);
    bench.write(TIMG0, 1 << 31 | 1 << 30 | 2 << 13 | 1 << 11);
    bench.pass(6);
    bench.write(TIMG0 + 0x0C, 0);
    assert_eq!((bench.read(TIMG0 + 0x04), bench.read(TIMG0 + 0x08)), (0, 8));
    bench.write(TIMG0 + 0x10, 5);
    bench.write(TIMG0, 1 << 31 | 1 << 30 | 2 << 13 | 1 << 11 | 1 << 10);
    let now = bench.now;
    assert_eq!(bench.until_line(4, 1_000), Some(now + 1));
}

#[test]
fn a_watchdog_opens_by_its_key_and_goes_through_its_stages() {
    let mut bench = fast();
    connect(&mut bench, TG0_WDT, 24);
    bench.write(TIMG0 + 0x98, 4);
    // Stages of 100 and 200 counts of 80 periods: an interrupt, then a reset of the part.
    bench.write(TIMG0 + 0x4C, 80 << 16);
    bench.write(TIMG0 + 0x50, 100);
    bench.write(TIMG0 + 0x54, 200);
    let config = 1 << 31 | 1 << 29 | 3 << 27 | 1 << 21;
    bench.write(TIMG0 + 0x64, 0);
    bench.write(TIMG0 + 0x48, config);
    bench.pass(240 * 1_000);
    assert_eq!(bench.read(TIMG0 + 0x48) & 1 << 31, 0, "it is locked");
    bench.write(TIMG0 + 0x64, KEY);
    bench.write(TIMG0 + 0x48, config);
    bench.write(TIMG0 + 0x64, 0);
    bench.pass(240 * 60);
    bench.write(TIMG0 + 0x60, 1);
    bench.pass(240 * 40);
    assert!(bench.bus.shared.interrupts.is_high(24), "feeding needs the key, too");
    bench.write(TIMG0 + 0x64, KEY);
    bench.write(TIMG0 + 0x60, 1);
    bench.write(TIMG0 + 0xA4, 4);
    let fed = bench.now;
    assert_eq!(bench.until_line(24, 240 * 1_000), Some(fed + 240 * 100));
    bench.pass(240 * 200 - 1);
    assert_eq!(bench.reset(), None);
    bench.pass(1);
    assert_eq!(bench.reset(), Some("WDT_TIMG0"));
    assert_eq!(bench.read(RTC + 0x34) & 0x3F, 7, "the cause");
}

#[test]
fn the_clock_controls_watchdog_counts_the_slow_clock() {
    let mut bench = fast();
    connect(&mut bench, RTC_CORE, 3);
    bench.write(RTC + 0x3C, 8);
    bench.write(RTC + 0x90, 150);
    bench.write(RTC + 0x94, 300);
    bench.write(RTC + 0x8C, 1 << 31 | 1 << 28 | 4 << 25 | 1 << 17);
    let begun = bench.now;
    assert_eq!(bench.until_line(3, 1_000_000), Some(begun + 240_000), "150 periods of 150 kHz");
    bench.pass(480_000);
    assert_eq!(bench.reset(), Some("WDT_RTC"));
    assert_eq!(bench.read(RTC + 0x34) & 0x3F, 9);
}

#[test]
fn resets_by_software_are_told_apart_and_leave_the_stores() {
    let mut bench = part();
    assert_eq!(bench.read(RTC + 0x34) & 0x3F, 1, "power-on");
    bench.write(RTC + 0x4C, 0xCAFE);
    bench.write(RTC + 0xBC, 0xF00D);
    bench.write(RTC, 0x1C49_2000 | 1 << 31);
    assert_eq!(bench.reset(), Some("RTC_CNTL"));
    assert_eq!(bench.read(RTC + 0x34) & 0x3F, 3);
    bench.write(RTC, 0x1C49_2000 | 1 << 5);
    assert_eq!(bench.reset(), Some("RTC_CNTL"));
    assert_eq!(bench.read(RTC + 0x34) & 0x3F, 12);
    assert_eq!((bench.read(RTC + 0x4C), bench.read(RTC + 0xBC)), (0xCAFE, 0xF00D));
}

#[test]
fn the_slow_counter_is_latched_by_a_write() {
    let mut bench = fast();
    bench.pass(240_000);
    assert_eq!(bench.read(RTC + 0x10), 0);
    bench.write(RTC + 0x0C, 1 << 31);
    let first = bench.read(RTC + 0x10);
    assert_eq!(bench.read(RTC + 0x0C), 1 << 30);
    bench.pass(240_000);
    bench.write(RTC + 0x0C, 1 << 31);
    assert_eq!(bench.read(RTC + 0x10) - first, 150);
}

#[test]
fn blocks_without_clock_stand_and_resets_empty_them() {
    let mut bench = fast();
    bench.write(UART1 + 0x14, 77);
    let enabled = bench.read(PERIP_CLK_EN);
    bench.write(PERIP_CLK_EN, enabled & !(1 << 5));
    bench.write(UART1 + 0x14, 99);
    bench.write(PERIP_CLK_EN, enabled);
    assert_eq!(bench.read(UART1 + 0x14), 77);
    bench.write(PERIP_RST_EN, 1 << 5);
    bench.write(PERIP_RST_EN, 0);
    assert_eq!(bench.read(UART1 + 0x14), 0x2B6);
}

#[test]
fn both_groups_of_timers_count_apart_and_a_clone_goes_on_alike() {
    let mut bench = fast();
    connect(&mut bench, 18, 8);
    bench.write(TIMG1 + 0x98, 1);
    bench.write(TIMG1 + 0x10, 1000);
    bench.write(TIMG1, 1 << 31 | 1 << 30 | 2 << 13 | 1 << 11 | 1 << 10);
    bench.stimulate(100, Stimulus::Uart { number: 0, bytes: b"xy".to_vec() });
    bench.write(TIMG0 + 0x0C, 1);
    assert_eq!(bench.read(TIMG0 + 0x04), 0);
    bench.pass(1_234);
    let run = |mut bench: Bench| {
        let at = bench.until_line(8, 100_000);
        bench.pass(1_000_000);
        let read: Vec<u32> = [UART0 + 0x1C, UART0, TIMG1 + 0x9C].into_iter().map(|at| bench.read(at)).collect();
        (at, read)
    };
    assert_eq!(run(bench.clone()), run(bench));
}
