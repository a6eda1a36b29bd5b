//! Random number generators (RM0351, RM0440, RM0432, "True random number generator (RNG)"): times, flags, and numbers that come from
//! a fixed seed.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::{Clocks, Span, Tree};

use crate::alone::Alone;
use crate::bench::Bench;

const CR: u32 = 0x00;
const SR: u32 = 0x04;
const DR: u32 = 0x08;

const RNGEN: u32 = 1 << 2;
const IE: u32 = 1 << 3;
const CED: u32 = 1 << 5;
const DRDY: u32 = 1;
/// CECS and CEIS.
const CLOCK_ERROR: u32 = 1 << 1 | 1 << 5;

fn with_48_mhz(clocks: &Clocks, tree: Tree) -> Tree {
    Tree { clk48: clocks.period(Hertz::new(48_000_000)), ..tree }
}

fn at_16_mhz(part: &str) -> Alone {
    Alone::new(part, "RNG", 16_000_000, with_48_mhz)
}

#[test]
fn a_word_comes_after_46_periods_and_the_next_42_after_it_was_read() {
    let mut rng = at_16_mhz("stm32l476rg");
    assert_eq!(rng.read(DR), 0, "nothing yet");
    rng.write(CR, RNGEN | IE);
    // 46 and 42 periods of 48 MHz are 15.3 and 14 cycles.
    assert_eq!(rng.until(SR, DRDY, DRDY, 100), Some(16));
    assert!(rng.line("GLOBAL"));
    let first = rng.read(DR);
    assert!(!rng.line("GLOBAL") && first != 0);
    assert_eq!(rng.read(DR), 0, "an empty register reads as 0");
    assert_eq!(rng.until(SR, DRDY, DRDY, 100), Some(30));
    rng.write(CR, 0);
    assert!(!rng.line("GLOBAL"), "no interrupt while it is off");
    assert_ne!(rng.read(DR), first, "what was ready stays");
    rng.pass(1_000);
    assert_eq!(rng.read(SR) & DRDY, 0);
    rng.write(CR, RNGEN);
    assert_eq!(rng.until(SR, DRDY, DRDY, 100), Some(1_046));
}

#[test]
fn conditioning_makes_four_words_at_a_time_and_keeps_four_more() {
    let mut rng = at_16_mhz("stm32g431kb");
    rng.write(CR, RNGEN);
    // 128 periods of 48 MHz and 426 of HCLK.
    assert_eq!(rng.until(SR, DRDY, DRDY, 1_000), Some(469));
    let words: Vec<u32> = (0..4).map(|_| rng.read(DR)).collect();
    assert_eq!(words.iter().filter(|word| **word != 0).count(), 4);
    assert_eq!((rng.read(SR) & DRDY, rng.read(DR)), (0, 0));
    assert_eq!(rng.until(SR, DRDY, DRDY, 1_000), Some(469 + 213));
    rng.pass(1_000);
    assert_eq!((0..20).filter(|_| rng.read(DR) != 0).count(), 8, "four in the FIFO, four behind it");
    assert_eq!(rng.until(SR, DRDY, DRDY, 1_000), Some(469 + 213 + 1_000 + 213));
    // Faster than the threshold of 213 * 48 / 64 MHz: 192 periods of 48 MHz and 213 of HCLK.
    let mut fast = Alone::new("stm32g431kb", "RNG", 168_000_000, with_48_mhz);
    fast.write(CR, RNGEN);
    assert_eq!(fast.until(SR, DRDY, DRDY, 1_000), Some(192 * 168 / 48 + 213));
}

#[test]
fn a_reset_of_the_conditioning_takes_the_settings() {
    let mut rng = at_16_mhz("stm32l4p5zg");
    rng.write(CR, RNGEN | 1 << 16);
    assert_eq!(rng.read(CR), RNGEN, "settings are taken with CONDRST only");
    assert_eq!(rng.until(SR, DRDY, DRDY, 3_000), Some(4 * 412));
    rng.write(CR, RNGEN | 3 << 16 | 1 << 30);
    rng.write(0x10, 0x5A4E);
    assert_eq!(rng.read(SR) & DRDY, 0, "what was there is gone");
    rng.write(CR, RNGEN | 3 << 16);
    // Two periods of HCLK and two of 48 / 8 MHz.
    let from = rng.now;
    assert_eq!(rng.until(CR, 1 << 30, 0, 100), Some(from + 8));
    assert_eq!(rng.read(CR), RNGEN | 3 << 16);
    // 256 periods of 6 MHz are more than 412 of HCLK.
    let begun = rng.now;
    let ready = rng.until(SR, DRDY, DRDY, 10_000).unwrap();
    assert_eq!(ready - begun, (4u64 * 256 * 16).div_ceil(6));
    rng.write(CR, RNGEN | 1 << 30 | 1 << 31);
    rng.write(CR, RNGEN | 1 << 31);
    rng.pass(100);
    rng.write(CR, RNGEN | 5 << 16 | 1 << 30);
    assert_eq!(rng.read(CR) >> 16 & 15, 0, "locked");
    assert_eq!(rng.gaps(GapKind::RegisterWrite), ["RNG_HTCR.HTCFG"]);
}

#[test]
fn a_clock_that_is_missing_or_too_slow_is_an_error() {
    let mut rng = at_16_mhz("stm32l476rg");
    rng.change(|_, tree| Tree { clk48: Span::ZERO, ..tree });
    assert_eq!(rng.read(SR), 0, "it is off");
    rng.write(CR, RNGEN | IE);
    assert_eq!(rng.read(SR), CLOCK_ERROR);
    assert!(rng.line("GLOBAL"));
    rng.pass(10_000);
    assert_eq!(rng.read(SR), CLOCK_ERROR, "and no number comes");
    rng.change(with_48_mhz);
    assert_eq!(rng.read(SR), 1 << 5, "CECS follows the clock");
    rng.write(SR, 0);
    assert_eq!(rng.read(SR), 0);
    assert_eq!(rng.until(SR, DRDY, DRDY, 100), Some(10_016), "the numbers begin with the clock");
    // Slower than a 16th of HCLK.
    rng.change(|clocks, tree| Tree { clk48: clocks.period(Hertz::new(750_000)), ..tree });
    assert_eq!(rng.read(SR) & CLOCK_ERROR, CLOCK_ERROR);
    rng.write(SR, 0);
    rng.write(CR, RNGEN | CED);
    assert_eq!(rng.read(SR) & CLOCK_ERROR, 0, "not checked");
}

#[test]
fn numbers_are_the_same_each_time_and_none_comes_twice() {
    let numbers = || {
        let mut rng = at_16_mhz("stm32g081rb");
        rng.write(CR, RNGEN);
        rng.pass(1_000);
        let mut words = Vec::new();
        for _ in 0..500 {
            rng.pass(300);
            words.extend((0..4).map(|_| rng.read(DR)));
        }
        words
    };
    let words = numbers();
    assert_eq!(words, numbers());
    let ones: u32 = words.iter().map(|word| word.count_ones()).sum();
    assert!((30_000..34_000).contains(&ones), "{ones} of 64,000");
    let distinct: std::collections::BTreeSet<_> = words.iter().collect();
    assert_eq!(distinct.len(), 2_000);
}

#[test]
fn on_a_part_the_main_pll_makes_its_clock() {
    const RCC: u32 = 0x4002_3800;
    const RNG: u32 = 0x5006_0800;
    let mut bench = Bench::of("stm32f405rg", MemorySetting::Equal);
    bench.write(RCC + 0x34, 1 << 6);
    bench.write(RNG, RNGEN);
    assert_eq!(bench.read(RNG + SR), CLOCK_ERROR);
    // 8 MHz / 8 * 336 / 7.
    bench.write(RCC, 0x0001_0083);
    bench.pass(50_000);
    bench.write(RCC + 4, 7 << 24 | 1 << 22 | 336 << 6 | 8);
    bench.write(RCC, 0x0101_0083);
    bench.pass(50_000);
    assert_eq!(bench.read(RNG + SR) & (DRDY | 2), DRDY);
    bench.read(RNG + DR);
    bench.pass(13);
    assert_eq!(bench.read(RNG + SR) & DRDY, 0);
    bench.pass(1);
    assert_eq!(bench.read(RNG + SR) & DRDY, DRDY, "42 periods of 48 MHz are 14 of 16 MHz");
}
