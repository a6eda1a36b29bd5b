//! Clock outputs (RM0490, RM0390, "Clock-out capability"; RM0008, the same): waves that cost nothing where nobody looks.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::Signals;

use crate::bench::{Bench, RCC_CFGR, RCC_CR};
use crate::{f103_clocks, f446_clocks};

const GPIOA: u32 = 0x5000_0000;

/// PA8 as MCO (alternate function 0), which nobody watches if not `watched`.
fn c0(watched: bool) -> Bench {
    let mut bench = Bench::fast();
    if !watched {
        bench.bus.shared.signals = Signals::default();
    }
    bench.write(GPIOA, 0xEBFE_FFFF);
    bench
}

/// The rising edges among `edges`.
fn rises(edges: &[(u64, bool)]) -> Vec<u64> {
    edges.iter().filter(|(_, high)| *high).map(|(at, _)| *at).collect()
}

#[test]
fn a_divided_clock_has_its_period_and_follows_changes() {
    let mut bench = c0(true);
    bench.edges(0, 8);
    // HSI48 divided by 16.
    bench.write(RCC_CFGR, 4 << 28 | 3 << 24);
    bench.pass(100);
    assert_eq!(bench.edges(0, 8)[..5], [(0, true), (8, false), (16, true), (24, false), (32, true)]);
    // SYSCLK divided by 16, of which HSIDIV makes a quarter.
    bench.write(RCC_CFGR, 4 << 28 | 1 << 24);
    bench.write(RCC_CR, 0x0000_0500 | 2 << 11);
    bench.edges(0, 8);
    bench.pass(100);
    let rises = rises(&bench.edges(0, 8));
    assert!(rises.windows(2).all(|pair| pair[1] - pair[0] == 16), "{rises:?}: cycles are of the slower clock now");
    bench.write(RCC_CFGR, 0);
    bench.edges(0, 8);
    bench.pass(1000);
    assert_eq!(bench.edges(0, 8), []);
}

#[test]
fn a_clock_that_nobody_watches_has_no_events_and_is_right_when_it_is_read() {
    let mut bench = c0(false);
    bench.write(RCC_CFGR, 6 << 28 | 3 << 24);
    assert_eq!(bench.bus.shared.events.next_at(), cyclescope_machine::units::Cycles::MAX);
    let levels: Vec<u32> = (0..16)
        .map(|_| {
            bench.pass(1_000_000 + 16);
            // IDR takes a clock of its own to see the level.
            bench.read(GPIOA + 0x10);
            bench.pass(1);
            bench.read(GPIOA + 0x10) >> 8 & 1
        })
        .collect();
    let expected: Vec<u32> = (1..=16u64).map(|step| u32::from((step * 1_000_017 - 1) % 64 < 32)).collect();
    assert_eq!(levels, expected);
}

#[test]
fn a_timer_counts_the_clock_at_its_pin() {
    // MCO2 at PA8 is heard by nobody; MCO at PA9 is TIM1_CH2 no longer. PA8 feeds EXTI 8.
    let mut bench = c0(false);
    const EXTI: u32 = 0x4002_1800;
    bench.write(EXTI, 1 << 8);
    bench.write(RCC_CFGR, 5 << 28 | 3 << 24);
    bench.pass(100);
    assert_eq!(bench.read(EXTI + 0x0C) >> 8 & 1, 1, "a rising edge was seen");
}

#[test]
fn the_outputs_of_stm32f446_show_pll_and_sysclk() {
    let mut bench = f446_clocks::fast();
    // PA8 and PC9 in alternate function 0.
    bench.write(0x4002_0000, 0xA802_0000);
    bench.write(0x4002_0800, 2 << 18);
    bench.edges(0, 8);
    // MCO1: the PLL (180 MHz) by 5; MCO2: SYSCLK by 4.
    let cfgr = bench.read(f446_clocks::CFGR) & 0xFFFF;
    bench.write(f446_clocks::CFGR, cfgr | 3 << 21 | 7 << 24 | 6 << 27);
    bench.pass(20);
    bench.edges(0, 8);
    bench.pass(400);
    let mut copy = bench.clone();
    let [first, second] = [rises(&bench.edges(0, 8)), rises(&copy.edges(2, 9))];
    assert!(first.windows(2).all(|pair| pair[1] - pair[0] == 5) && first.len() == 80, "{first:?}");
    assert!(second.windows(2).all(|pair| pair[1] - pair[0] == 4) && second.len() == 100, "{second:?}");
}

#[test]
fn the_output_of_stm32f1_shows_half_of_its_pll() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    // PA8 in alternate-function push-pull.
    bench.write(0x4001_0804, 0x4444_444B);
    let cfgr = bench.read(f103_clocks::CFGR);
    bench.write(f103_clocks::CFGR, cfgr | 7 << 24);
    bench.pass(10);
    bench.edges(0, 8);
    bench.pass(100);
    let rises = rises(&bench.edges(0, 8));
    assert!(rises.windows(2).all(|pair| pair[1] - pair[0] == 2) && rises.len() == 50, "{rises:?}");
}

#[test]
fn a_clock_as_fast_as_the_cores_rises_in_each_cycle() {
    let mut bench = c0(true);
    bench.write(RCC_CFGR, 1 << 24);
    bench.edges(0, 8);
    let from = bench.now;
    bench.pass(10);
    let expected: Vec<u64> = (from + 1..=from + 10).collect();
    assert_eq!(rises(&bench.edges(0, 8)), expected);
}
