//! RP2040: the real-time clock (RP-008371-DS, "RTC").

use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::rp_uart::{CLEAR, SET, gaps, part};

const RTC: u32 = 0x4005_C000;
const CLKDIV_M1: u32 = RTC;
const SETUP_0: u32 = RTC + 0x04;
const SETUP_1: u32 = RTC + 0x08;
const CTRL: u32 = RTC + 0x0C;
const IRQ_SETUP_0: u32 = RTC + 0x10;
const IRQ_SETUP_1: u32 = RTC + 0x14;
const RTC_1: u32 = RTC + 0x18;
const RTC_0: u32 = RTC + 0x1C;
const INTR: u32 = RTC + 0x20;
const INTE: u32 = RTC + 0x24;
const CLK_RTC_CTRL: u32 = 0x4000_806C;
const LINE: usize = 25;
const ACTIVE: u32 = 2;
/// Cycles of a second, and of two periods of clk_rtc, which is as fast as the system's clock.
const SECOND: u64 = 100;
const SYNC: u64 = 2;

const fn date(year: u32, month: u32, day: u32) -> u32 {
    year << 12 | month << 8 | day
}

const fn time(weekday: u32, hour: u32, minute: u32, second: u32) -> u32 {
    weekday << 24 | hour << 16 | minute << 8 | second
}

/// The clock set to a moment, and running.
fn on(date: u32, time: u32, more: u32) -> Bench {
    let mut bench = part();
    bench.write(CLK_RTC_CTRL, 2 << 5 | 1 << 11);
    bench.write(CLKDIV_M1, SECOND as u32 - 1);
    bench.write(SETUP_0, date);
    bench.write(SETUP_1, time);
    bench.write(CTRL, 1 << 4 | more);
    bench.write(CTRL + SET, 1);
    bench.pass(SYNC);
    bench
}

fn now(bench: &mut Bench) -> [u32; 2] {
    // The time first: the date is that of the same moment.
    let time = bench.read(RTC_0);
    [bench.read(RTC_1), time]
}

#[test]
fn seconds_count_from_the_moment_at_which_the_clock_is_active() {
    let mut bench = part();
    bench.write(CLK_RTC_CTRL, 2 << 5 | 1 << 11);
    bench.write(CLKDIV_M1, SECOND as u32 - 1);
    bench.write(CTRL, 1);
    assert_eq!(bench.read(CTRL), 1);
    bench.pass(SYNC);
    assert_eq!(bench.read(CTRL), 1 | ACTIVE);
    bench.pass(SECOND - 1);
    assert_eq!(bench.read(RTC_0), 0);
    bench.pass(1);
    assert_eq!(bench.read(RTC_0), 1);
    bench.write(CTRL + CLEAR, 1);
    bench.pass(SYNC + 10 * SECOND);
    assert_eq!([bench.read(CTRL), bench.read(RTC_0)], [0, 1]);
    assert!(gaps(&bench, GapKind::RegisterWrite, "RTC").is_empty());
}

#[test]
fn the_calendar_knows_months_and_leap_years() {
    for (from, more, to) in [
        (date(2023, 12, 31), 0, date(2024, 1, 1)),
        (date(2024, 2, 28), 0, date(2024, 2, 29)),
        (date(2024, 2, 29), 0, date(2024, 3, 1)),
        (date(2023, 2, 28), 0, date(2023, 3, 1)),
        (date(2100, 2, 28), 1 << 8, date(2100, 3, 1)),
        (date(2024, 4, 30), 0, date(2024, 5, 1)),
        (date(4095, 12, 31), 0, date(0, 1, 1)),
    ] {
        let mut bench = on(from, time(6, 23, 59, 59), more);
        assert_eq!(now(&mut bench), [from, time(6, 23, 59, 59)]);
        bench.pass(SECOND);
        assert_eq!(now(&mut bench), [to, time(0, 0, 0, 0)], "{from:#x}");
        // Four years later, unseen.
        bench.pass(if more == 0 { 1461 } else { 1460 } * 86_400 * SECOND);
        assert_eq!(now(&mut bench)[0], (to + (4 << 12)) & 0xFF_FFFF, "{from:#x}");
    }
}

#[test]
fn an_alarm_interrupts_for_as_long_as_it_matches() {
    let mut bench = on(date(2024, 5, 6), time(1, 12, 0, 58), 0);
    bench.write(INTE, 1);
    // Of the minute.
    bench.write(IRQ_SETUP_1, 1 << 28);
    bench.write(IRQ_SETUP_0, 1 << 28);
    let begun = bench.now;
    bench.pass(SYNC);
    assert_eq!(bench.read(IRQ_SETUP_0) >> 28, 3);
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 2 * SECOND));
    assert_eq!(bench.read(INTR), 1);
    bench.pass(SECOND);
    assert_eq!(bench.read(INTR), 0);
    // And of the day, the month and the hour; the last never comes.
    bench.write(IRQ_SETUP_0 + CLEAR, 1 << 28);
    bench.pass(SYNC);
    bench.write(IRQ_SETUP_1, time(0, 12, 1, 5) | 7 << 28);
    bench.write(IRQ_SETUP_0, date(0, 5, 6) | 7 << 24 | 1 << 28);
    assert_eq!(bench.until_line(LINE, 60 * SECOND), None);
    bench.write(IRQ_SETUP_0, date(2024, 5, 6) | 7 << 24 | 1 << 28);
    assert_eq!(bench.until_line(LINE, 60 * SECOND), None, "it is later");
    bench.pass(SYNC);
    bench.write(SETUP_0, date(2024, 5, 6));
    bench.write(SETUP_1, time(1, 12, 1, 4));
    bench.write(CTRL + SET, 1 << 4);
    assert!(bench.until_line(LINE, SECOND).is_some());
    assert_eq!(now(&mut bench)[1], time(1, 12, 1, 5));
}
