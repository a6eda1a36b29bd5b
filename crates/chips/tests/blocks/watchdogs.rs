//! Watchdogs (RM0490, "Independent watchdog", "System window watchdog").

use crate::bench::{Bench, RCC_CSR2};

const IWDG: u32 = 0x4000_3000;
const WWDG: u32 = 0x4000_2C00;
const WWDG_LINE: usize = 0;
/// HCLK cycles per LSI period at 48 MHz and 32 kHz.
const LSI: u64 = 1500;

#[test]
fn the_independent_watchdog_resets_after_its_count_and_not_before() {
    let mut bench = Bench::fast();
    bench.write(IWDG, 0x5555);
    bench.write(IWDG + 4, 1);
    bench.write(IWDG + 8, 99);
    bench.write(IWDG, 0xCCCC);
    bench.pass(100 * 8 * LSI - 1);
    assert_eq!(bench.bus.shared.reset, None);
    bench.write(IWDG, 0xAAAA);
    bench.pass(100 * 8 * LSI - 1);
    assert_eq!(bench.bus.shared.reset, None, "refreshed");
    bench.pass(1);
    assert_eq!(bench.bus.shared.reset, Some("IWDG"));
    assert_ne!(bench.read(RCC_CSR2) & 2, 0, "LSI was forced on");
}

#[test]
fn its_registers_are_locked_without_the_key() {
    let mut bench = Bench::fast();
    bench.write(IWDG + 8, 5);
    assert_eq!(bench.read(IWDG + 8), 0xFFF);
}

#[test]
fn the_window_watchdog_warns_then_resets() {
    let mut bench = Bench::fast();
    bench.write(WWDG + 4, 0x7F | 1 << 9);
    bench.write(WWDG, 0x80 | 0x45);
    assert_eq!(bench.until_line(WWDG_LINE, 100_000), Some(4096 * 5), "early wake-up at 0x40");
    assert_eq!(bench.read(WWDG) & 0x7F, 0x40);
    bench.pass(4096);
    assert_eq!(bench.bus.shared.reset, Some("WWDG"));
}

#[test]
fn refreshing_too_early_resets() {
    let mut bench = Bench::fast();
    bench.write(WWDG + 4, 0x50);
    bench.write(WWDG, 0xFF);
    bench.pass(4096 * 0x2E);
    bench.write(WWDG, 0xFF);
    assert!(bench.bus.shared.reset.is_some(), "0x51 is above the window");
}

#[test]
fn the_independent_watchdog_counts_time_and_not_core_cycles() {
    use crate::bench::RCC_CFGR;
    let mut bench = Bench::fast();
    bench.write(IWDG, 0x5555);
    bench.write(IWDG + 8, 99);
    bench.write(IWDG, 0xCCCC);
    bench.pass(50 * 4 * LSI);
    bench.write(RCC_CFGR, 9 << 8);
    bench.pass(50 * 4 * LSI / 4 - 1);
    assert_eq!(bench.bus.shared.reset, None);
    bench.pass(1);
    assert_eq!(bench.bus.shared.reset, Some("IWDG"), "half at 48 MHz, half at 12 MHz");
}
