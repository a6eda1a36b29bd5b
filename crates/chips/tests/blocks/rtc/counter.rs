//! The counter of STM32F103 and its backup registers (RM0008, "Real-time clock", "Backup registers").

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, Signal};

use super::{PWR_CR, RTC, f103};
use crate::bench::Bench;

const CRH: u32 = RTC;
const CRL: u32 = RTC + 0x04;
const PRLL: u32 = RTC + 0x0C;
const DIVL: u32 = RTC + 0x14;
const CNTH: u32 = RTC + 0x18;
const CNTL: u32 = RTC + 0x1C;
const ALRH: u32 = RTC + 0x20;
const ALRL: u32 = RTC + 0x24;
const BKP: u32 = 0x4000_6C00;
const EXTI: u32 = 0x4001_0400;
const RTC_LINE: usize = 3;
const ALARM_LINE: usize = 41;
const TAMPER_LINE: usize = 2;

const CNF: u32 = 1 << 4;
const RTOFF: u32 = 1 << 5;
const TICK: u64 = 200;

/// Writes registers in configuration mode.
fn configure(bench: &mut Bench, registers: &[(u32, u32)]) {
    bench.write(CRL, CNF | 0xF);
    for (register, value) in registers {
        bench.write(*register, *value);
    }
    bench.write(CRL, 0xF);
}

/// The cycle of the period `tick` after now, which is one's beginning.
fn to(bench: &mut Bench, begin: u64, tick: u64) {
    bench.pass(begin + tick * TICK - bench.now);
}

#[test]
fn what_configuration_mode_writes_arrives_after_three_periods() {
    let mut bench = f103();
    let begin = bench.now;
    to(&mut bench, begin, 10);
    bench.pass(50);
    configure(&mut bench, &[(PRLL, 3), (CNTL, 10), (CNTH, 2)]);
    assert_eq!(bench.read(CRL) & RTOFF, 0);
    bench.write(CRL, CNF | 0xF);
    bench.write(CNTL, 99);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("RTOFF")));
    bench.pass(begin + 13 * TICK - 1 - bench.now);
    assert_eq!((bench.read(CRL) & RTOFF, bench.read(CNTL)), (0, 0));
    bench.pass(1);
    assert_eq!((bench.read(CRL) & RTOFF, bench.read(CNTL), bench.read(CNTH)), (RTOFF, 10, 2));
    assert_eq!(bench.read(DIVL), 3);
    // Three periods of four on the divider counts down, and the flag rises; with the fourth the counter counts.
    bench.pass(begin + 16 * TICK - 1 - bench.now);
    assert_eq!((bench.read(CRL) & 1, bench.read(DIVL)), (0, 1));
    bench.pass(1);
    assert_eq!((bench.read(CRL) & 1, bench.read(DIVL), bench.read(CNTL)), (1, 0, 10));
    to(&mut bench, begin, 17);
    assert_eq!((bench.read(DIVL), bench.read(CNTL)), (3, 11));
}

#[test]
fn seconds_alarms_and_overflows_interrupt_one_period_before_the_counter_changes() {
    let mut bench = f103();
    let begin = bench.now;
    bench.write(EXTI, 1 << 17);
    bench.write(EXTI + 8, 1 << 17);
    configure(&mut bench, &[(PRLL, 99), (CNTL, 10), (ALRH, 0), (ALRL, 12)]);
    to(&mut bench, begin, 3);
    bench.write(CRH, 1);
    assert_eq!(bench.until_line(RTC_LINE, 1 << 30), Some(begin + (3 + 99) * TICK));
    bench.write(CRL, RTOFF);
    assert!(!bench.bus.shared.interrupts.is_high(RTC_LINE));
    bench.write(CRH, 0);
    // The counter leaves 12 after three hundreds; two flip-flops of the external interrupts follow.
    assert_eq!(bench.until_line(ALARM_LINE, 1 << 30), Some(begin + (3 + 299) * TICK + 2));
    assert_eq!(bench.read(CRL) & 7, 3);
    bench.write(EXTI + 0x14, 1 << 17);
    bench.write(CRL, 0);
    configure(&mut bench, &[(CNTH, 0xFFFF), (CNTL, 0xFFFE)]);
    let written = (bench.now - begin) / TICK + 3;
    to(&mut bench, begin, written);
    bench.write(CRH, 4);
    assert_eq!(bench.until_line(RTC_LINE, 1 << 30), Some(begin + (written + 199) * TICK));
    bench.pass(TICK);
    assert_eq!((bench.read(CNTH), bench.read(CNTL)), (0, 0));
}

#[test]
fn the_flag_of_synchronisation_comes_with_the_next_period() {
    let mut bench = f103();
    let begin = bench.now;
    to(&mut bench, begin, 4);
    bench.pass(10);
    assert_eq!(bench.read(CRL) & 8, 8);
    bench.write(CRL, 0xF & !8);
    assert_eq!(bench.read(CRL) & 8, 0);
    bench.pass(TICK - 11);
    assert_eq!(bench.read(CRL) & 8, 0);
    bench.pass(1);
    assert_eq!(bench.read(CRL) & 8, 8);
}

#[test]
fn the_clock_outlives_a_reset_and_a_reset_of_the_domain_ends_it() {
    let mut bench = f103();
    // LSI goes with a reset: LSE.
    bench.write(0x4002_1020, 1 << 16);
    bench.write(0x4002_1020, 1);
    bench.pass(24_000_000);
    bench.write(0x4002_1020, 1 | 1 << 8 | 1 << 15);
    configure(&mut bench, &[(PRLL, 0x7FFF), (CNTL, 1000)]);
    bench.pass(8_000_000 * 5);
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.reset("pin", &mut context);
    bench.write(0x4002_101C, u32::MAX);
    assert_eq!(bench.read(CNTL), 0, "the interface is not synchronised yet");
    bench.pass(8_000_000);
    assert_eq!(bench.read(CNTL), 1005);
    bench.write(CRH, 7);
    assert_eq!(bench.read(CRH), 0, "DBP is clear after a reset");
    bench.write(PWR_CR, 1 << 8);
    bench.write(0x4002_1020, 1 << 16);
    assert_eq!(bench.read(CNTL), 0);
}

#[test]
fn a_calibration_leaves_pulses_out() {
    let mut bench = f103();
    bench.write(BKP + 0x2C, 100);
    configure(&mut bench, &[(PRLL, 0), (CNTL, 0)]);
    let from = (bench.now, (bench.read(CNTH) << 16 | bench.read(CNTL)));
    bench.pass(TICK * (4 << 20));
    let to = bench.read(CNTH) << 16 | bench.read(CNTL);
    assert_eq!(to - from.1, (4 << 20) - 400 - 3, "three until what was written arrives");
}

#[test]
fn the_output_shows_the_clock_and_seconds_on_pc13() {
    let mut bench = f103();
    let begin = bench.now;
    bench.write(BKP + 0x2C, 1 << 7);
    bench.edges(2, 13);
    bench.pass(TICK * 130);
    let expected: Vec<_> = (1..=4).map(|edge| (begin + edge * 32 * TICK, edge % 2 == 1)).collect();
    assert_eq!(bench.edges(2, 13), expected);
    configure(&mut bench, &[(PRLL, 9)]);
    bench.write(BKP + 0x2C, 3 << 8);
    bench.edges(2, 13);
    bench.pass(TICK * 13);
    let at = begin + (133 + 9) * TICK;
    assert_eq!(bench.edges(2, 13), [(at, true), (at + TICK, false)]);
}

#[test]
fn the_tamper_pin_erases_the_backup_registers() {
    let mut bench = f103();
    bench.write(BKP + 4, 0x1234);
    bench.write(BKP + 0x28, 0x5678);
    bench.write(BKP + 0x34, 4);
    bench.write(BKP + 0x30, 1);
    assert_eq!(bench.read(BKP + 4), 0x1234);
    bench.set_pin(100, 2, 13, Some(true));
    assert_eq!(bench.until_line(TAMPER_LINE, 1000), Some(bench.now));
    bench.pass(100);
    assert_eq!([4, 0x28].map(|offset| bench.read(BKP + offset)), [0, 0]);
    assert_eq!(bench.read(BKP + 0x34), 4 | 3 << 8);
    bench.write(BKP + 0x34, 3);
    assert_eq!(bench.read(BKP + 0x34), 0);
    assert!(!bench.bus.shared.interrupts.is_high(TAMPER_LINE));
}

#[test]
fn without_a_crystal_the_reason_is_told() {
    let part = cyclescope_chips::Part::find("stm32f103c8").unwrap();
    let mut part = part.clone();
    part.board.lse = None;
    let mut bench = Bench::on(&part, cyclescope_chips::MemorySetting::Equal);
    bench.write(0x4002_101C, u32::MAX);
    bench.write(PWR_CR, 1 << 8);
    bench.write(0x4002_1020, 1);
    bench.pass(1 << 40);
    assert_eq!(bench.read(0x4002_1020), 1);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("no crystal")));
}

#[test]
fn a_clock_that_nobody_looks_at_costs_no_event() {
    let mut bench = f103();
    configure(&mut bench, &[(PRLL, 9), (CNTL, 0)]);
    bench.pass(10 * TICK);
    let until = bench.bus.shared.events.next_at().get();
    assert!(until > bench.now + (u64::from(u32::MAX) - 10) * 10 * TICK, "only the alarm, after 2^32 counts: {until}");
    let signals = bench.bus.shared.signals.drain().filter(|(_, signal)| !matches!(signal, Signal::Pin { .. })).count();
    assert_eq!(signals, 0);
}
