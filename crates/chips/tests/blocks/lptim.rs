//! Low-power timers (RM0351, RM0444, "Low-power timer (LPTIM)").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::{Block, Clocks, Effect, Source, Tree};

use crate::alone::Alone;
use crate::bench::Bench;

const ISR: u32 = 0x00;
const ICR: u32 = 0x04;
const IER: u32 = 0x08;
const CFGR: u32 = 0x0C;
const CR: u32 = 0x10;
const CMP: u32 = 0x14;
const ARR: u32 = 0x18;
const CNT: u32 = 0x1C;

const CMPM: u32 = 1 << 0;
const ARRM: u32 = 1 << 1;
const EXTTRIG: u32 = 1 << 2;
const CMPOK: u32 = 1 << 3;
const ARROK: u32 = 1 << 4;
const UP: u32 = 1 << 5;
const DOWN: u32 = 1 << 6;

const ENABLE: u32 = 1;
const SINGLE: u32 = 1 << 1 | ENABLE;
const CONTINUOUS: u32 = 1 << 2 | ENABLE;
const COUNTRST: u32 = 1 << 3 | ENABLE;
const RSTARE: u32 = 1 << 4 | ENABLE;

/// A count of 32 kHz at 16 MHz.
const SLOW: u64 = 500;

fn low_speed(clocks: &Clocks, tree: Tree) -> Tree {
    Tree { lsi: clocks.period(Hertz::new(32_000)), lse: clocks.period(Hertz::new(32_768)), ..tree }
}

/// LPTIM1 of a G071 at 16 MHz, enabled with `cfgr` and all interrupts but those of writes, with its values in place.
fn ready(clock: Source, cfgr: u32, arr: u32, cmp: u32) -> Alone {
    let mut timer = Alone::new("stm32g071rb", "LPTIM1", 16_000_000, low_speed);
    timer.kernel(clock);
    timer.change(|_, tree| tree);
    timer.write(CFGR, cfgr);
    timer.write(IER, CMPM | ARRM | EXTTRIG | UP | DOWN);
    timer.write(CR, ENABLE);
    timer.write(ARR, arr);
    timer.write(CMP, cmp);
    timer.pass(8 * SLOW);
    assert_eq!(timer.read(ISR), ARROK | CMPOK);
    timer.write(ICR, u32::MAX);
    timer.effects();
    timer
}

/// The edges at the output during `cycles`, as cycles from now on.
fn edges(timer: &mut Alone, cycles: u64) -> Vec<(u64, bool)> {
    let mut edges = Vec::new();
    for cycle in 1..=cycles {
        timer.pass(1);
        edges.extend(timer.effects().into_iter().filter_map(|effect| match effect {
            Effect::Output { signal: "OUT", level: Some(level) } => Some((cycle, level)),
            _ => None,
        }));
    }
    edges
}

/// The pin of `signal` has the level `high` now.
fn pin(timer: &mut Alone, signal: &str, high: bool) {
    let index = timer.instance.pins.iter().position(|wired| wired.signal == signal).unwrap();
    timer.with(|device, env| device.input(index, high, env));
}

#[test]
fn writes_are_confirmed_after_four_periods_of_the_bus_and_three_of_the_clock() {
    let mut timer = Alone::new("stm32l476rg", "LPTIM1", 16_000_000, low_speed);
    timer.write(CR, ENABLE);
    timer.write(ARR, 99);
    assert_eq!(timer.until(ISR, ARROK, ARROK, 100), Some(7));
    timer.write(CR, 0);
    timer.kernel(Source::Lsi);
    timer.change(|_, tree| tree);
    timer.write(CR, ENABLE);
    timer.write(CMP, 5);
    // Three edges of LSI, which has one each 500 cycles.
    assert_eq!(timer.until(ISR, CMPOK, CMPOK, 10_000), Some(1_500));
    assert!(timer.gaps(GapKind::Setting).is_empty());
    timer.write(CR, 0);
    timer.write(ARR, 7);
    assert_eq!(timer.gaps(GapKind::Setting), ["LPTIM1_ARR is written while the timer is off"]);
}

#[test]
fn a_waveform_rises_when_the_counter_exceeds_cmp_and_falls_with_the_period() {
    let mut timer = ready(Source::Pclk, 0, 9, 3);
    timer.write(CR, CONTINUOUS);
    // The counter is 0 after one edge.
    assert_eq!(edges(&mut timer, 31), [(5, true), (11, false), (15, true), (21, false), (25, true), (31, false)]);
    assert_eq!(timer.read(CNT), 0);
    timer.pass(4);
    assert_eq!(timer.read(CNT), 4);
    timer.write(ICR, CMPM | ARRM);
    assert!(!timer.line("GLOBAL"));
    let now = timer.now;
    assert_eq!(timer.until(ISR, ARRM, ARRM, 20), Some(now + 5));
    assert!(timer.line("GLOBAL"));
    assert_eq!(timer.until(ISR, CMPM, CMPM, 20), Some(now + 9));
    // SNGSTRT ends a continuous timer with its period.
    timer.effects();
    timer.write(CR, SINGLE);
    assert_eq!(edges(&mut timer, 40), [(1, true), (7, false)]);
    assert_eq!(timer.read(CNT), 0);
    timer.write(CR, 0);
    timer.write(CFGR, 1 << 21);
    assert_eq!(edges(&mut timer, 1), [(1, true)], "WAVPOL");
}

#[test]
fn the_prescaler_divides_and_cmp_from_arr_on_gives_no_pulse() {
    // LSI / 4.
    let mut timer = ready(Source::Lsi, 2 << 9, 4, 4);
    let begun = timer.now;
    timer.write(CR, CONTINUOUS);
    assert_eq!(timer.until(ISR, ARRM, ARRM, 100_000), Some(begun + SLOW + 4 * 4 * SLOW));
    assert_eq!(edges(&mut timer, 20 * 4 * SLOW), []);
    timer.write(CMP, 1);
    let rises = edges(&mut timer, 10 * 4 * SLOW);
    assert_eq!(rises[1].0 - rises[0].0, 3 * 4 * SLOW);
    assert_eq!(rises[2].0 - rises[0].0, 5 * 4 * SLOW);
}

#[test]
fn one_shots_start_by_software_or_by_each_trigger_and_set_once_by_the_first() {
    let mut timer = ready(Source::Pclk, 0, 9, 3);
    timer.write(CR, SINGLE);
    assert_eq!(edges(&mut timer, 50), [(5, true), (11, false)]);
    // A rising edge at ETR, two counts before the counter runs.
    let mut timer = ready(Source::Pclk, 1 << 17, 9, 3);
    timer.write(CR, SINGLE);
    assert_eq!(edges(&mut timer, 50), []);
    pin(&mut timer, "ETR", true);
    assert_eq!(timer.read(ISR), EXTTRIG);
    assert_eq!(edges(&mut timer, 3), []);
    pin(&mut timer, "ETR", false);
    timer.write(ICR, EXTTRIG);
    pin(&mut timer, "ETR", true);
    assert_eq!(timer.read(ISR) & EXTTRIG, 0, "ignored while it runs");
    assert_eq!(edges(&mut timer, 50), [(3, true), (9, false)]);
    pin(&mut timer, "ETR", false);
    pin(&mut timer, "ETR", true);
    assert_eq!(edges(&mut timer, 50), [(6, true), (12, false)]);
    // WAVE: once, and the level stays.
    let mut timer = ready(Source::Pclk, 3 << 17 | 1 << 20, 9, 3);
    timer.write(CR, SINGLE);
    pin(&mut timer, "ETR", true);
    assert_eq!(edges(&mut timer, 50), [(6, true)]);
    pin(&mut timer, "ETR", false);
    assert_eq!(edges(&mut timer, 50), []);
    assert!(timer.gaps(GapKind::Setting).is_empty());
    let mut timer = ready(Source::Pclk, 1 << 17 | 2 << 13, 9, 3);
    timer.write(CR, SINGLE);
    assert_eq!(timer.gaps(GapKind::Setting), ["LPTIM1_CFGR.TRIGSEL=2: only the pin ETR triggers it"]);
}

#[test]
fn a_timeout_is_put_off_by_each_trigger() {
    let mut timer = ready(Source::Pclk, 1 << 17 | 1 << 19, 99, 49);
    timer.write(CR, CONTINUOUS);
    for _ in 0..5 {
        pin(&mut timer, "ETR", true);
        timer.pass(40);
        pin(&mut timer, "ETR", false);
        assert_eq!(timer.read(ISR), EXTTRIG);
    }
    let last = timer.now - 40;
    assert_eq!(timer.until(ISR, CMPM, CMPM, 100), Some(last + 2 + 49));
}

#[test]
fn new_values_come_at_once_or_with_the_next_period() {
    for (preload, second) in [(0, 10), (1 << 22, 20)] {
        let mut timer = ready(Source::Pclk, preload, 19, 0xFFFF);
        timer.write(CR, CONTINUOUS);
        timer.pass(1);
        timer.write(ARR, 9);
        let written = timer.now;
        assert_eq!(timer.until(ISR, ARROK, ARROK, 20), Some(written + 7));
        let mut values = Vec::new();
        for _ in 0..40 {
            values.push(timer.read(CNT));
            timer.pass(1);
        }
        let wrap = values.iter().position(|value| *value == 0).unwrap() as u64;
        assert_eq!(wrap + 7, second, "{preload:#x}");
        assert_eq!(values.iter().skip(wrap as usize).position(|value| *value == 9), Some(9), "then ARR + 1 counts");
    }
}

#[test]
fn the_counter_is_cleared_by_software() {
    let mut timer = ready(Source::Pclk, 0, 0xFFFF, 0xFFFF);
    timer.write(CR, CONTINUOUS);
    timer.pass(51);
    assert_eq!(timer.read(CNT), 50);
    timer.write(CR, COUNTRST);
    timer.pass(2);
    assert_eq!((timer.read(CNT), timer.read(CR)), (52, COUNTRST));
    timer.pass(1);
    assert_eq!((timer.read(CNT), timer.read(CR)), (0, ENABLE));
    timer.write(CR, RSTARE);
    timer.pass(10);
    assert_eq!((timer.read(CNT), timer.read(CNT)), (10, 0), "a read clears it");
}

#[test]
fn edges_are_counted_by_the_kernel_clock_or_instead_of_it() {
    // COUNTMODE: both edges, through the kernel clock.
    let mut timer = ready(Source::Pclk, 1 << 23 | 2 << 1, 5, 3);
    timer.write(CR, CONTINUOUS);
    timer.pass(10);
    for high in [true, false, true] {
        pin(&mut timer, "IN1", high);
        timer.pass(10);
    }
    assert_eq!((timer.read(CNT), timer.read(ISR)), (3, CMPM));
    pin(&mut timer, "IN1", false);
    timer.pass(1);
    assert_eq!(timer.read(CNT), 3);
    timer.pass(1);
    assert_eq!(timer.read(CNT), 4, "two flip-flops");
    // CKSEL: the edges are the clock, of which five are lost and writes need three; divided by two.
    let mut timer = Alone::new("stm32g071rb", "LPTIM1", 16_000_000, low_speed);
    timer.write(CFGR, 1 | 1 << 9);
    timer.write(CR, ENABLE);
    timer.write(ARR, 2);
    timer.write(CR, CONTINUOUS);
    let tick = |timer: &mut Alone| {
        pin(timer, "IN1", true);
        timer.pass(3);
        pin(timer, "IN1", false);
        timer.pass(3);
        (timer.read(CNT), timer.read(ISR) & (ARROK | ARRM))
    };
    let seen: Vec<_> = (0..12).map(|_| tick(&mut timer)).collect();
    let counts: Vec<_> = seen.iter().map(|(count, _)| *count).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0]);
    assert_eq!((seen[1].1, seen[2].1, seen[8].1), (0, ARROK, ARROK | ARRM));
}

#[test]
fn an_encoder_counts_both_ways() {
    for (polarity, steps) in [(0, 2), (1, 2), (2, 4)] {
        let mut timer = ready(Source::Pclk, 1 << 24 | polarity << 1, 99, 0xFFFF);
        timer.write(CR, CONTINUOUS);
        timer.pass(10);
        let turn = |timer: &mut Alone, forward: bool| {
            let (first, second) = if forward { ("IN1", "IN2") } else { ("IN2", "IN1") };
            for (signal, high) in [(first, true), (second, true), (first, false), (second, false)] {
                pin(timer, signal, high);
                timer.pass(10);
            }
        };
        (0..3).for_each(|_| turn(&mut timer, true));
        assert_eq!((timer.read(CNT), timer.read(ISR)), (3 * steps, 0), "{polarity}");
        (0..2).for_each(|_| turn(&mut timer, false));
        assert_eq!((timer.read(CNT), timer.read(ISR)), (steps, DOWN), "{polarity}");
        (0..2).for_each(|_| turn(&mut timer, false));
        assert_eq!(timer.read(CNT), 100 - steps, "{polarity}: below zero is ARR");
        turn(&mut timer, true);
        assert_eq!(timer.read(ISR) & UP, UP);
    }
}

#[test]
fn a_timer_on_lsi_counts_on_while_the_core_stands() {
    let mut timer = ready(Source::Lsi, 0, 9, 0xFFFF);
    timer.write(CR, CONTINUOUS);
    let begun = timer.now;
    timer.change(|_, tree| tree);
    let (tree, now) = (*timer.slots.wires.shared.tree(), timer.now);
    let (_, mut context) = timer.bus.with_context(cyclescope_machine::units::Cycles::new(now), Default::default());
    timer.slots.change(tree, &mut context, |clocks, context| clocks.stand(context.now));
    timer.pass(10 * SLOW - 1);
    assert!(!timer.line("GLOBAL"));
    timer.pass(1);
    assert!(timer.line("GLOBAL"), "ARRM at {} of {begun}", timer.now);
}

#[test]
fn a_change_of_the_clock_keeps_the_count() {
    let mut timer = ready(Source::Pclk, 0, 0xFFFF, 0xFFFF);
    timer.write(CR, CONTINUOUS);
    timer.pass(101);
    timer.change(|_, tree| Tree { pclk: tree.hclk.times(4), ..tree });
    assert_eq!(timer.read(CNT), 100);
    timer.pass(40);
    assert_eq!(timer.read(CNT), 110);
    timer.kernel(Source::Hclk);
    timer.change(|_, tree| tree);
    timer.pass(40);
    assert_eq!(timer.read(CNT), 150);
}

#[test]
fn on_a_part_the_output_is_at_its_pin() {
    const RCC: u32 = 0x4002_1000;
    const PORT_A: u32 = 0x5000_0000;
    const LPTIM1: u32 = 0x4000_7C00;
    let mut bench = Bench::of("stm32g071rb", MemorySetting::Equal);
    bench.write(RCC + 0x34, 1);
    bench.write(RCC + 0x3C, 1 << 31);
    bench.write(PORT_A + 0x20, 5);
    bench.write(PORT_A, 0xEBFF_FFFE);
    bench.write(LPTIM1 + CR, ENABLE);
    bench.write(LPTIM1 + ARR, 15);
    bench.write(LPTIM1 + CMP, 7);
    bench.pass(10);
    bench.edges(0, 0);
    let begun = bench.now;
    bench.write(LPTIM1 + CR, CONTINUOUS);
    bench.pass(40);
    let expected = [(9, true), (17, false), (25, true), (33, false)].map(|(at, high)| (begun + at, high));
    assert_eq!(bench.edges(0, 0), expected);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}
