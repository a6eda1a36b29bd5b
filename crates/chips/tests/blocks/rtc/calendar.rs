//! The calendars of STM32F446 and STM32C031 (RM0390, RM0490, "Real-time clock (RTC)").

use cyclescope_machine::GapKind;
use proptest::prelude::*;
use time::{Date, Duration, Month, PrimitiveDateTime, Time};

use super::{RTC, c031, f446};
use crate::bench::Bench;

const TR: u32 = RTC;
const DR: u32 = RTC + 0x04;
const CR: u32 = RTC + 0x08;
const ISR: u32 = RTC + 0x0C;
const PRER: u32 = RTC + 0x10;
const WUTR: u32 = RTC + 0x14;
const CALIBR: u32 = RTC + 0x18;
const ALRMAR: u32 = RTC + 0x1C;
const WPR: u32 = RTC + 0x24;
const SSR: u32 = RTC + 0x28;
const SHIFTR: u32 = RTC + 0x2C;
const TSTR: u32 = RTC + 0x30;
const CALR: u32 = RTC + 0x3C;
const TAFCR: u32 = RTC + 0x40;
const ALRMASSR: u32 = RTC + 0x44;
const BKP0R: u32 = RTC + 0x50;
const EXTI: u32 = 0x4001_3C00;
const ALARM_LINE: usize = 41;
const WAKE_LINE: usize = 3;
const TAMPER_LINE: usize = 2;

const TICK: u64 = 500;
/// The Assumed flip-flops behind an external interrupt's edge.
const SYNCHRONISER: u64 = 2;
const BYPSHAD: u32 = 1 << 5;

fn unlock(bench: &mut Bench) {
    bench.write(WPR, 0xCA);
    bench.write(WPR, 0x53);
}

/// Sets the calendar, with prescalers.
fn set(bench: &mut Bench, prer: u32, tr: u32, dr: u32) {
    unlock(bench);
    bench.write(ISR, 1 << 7);
    while bench.read(ISR) & 1 << 6 == 0 {
        bench.pass(TICK);
    }
    bench.write(PRER, prer);
    bench.write(TR, tr);
    bench.write(DR, dr);
    bench.write(ISR, 0);
}

/// The F446 with a calendar of seconds of 32,000 periods from the last moment of 28 February 2024 on, read without shadows.
fn leap() -> (Bench, u64) {
    let mut bench = f446();
    let origin = bench.now;
    set(&mut bench, 127 << 16 | 249, 0x0023_5959, 0x0024_6228);
    bench.write(CR, BYPSHAD);
    let begin = origin + ((bench.now - origin) / TICK + 4) * TICK;
    (bench, begin)
}

#[test]
fn initialisation_takes_two_periods_and_the_calendar_starts_after_four() {
    let mut bench = f446();
    let origin = bench.now;
    bench.pass(10 * TICK + 7);
    bench.write(TR, 0x11);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("WPR")), "locked");
    unlock(&mut bench);
    bench.write(ISR, 1 << 7);
    bench.now = origin + 12 * TICK - 1;
    assert_eq!(bench.read(ISR) & 0xC0, 0x80);
    bench.pass(1);
    assert_eq!(bench.read(ISR) & 0xC0, 0xC0);
    bench.write(PRER, 127 << 16 | 249);
    bench.write(TR, 0x0023_5959);
    bench.write(DR, 0x0024_6228);
    bench.write(ISR, 0);
    bench.write(CR, BYPSHAD);
    let second = 128 * 250 * TICK;
    bench.now = origin + 16 * TICK + second - 1;
    assert_eq!((bench.read(TR), bench.read(DR), bench.read(SSR)), (0x0023_5959, 0x0024_6228, 0));
    bench.pass(1);
    assert_eq!((bench.read(TR), bench.read(DR), bench.read(SSR)), (0, 0x0024_8229, 249));
    bench.pass(86_400 * second);
    assert_eq!((bench.read(TR), bench.read(DR)), (0, 0x0024_A301), "Friday, 1 March");
    assert_eq!(bench.read(ISR) & 1 << 4, 1 << 4, "INITS");
}

#[test]
fn shadow_registers_are_copied_every_two_periods_and_locked_while_they_are_read() {
    let (mut bench, begin) = leap();
    bench.write(CR, 0);
    let second = 128 * 250 * TICK;
    bench.now = begin + second - 1;
    assert_eq!(bench.read(SSR), 0);
    bench.pass(3 * TICK);
    assert_eq!((bench.read(TR), bench.read(DR)), (0x0023_5959, 0x0024_6228), "as they were with SSR");
    assert_eq!((bench.read(TR), bench.read(DR)), (0, 0x0024_8229));
    bench.write(ISR, !(1 << 5) & !(1 << 7));
    assert_eq!(bench.read(ISR) & 1 << 5, 0);
    bench.pass(2 * TICK);
    assert_eq!(bench.read(ISR) & 1 << 5, 1 << 5);
}

#[test]
fn an_alarm_comes_with_its_second_or_its_part_of_one() {
    for (sub, after) in [(0, 128 * 250), (15 << 24 | 100, 128 * 250 + 128 * 149)] {
        let (mut bench, begin) = leap();
        bench.write(EXTI, 1 << 17);
        bench.write(EXTI + 8, 1 << 17);
        bench.write(ALRMAR, 0x2900_0000);
        bench.write(ALRMASSR, sub);
        bench.write(CR, 1 << 8 | 1 << 12);
        assert_eq!(bench.read(ISR) & 1, 0, "ALRAWF");
        assert_eq!(bench.until_line(ALARM_LINE, u64::MAX / 2), Some(begin + after * TICK + SYNCHRONISER));
        assert_eq!(bench.read(ISR) & 0x300, 0x100);
        bench.write(ALRMAR, 0);
        assert_eq!(bench.read(ALRMAR), 0x2900_0000, "an alarm that is on keeps its time");
        bench.write(ISR, !0x100 & !0x80);
        assert_eq!(bench.read(ISR) & 0x300, 0);
    }
}

#[test]
fn an_alarm_of_twelve_hours_comes_in_its_half_of_the_day() {
    let mut bench = f446();
    bench.pass(TICK);
    unlock(&mut bench);
    bench.write(ISR, 1 << 7);
    bench.pass(2 * TICK);
    bench.write(CR, 1 << 6 | BYPSHAD);
    bench.write(PRER, 0);
    bench.write(TR, 0x0012_0000);
    bench.write(DR, 0x0001_2101);
    bench.write(ISR, 0);
    bench.write(ALRMAR, 0x8045_3000);
    bench.write(CR, 1 << 8 | 1 << 6 | BYPSHAD);
    bench.pass((4 + 63_000) * TICK - 1);
    let before = bench.read(ISR) & 0x100;
    bench.pass(TICK);
    assert_eq!(
        (before, bench.read(ISR) & 0x100, bench.read(TR)),
        (0, 0x100, 0x0045_3000),
        "17:30 is 5:30 in the afternoon"
    );
}

#[test]
fn the_wake_up_timer_counts_the_clock_or_seconds() {
    for (clock, count, period) in [(0, 9, 160), (3, 9, 20), (4, 2, 3 * 128 * 250), (6, 0, 65_537 * 128 * 250)] {
        let (mut bench, begin) = leap();
        bench.now = begin + 5 * 128 * 250 * TICK;
        bench.write(EXTI, 1 << 22);
        bench.write(EXTI + 8, 1 << 22);
        bench.write(WUTR, count);
        bench.write(CR, clock);
        bench.write(CR, clock | 1 << 10 | 1 << 14);
        let from = bench.now;
        for time in 1..4 {
            let at = bench.until_line(WAKE_LINE, u64::MAX / 2);
            assert_eq!(at, Some(from + time * period * TICK + SYNCHRONISER), "WUCKSEL {clock}");
            bench.write(ISR, !(1 << 10) & !(1 << 7));
            bench.write(EXTI + 0x14, 1 << 22);
        }
    }
}

#[test]
fn a_shift_moves_the_clock_by_parts_of_a_second() {
    let (mut bench, begin) = leap();
    bench.now = begin + 10 * 128 * TICK;
    bench.write(SHIFTR, 1 << 31 | 50);
    assert_eq!((bench.read(ISR) & 8, bench.read(SSR)), (8, 239));
    bench.pass(2 * TICK);
    assert_eq!((bench.read(ISR) & 8, bench.read(SSR), bench.read(TR)), (0, 289, 0));
    bench.now = begin + (10 + 290) * 128 * TICK;
    assert_eq!((bench.read(SSR), bench.read(TR)), (249, 1), "200 of 250 earlier");
}

#[test]
fn calibrations_add_and_leave_out_what_the_manual_says() {
    for (calr, gained) in [(1 << 15, 512), (511, -511), (1 << 15 | 12, 500), (1 << 14 | 7, -4)] {
        let (mut bench, begin) = leap();
        bench.now = begin;
        bench.write(CALR, calr);
        assert_eq!(bench.read(ISR) & 1 << 16, 1 << 16);
        bench.now = begin + 3 * 128 * TICK;
        assert_eq!(bench.read(ISR) & 1 << 16, 0);
        // 128 windows of 2^20 periods differ by as many ck_apre as one does by periods.
        let before = bench.read(SSR);
        bench.pass((128 << 20) * TICK);
        let parts = (128i64 << 20) / 128 + gained;
        let expected = (i64::from(before) - parts).rem_euclid(250);
        assert_eq!(i64::from(bench.read(SSR)), expected, "CALR {calr:#x}");
    }
    // Coarse: with DC = 3, 6 minutes of 64 gain two ck_apre each, or lose one.
    for (calibr, gained) in [(3, 12), (1 << 7 | 3, -6)] {
        let mut bench = f446();
        let origin = bench.now;
        unlock(&mut bench);
        bench.write(ISR, 1 << 7);
        bench.pass(2 * TICK);
        bench.write(CR, 1 << 7 | BYPSHAD);
        bench.write(CALIBR, calibr);
        bench.write(PRER, 127 << 16 | 249);
        bench.write(ISR, 0);
        let begin = origin + ((bench.now - origin) / TICK + 4) * TICK;
        bench.now = begin + 64 * 60 * 128 * 250 * TICK;
        let shown = i64::from(bench.read(SSR));
        assert_eq!(shown, (249i64 - gained).rem_euclid(250), "CALIBR {calibr:#x}");
    }
}

#[test]
fn a_timestamp_keeps_the_time_and_a_second_one_overflows() {
    let (mut bench, begin) = leap();
    bench.write(CR, BYPSHAD | 1 << 11 | 1 << 15);
    bench.write(EXTI, 1 << 21);
    bench.write(EXTI + 8, 1 << 21);
    bench.now = begin + 128 * 250 * TICK + 100;
    bench.set_pin(0, 2, 13, Some(true));
    let flagged = begin + 128 * 252 * TICK;
    assert_eq!(bench.until_line(TAMPER_LINE, 1 << 40), Some(flagged + SYNCHRONISER));
    assert_eq!([0, 4, 8].map(|offset| bench.read(TSTR + offset)), [0, 0x8229, 249]);
    bench.set_pin(10, 2, 13, Some(false));
    bench.set_pin(20, 2, 13, Some(true));
    bench.pass(30);
    assert_eq!(bench.read(ISR) & 0x1800, 0x1800);
}

#[test]
fn tampering_by_an_edge_or_a_level_erases_the_backup_registers() {
    // Level high, four samples at RTCCLK / 256.
    for (tafcr, samples) in [(1, 0), (3 | 7 << 8 | 2 << 11, 4)] {
        let (mut bench, begin) = leap();
        bench.write(BKP0R, 0xCAFE);
        bench.write(BKP0R + 19 * 4, 0xBEEF);
        bench.write(TAFCR, tafcr | 4);
        bench.now = begin / TICK * TICK + 240 % TICK;
        bench.set_pin(TICK, 2, 13, Some(true));
        bench.pass(TICK);
        if samples > 0 {
            bench.pass(256 * (samples - 1) * TICK);
            assert_eq!(bench.read(ISR) & 1 << 13, 0);
            bench.pass(256 * TICK);
        }
        assert_eq!(bench.read(ISR) & 1 << 13, 1 << 13);
        assert_eq!([bench.read(BKP0R), bench.read(BKP0R + 76)], [0, 0]);
    }
}

#[test]
fn the_output_shows_parts_of_the_clock_or_the_alarm() {
    let (mut bench, begin) = leap();
    bench.write(CR, BYPSHAD | 1 << 23 | 1 << 19);
    bench.edges(2, 13);
    bench.pass(begin + 128 * 500 * TICK - bench.now);
    let half = 128 * 125 * TICK;
    let expected: Vec<_> = (1..=4).map(|edge| (begin + edge * half, edge % 2 == 0)).collect();
    assert_eq!(bench.edges(2, 13), expected);
}

#[test]
fn the_c031_has_its_flags_apart_and_no_key_but_its_own() {
    const TICK: u64 = 1_500;
    let mut bench = c031();
    let origin = bench.now;
    bench.write(RTC + 0x24, 0xCA);
    bench.write(RTC + 0x24, 0x53);
    bench.write(RTC + 0x0C, 1 << 7);
    bench.pass(2 * TICK);
    assert_eq!(bench.read(RTC + 0x0C) & 0xC7, 0xC1);
    bench.write(RTC + 0x10, 127 << 16 | 249);
    bench.write(TR, 0x0023_5958);
    bench.write(DR, 0x0099_9231);
    bench.write(RTC + 0x40, 0x0100_0000);
    bench.write(RTC + 0x18, 1 << 8 | 1 << 12 | BYPSHAD);
    bench.write(RTC + 0x0C, 0);
    let begin = origin + 6 * TICK;
    assert_eq!(bench.until_line(2, 1 << 40), Some(begin + 2 * 128 * 250 * TICK));
    assert_eq!([TR, DR, RTC + 0x50, RTC + 0x54].map(|register| bench.read(register)), [0, 0x0000_A101, 1, 1]);
    bench.write(RTC + 0x5C, 1);
    assert_eq!(bench.read(RTC + 0x50), 0);
    assert!(!bench.bus.shared.interrupts.is_high(2));
}

fn bcd(value: u32) -> u32 {
    (value / 10) << 4 | (value % 10)
}

/// TR and DR of `at`.
fn words(at: PrimitiveDateTime) -> (u32, u32) {
    let (hour, minute, second) = at.time().as_hms();
    let (year, month, day) = at.date().to_calendar_date();
    let [hour, minute, second, month, day] = [hour, minute, second, month as u8, day].map(u32::from).map(bcd);
    let weekday = u32::from(at.weekday().number_from_monday());
    let year = bcd(u32::try_from(year).expect("a year") % 100);
    (hour << 16 | minute << 8 | second, year << 16 | weekday << 13 | month << 8 | day)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A second is a period of the clock here, so that years pass in an hour.
    #[test]
    fn the_calendar_is_that_of_the_century(
        day in 0..36_525i64,
        second in 0..86_400i64,
        jumps in proptest::collection::vec((0u64..1 << 31, 0u64..2), 1..6),
    ) {
        let first = Date::from_calendar_date(2000, Month::January, 1).unwrap();
        let start = PrimitiveDateTime::new(first, Time::MIDNIGHT);
        let century = Duration::days(36_525);
        let mut at = start + Duration::days(day) + Duration::seconds(second);
        let mut bench = f446();
        let origin = bench.now;
        let (tr, dr) = words(at);
        set(&mut bench, 0, tr, dr);
        bench.write(CR, BYPSHAD);
        bench.now = origin + ((bench.now - origin) / TICK + 4) * TICK;
        for (jump, short) in jumps {
            let jump = if short == 0 { jump % 100_000 } else { jump };
            bench.pass(jump * TICK);
            at += Duration::seconds(jump as i64);
            let mut wraps = 0;
            while at - start >= century {
                at -= century;
                wraps += 1;
            }
            let (tr, dr) = words(at);
            prop_assert_eq!(bench.read(TR), tr);
            let shown = bench.read(DR);
            prop_assert_eq!(shown & !(7 << 13), dr & !(7 << 13));
            // A century of 36,525 days moves the weekdays on.
            if wraps > 0 {
                return Ok(());
            }
            prop_assert_eq!(shown, dr);
        }
    }
}
