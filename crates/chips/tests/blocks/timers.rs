//! Timers (RM0490, "Advanced-control timer (TIM1)", "General-purpose timer (TIM3)").

use crate::bench::{Bench, RCC_CFGR, RCC_CR};

const TIM3: u32 = 0x4000_0400;
const TIM1: u32 = 0x4001_2C00;
const CR1: u32 = 0x00;
const DIER: u32 = 0x0C;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCER: u32 = 0x20;
const CNT: u32 = 0x24;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2C;
const CCR1: u32 = 0x34;
const CCR2: u32 = 0x38;

/// Interrupt lines: TIM3 (all), TIM1 update.
const TIM3_LINE: usize = 16;
const TIM1_UP_LINE: usize = 13;
const TIM1_CC_LINE: usize = 14;

/// The first clock after CEN does not count (RM0490, "Prescaler description").
const START: u64 = 1;

fn start(bench: &mut Bench, timer: u32, psc: u32, arr: u32) {
    bench.write(timer + PSC, psc);
    bench.write(timer + ARR, arr);
    bench.write(timer + EGR, 1);
    bench.write(timer + SR, 0);
    bench.write(timer + CR1, bench.clone().read(timer + CR1) | 1);
}

#[test]
fn an_overflow_takes_prescaler_times_reload() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + DIER, 1);
    start(&mut bench, TIM3, 47, 999);
    let at = bench.until_line(TIM3_LINE, 100_000);
    assert_eq!(at, Some(START + 48 * 1000));
    bench.write(TIM3 + SR, !1);
    assert!(!bench.bus.shared.interrupts.is_high(TIM3_LINE), "SR is cleared by writing 0");
    assert_eq!(bench.until_line(TIM3_LINE, 100_000), Some(START + 2 * 48 * 1000));
}

#[test]
fn the_counter_is_right_at_every_cycle_of_a_prescaler_period() {
    let mut bench = Bench::fast();
    start(&mut bench, TIM3, 47, 0xFFFF);
    bench.pass(START + 48 * 5 - 1);
    assert_eq!(bench.read(TIM3 + CNT), 4);
    bench.pass(1);
    assert_eq!(bench.read(TIM3 + CNT), 5);
    bench.pass(48 * 65_536);
    assert_eq!(bench.read(TIM3 + CNT), 5);
    assert_eq!(bench.read(TIM3 + SR) & 1, 1, "UIF without an interrupt");
}

#[test]
fn a_change_of_hclk_keeps_what_was_counted() {
    let mut bench = Bench::fast();
    start(&mut bench, TIM3, 9, 0xFFFF);
    bench.pass(START + 1005);
    bench.write(RCC_CR, 0x0000_0500 | 2 << 11);
    assert_eq!(bench.read(TIM3 + CNT), 100);
    bench.pass(5);
    assert_eq!(bench.read(TIM3 + CNT), 101, "the prescaler had 5 of 10");
    bench.write(RCC_CFGR, 5 << 12);
    bench.pass(2 * 10);
    assert_eq!(bench.read(TIM3 + CNT), 102, "the timer's clock is half of HCLK now");
}

#[test]
fn compare_interrupts_come_at_their_value_as_embassys_time_driver_needs() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CCR1, 0x8000);
    bench.write(TIM3 + CCR2, 0x1234);
    start(&mut bench, TIM3, 0, 0xFFFF);
    bench.write(TIM3 + DIER, 1 | 2 | 4);
    assert_eq!(bench.until_line(TIM3_LINE, 100_000), Some(START + 0x1234));
    assert_eq!(bench.read(TIM3 + SR), 4);
    bench.write(TIM3 + SR, !4);
    assert_eq!(bench.until_line(TIM3_LINE, 100_000), Some(START + 0x8000));
    bench.write(TIM3 + SR, !2);
    assert_eq!(bench.until_line(TIM3_LINE, 100_000), Some(START + 0x1_0000));
    bench.write(TIM3 + SR, !1);
    assert_eq!(bench.until_line(TIM3_LINE, 100_000), Some(START + 0x1_1234));
}

#[test]
fn urs_keeps_ug_from_setting_uif() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CR1, 4);
    bench.write(TIM3 + EGR, 1);
    assert_eq!(bench.read(TIM3 + SR), 0);
    bench.write(TIM3 + CR1, 0);
    bench.write(TIM3 + EGR, 1);
    assert_eq!(bench.read(TIM3 + SR), 1);
}

#[test]
fn arr_is_buffered_only_with_arpe() {
    let mut bench = Bench::fast();
    start(&mut bench, TIM3, 0, 99);
    bench.write(TIM3 + ARR, 49);
    bench.pass(START + 60);
    assert_eq!(bench.read(TIM3 + CNT), 10);
    bench.write(TIM3 + CR1, 1 | 1 << 7);
    bench.write(TIM3 + ARR, 99);
    bench.pass(45);
    assert_eq!(bench.read(TIM3 + CNT), 5, "wrapped at 49 once more");
    bench.pass(60);
    assert_eq!(bench.read(TIM3 + CNT), 65);
}

#[test]
fn repetition_counts_overflows_before_the_update() {
    let mut bench = Bench::fast();
    bench.write(TIM1 + 0x30, 2);
    bench.write(TIM1 + DIER, 1);
    start(&mut bench, TIM1, 0, 99);
    assert_eq!(bench.until_line(TIM1_UP_LINE, 10_000), Some(START + 300));
    assert!(!bench.bus.shared.interrupts.is_high(TIM1_CC_LINE));
}

#[test]
fn centre_aligned_turns_round_at_both_ends() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CR1, 3 << 5);
    start(&mut bench, TIM3, 0, 10);
    bench.pass(START + 13);
    assert_eq!(bench.read(TIM3 + CNT), 7);
    assert_ne!(bench.read(TIM3 + CR1) & 0x10, 0, "DIR: down");
    bench.pass(7 + 4);
    assert_eq!(bench.read(TIM3 + CNT), 4);
    assert_eq!(bench.read(TIM3 + CR1) & 0x10, 0);
}

#[test]
fn one_pulse_stops_the_counter_and_clears_cen() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CR1, 8);
    start(&mut bench, TIM3, 0, 99);
    bench.pass(1000);
    assert_eq!((bench.read(TIM3 + CNT), bench.read(TIM3 + CR1) & 1), (0, 0));
}

#[test]
fn pwm_drives_its_pin_at_exact_cycles() {
    let mut bench = Bench::fast();
    // PA6 is TIM3_CH1 in alternate function 1 (DS13867).
    bench.write(0x5000_0020, 1 << 24);
    bench.write(0x5000_0000, 0xEBFF_EFFF);
    bench.write(TIM3 + CCMR1, 6 << 4);
    bench.write(TIM3 + CCR1, 30);
    bench.write(TIM3 + CCER, 1);
    start(&mut bench, TIM3, 0, 99);
    bench.pass(START + 250);
    assert_eq!(
        bench.edges(0, 6),
        [
            (0, true),
            (START + 30, false),
            (START + 100, true),
            (START + 130, false),
            (START + 200, true),
            (START + 230, false)
        ]
    );
}

#[test]
fn a_pin_captures_the_counter() {
    let mut bench = Bench::fast();
    bench.write(0x5000_0020, 1 << 24);
    bench.write(0x5000_0000, 0xEBFF_EFFF);
    bench.write(TIM3 + CCMR1, 1 | 2 << 8);
    bench.write(TIM3 + CCER, 1 | 3 << 4);
    start(&mut bench, TIM3, 0, 0xFFFF);
    bench.set_pin(START + 500, 0, 6, Some(true));
    bench.set_pin(START + 800, 0, 6, Some(false));
    bench.pass(1000);
    assert_eq!(bench.read(TIM3 + SR) & 6, 6);
    // Two flip-flops lie between the pin and the edge detector (timer.input).
    assert_eq!([bench.read(TIM3 + CCR1), bench.read(TIM3 + CCR2)], [502, 802], "CH1 rising, CH2 falling of TI1");
    assert_eq!(bench.read(TIM3 + SR) & 6, 0, "a captured value is read with its flag");
}

#[test]
fn every_timer_drives_its_update_line() {
    for (timer, line) in [(TIM1, 13), (TIM3, 16), (0x4000_2000, 19), (0x4001_4400, 21), (0x4001_4800, 22)] {
        let mut bench = Bench::fast();
        bench.write(timer + DIER, 1);
        start(&mut bench, timer, 2, 9);
        assert_eq!(bench.until_line(line, 1000), Some(START + 30), "{timer:#x}");
    }
}

#[test]
fn a_down_counter_starts_at_its_reload_value() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CR1, 0x10);
    start(&mut bench, TIM3, 0, 100);
    bench.pass(START);
    assert_eq!(bench.read(TIM3 + CNT), 100);
    bench.pass(30);
    assert_eq!(bench.read(TIM3 + CNT), 70);
    bench.pass(71);
    assert_eq!([bench.read(TIM3 + CNT), bench.read(TIM3 + SR) & 1], [100, 1]);
}

#[test]
fn toggling_needs_the_main_output_enable_on_tim1() {
    let mut bench = Bench::fast();
    // PA8 is TIM1_CH1 in alternate function 2 (DS13867).
    bench.write(0x5000_0024, 2);
    bench.write(0x5000_0000, 0xEBFE_FFFF);
    bench.write(TIM1 + CCMR1, 3 << 4);
    bench.write(TIM1 + CCR1, 40);
    bench.write(TIM1 + CCER, 1);
    start(&mut bench, TIM1, 0, 99);
    bench.pass(START + 99);
    assert_eq!(bench.edges(0, 8), []);
    bench.write(TIM1 + 0x44, 1 << 15);
    let began = bench.now;
    bench.pass(300);
    let edges = bench.edges(0, 8);
    assert_eq!(edges[0].0, began, "OC1REF toggled meanwhile and shows at once");
    assert_eq!(edges[1..].iter().map(|edge| edge.0).collect::<Vec<_>>(), [START + 140, START + 240, START + 340]);
}

#[test]
fn uifremap_copies_the_flag_into_the_counter() {
    let mut bench = Bench::fast();
    bench.write(TIM3 + CR1, 1 << 11);
    start(&mut bench, TIM3, 0, 99);
    bench.pass(START + 105);
    assert_eq!(bench.read(TIM3 + CNT), 1 << 31 | 5);
}
