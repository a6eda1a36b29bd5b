//! nRF52840: clocks, timers and real-time counters (nRF52840 PS, CLOCK, POWER, TIMER, RTC).

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;

use crate::bench::Bench;

pub const CLOCK: u32 = 0x4000_0000;
const HFCLKSTART: u32 = CLOCK;
const LFCLKSTART: u32 = CLOCK + 0x08;
const LFCLKSTOP: u32 = CLOCK + 0x0C;
const CAL: u32 = CLOCK + 0x10;
const CTSTART: u32 = CLOCK + 0x14;
const HFCLKSTARTED: u32 = CLOCK + 0x100;
const LFCLKSTARTED: u32 = CLOCK + 0x104;
const DONE: u32 = CLOCK + 0x10C;
const CTTO: u32 = CLOCK + 0x110;
const HFCLKSTAT: u32 = CLOCK + 0x40C;
const LFCLKSTAT: u32 = CLOCK + 0x418;
const LFCLKSRC: u32 = CLOCK + 0x518;
const CTIV: u32 = CLOCK + 0x538;
const TIMER0: u32 = 0x4000_8000;
const TIMER3: u32 = 0x4001_A000;
const TIMER0_LINE: usize = 8;
const RTC1: u32 = 0x4001_1000;
const RTC1_LINE: usize = 17;
const RTC_CLEAR: u32 = 0x08;
const RTC_TRIGOVRFLW: u32 = 0x0C;
const RTC_COUNTER: u32 = 0x504;
const RTC_PRESCALER: u32 = 0x508;
const START: u32 = 0x00;
const STOP: u32 = 0x04;
const COUNT: u32 = 0x08;
const CLEAR: u32 = 0x0C;
const CAPTURE: u32 = 0x40;
const COMPARE: u32 = 0x140;
const SHORTS: u32 = 0x200;
const INTENSET: u32 = 0x304;
const INTENCLR: u32 = 0x308;
const MODE: u32 = 0x504;
const BITMODE: u32 = 0x508;
const PRESCALER: u32 = 0x510;
const CC: u32 = 0x540;

/// Core cycles of a microsecond.
pub const US: u64 = 64;

/// The part after power-on.
pub fn part() -> Bench {
    Bench::of("nrf52840", MemorySetting::Shipped)
}

/// The cycle at which the register at `address` first reads as `value`, at most `limit` away.
pub fn until(bench: &mut Bench, address: u32, value: u32, limit: u64) -> Option<u64> {
    let end = bench.now + limit;
    while bench.read(address) != value {
        let next = bench.bus.shared.events.next_at().get().max(bench.now + 1);
        if next > end {
            return None;
        }
        bench.pass(next - bench.now);
    }
    Some(bench.now)
}

/// LFCLK runs from its RC oscillator.
pub fn with_lfclk() -> Bench {
    let mut bench = part();
    bench.write(LFCLKSTART, 1);
    until(&mut bench, LFCLKSTARTED, 1, 1_000 * US).unwrap();
    bench
}

#[test]
fn oscillators_take_their_time() {
    let mut bench = part();
    assert_eq!(bench.bus.peripherals.hclk().get(), 64_000_000);
    bench.write(HFCLKSTART, 1);
    assert_eq!(until(&mut bench, HFCLKSTARTED, 1, 1_000 * US), Some(360 * US));
    assert_eq!(bench.read(HFCLKSTAT), 0x0001_0001);
    let begun = bench.now;
    bench.write(LFCLKSRC, 1);
    bench.write(LFCLKSTART, 1);
    bench.pass(600 * US);
    assert_eq!((bench.read(LFCLKSTAT), bench.read(LFCLKSTARTED)), (0x0001_0000, 0), "RC while the crystal starts");
    assert_eq!(until(&mut bench, LFCLKSTARTED, 1, 300_000 * US), Some(begun + 250_000 * US));
    assert_eq!(bench.read(LFCLKSTAT), 0x0001_0001);
    bench.write(LFCLKSTOP, 1);
    assert_eq!(bench.read(LFCLKSTAT), 0);
    bench.write(CTIV, 4);
    bench.write(CTSTART, 1);
    bench.write(CAL, 1);
    let begun = bench.now;
    assert_eq!(until(&mut bench, DONE, 1, 10_000 * US), Some(begun + 7_500 * US));
    assert_eq!(until(&mut bench, CTTO, 1, 2_000_000 * US), Some(begun + 1_000_000 * US));
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn a_timer_compares_clears_and_interrupts() {
    let mut bench = part();
    bench.pass(1);
    bench.write(TIMER0 + PRESCALER, 4);
    bench.write(TIMER0 + BITMODE, 3);
    bench.write(TIMER0 + CC, 10);
    bench.write(TIMER0 + SHORTS, 1);
    bench.write(TIMER0 + INTENSET, 1 << 16);
    bench.write(TIMER0 + START, 1);
    // From the next edge of PCLK16M on, 10 microseconds each.
    assert_eq!(bench.until_line(TIMER0_LINE, 10_000), Some(4 + 10 * US));
    bench.write(TIMER0 + COMPARE, 0);
    assert!(!bench.bus.shared.interrupts.is_high(TIMER0_LINE));
    assert_eq!(bench.until_line(TIMER0_LINE, 10_000), Some(4 + 20 * US), "cleared by the shortcut");
    bench.pass(3 * US);
    bench.write(TIMER0 + CAPTURE + 4, 1);
    assert_eq!(bench.read(TIMER0 + CC + 4), 3);
    bench.write(TIMER0 + INTENCLR, 1 << 16);
    assert!(!bench.bus.shared.interrupts.is_high(TIMER0_LINE));
    bench.write(TIMER0 + STOP, 1);
    bench.pass(50 * US);
    bench.write(TIMER0 + CAPTURE + 4, 1);
    assert_eq!(bench.read(TIMER0 + CC + 4), 3, "it stands");
    bench.write(TIMER0 + START, 1);
    bench.pass(2 * US + 4);
    bench.write(TIMER0 + CAPTURE + 4, 1);
    assert_eq!(bench.read(TIMER0 + CC + 4), 5, "and goes on");
    bench.write(TIMER0 + CLEAR, 1);
    bench.write(TIMER0 + CAPTURE + 4, 1);
    assert_eq!(bench.read(TIMER0 + CC + 4), 0);
    bench.write(TIMER0 + CC + 16, 5);
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["TIMER0+0x550"], "four channels");
    bench.write(TIMER3 + CC + 20, 5);
    assert_eq!(bench.read(TIMER3 + CC + 20), 5, "six");
}

#[test]
fn a_counter_counts_its_task_in_its_bits() {
    let mut bench = part();
    bench.write(TIMER3 + MODE, 2);
    bench.write(TIMER3 + BITMODE, 1);
    bench.write(TIMER3 + CC + 20, 2);
    bench.write(TIMER3 + COUNT, 1);
    bench.write(TIMER3 + START, 1);
    for seen in [0, 1] {
        bench.write(TIMER3 + COUNT, 1);
        assert_eq!(bench.read(TIMER3 + COMPARE + 20), seen, "the one before START does not count");
    }
    (0..256).for_each(|_| bench.write(TIMER3 + COUNT, 1));
    bench.write(TIMER3 + CAPTURE, 1);
    assert_eq!(bench.read(TIMER3 + CC), 2, "eight bits");
}

#[test]
fn tasks_reach_an_rtc_with_the_edge_behind_a_falling_one() {
    let mut bench = with_lfclk();
    let counter = RTC1 + RTC_COUNTER;
    let begun = bench.now;
    let edge = |count: u64| begun + (count * 15_625).div_ceil(8);
    bench.write(RTC1 + START, 1);
    bench.pass(edge(1) - bench.now - 1);
    assert_eq!(bench.read(counter), 0);
    bench.pass(1);
    assert_eq!(bench.read(counter), 1, "the falling edge lay between");
    bench.pass(edge(1) + 1_100 - bench.now);
    bench.write(RTC1 + RTC_CLEAR, 1);
    bench.pass(edge(2) - bench.now);
    assert_eq!(bench.read(counter), 2, "no falling edge before this one");
    bench.pass(edge(3) - bench.now);
    assert_eq!(bench.read(counter), 0);
    bench.write(RTC1 + STOP, 1);
    bench.pass(10 * 1954);
    assert_eq!(bench.read(counter), 1, "one edge came before it");
    bench.write(RTC1 + RTC_PRESCALER, 7);
    bench.write(RTC1 + START, 1);
    bench.pass(20 * 1954);
    assert_eq!(bench.read(counter), 3, "a prescaler of 8");
    bench.write(RTC1 + RTC_PRESCALER, 0);
    assert_eq!(bench.read(RTC1 + RTC_PRESCALER), 7, "read only while it runs");
}

#[test]
fn an_rtc_is_sure_to_match_the_value_after_the_next() {
    for (ahead, comes) in [(1, false), (2, true), (3, true)] {
        let mut bench = with_lfclk();
        bench.write(RTC1 + INTENSET, 1 << 16);
        bench.write(RTC1 + START, 1);
        bench.pass(10 * 1954);
        let counter = bench.read(RTC1 + RTC_COUNTER);
        bench.write(RTC1 + CC, counter + ahead);
        let came = bench.until_line(RTC1_LINE, 10 * 1954);
        assert_eq!(came.is_some(), comes, "{ahead}");
        if comes {
            assert_eq!(bench.read(RTC1 + RTC_COUNTER), counter + ahead);
        }
    }
}

#[test]
fn an_rtc_overflows_and_ticks_if_wanted() {
    let mut bench = with_lfclk();
    let (tick, overflow, evtenset) = (RTC1 + 0x100, RTC1 + 0x104, RTC1 + 0x344);
    bench.write(RTC1 + START, 1);
    bench.pass(3 * 1954);
    assert_eq!(bench.read(tick), 0, "nobody wants it");
    bench.write(evtenset, 3);
    bench.write(RTC1 + RTC_TRIGOVRFLW, 1);
    bench.pass(3 * 1954);
    assert_eq!(bench.read(tick), 1);
    assert!(bench.read(RTC1 + RTC_COUNTER) >= 0xFF_FFF0);
    bench.pass(17 * 1954);
    assert_eq!(bench.read(overflow), 1);
    assert!(bench.read(RTC1 + RTC_COUNTER) < 8);
}

#[test]
fn a_read_of_the_counter_takes_five_periods_of_pclk16m() {
    use cyclescope_machine::Peripherals;
    use cyclescope_machine::units::{Address, Cycles};
    let mut bench = with_lfclk();
    let mut extra = |address| bench.bus.peripherals.extra_cycles(Address::new(address), false, Cycles::new(bench.now));
    assert_eq!([RTC1 + RTC_COUNTER, RTC1 + CC, TIMER0 + CC, 0x5000_0504].map(&mut extra), [20, 3, 3, 0]);
}

#[test]
fn registers_outlive_the_resets_that_spare_them() {
    let (resetreas, gpregret) = (CLOCK + 0x400, CLOCK + 0x51C);
    for (cause, flag, kept) in [("software reset", 1 << 2, 0x57), ("pin", 1, 0), ("WDT", 2, 0)] {
        let mut bench = part();
        bench.write(gpregret, 0x57);
        bench.bus.shared.reset = Some(cause);
        bench.reset();
        assert_eq!((bench.read(resetreas), bench.read(gpregret)), (flag, kept), "{cause}");
        bench.bus.shared.reset = Some("software reset");
        bench.reset();
        assert_eq!(bench.read(resetreas), flag | 1 << 2, "they gather");
        bench.write(resetreas, flag | 1 << 2);
        assert_eq!(bench.read(resetreas), 0);
    }
}
