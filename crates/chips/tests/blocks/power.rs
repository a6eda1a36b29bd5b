//! Stop and Standby mode (RM0008, "Power control (PWR)", RM0390, "Power controller (PWR)", RM0490, "Power control (PWR)").

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::f103_clocks::fast;
use crate::rtc::{PWR_CR, RTC, c031, f103, f446};

const CR: u32 = 0x4002_1000;
const CFGR: u32 = 0x4002_1004;
const PWR_CSR: u32 = PWR_CR + 4;
const PDDS: u32 = 1 << 1;
const EXTI: u32 = 0x4001_0400;
const EXTI0_LINE: usize = 6;
const TIM2: u32 = 0x4000_0000;
const USART1: u32 = 0x4001_3800;
const IWDG: u32 = 0x4000_3000;
const RAM: u32 = 0x2000_0000;

/// An F103 at 72 MHz that hears rising edges of PA0.
fn listening() -> Bench {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(EXTI, 1);
    bench.write(EXTI + 8, 1);
    bench
}

#[test]
fn clocks_stand_in_stop_mode_and_go_on_from_hsi() {
    let mut bench = listening();
    bench.write(TIM2 + 0x28, 0);
    bench.write(TIM2, 1);
    bench.pass(720);
    assert!(bench.rest());
    assert_eq!(bench.read(CR) & 0x0303_0003, 3, "HSE and the PLL are off, HSI runs");
    assert_eq!(bench.read(CFGR) & 15, 0);
    let counted = bench.read(TIM2 + 0x24);
    bench.pass(80_000_000);
    assert_eq!(bench.read(TIM2 + 0x24), counted);
    bench.set_pin(0, 0, 0, Some(true));
    let edge = bench.now;
    // No clock, no flip-flops.
    assert_eq!(bench.until_line(EXTI0_LINE, 1), Some(edge));
    assert_eq!(bench.wake(), 29, "3.6 us at 8 MHz");
    assert_eq!(bench.read(TIM2 + 0x24), counted);
    bench.pass(10);
    assert_eq!(bench.read(TIM2 + 0x24), counted + 10, "HCLK is HSI, and so is the timers' clock");
}

#[test]
fn the_regulator_decides_how_long_waking_takes() {
    for (cr, cycles) in [(0, 29), (1, 43)] {
        let mut bench = listening();
        bench.write(PWR_CR, cr);
        assert!(bench.rest());
        bench.pass(1_000);
        assert_eq!(bench.wake(), cycles);
    }
    for (cr, cycles) in [(0, 207), (1 << 9, 1_679), (1, 333), (1 | 1 << 9, 1_807), (1 | 1 << 10 | 3 << 18, 1_824)] {
        let mut bench = f446();
        bench.write(PWR_CR, 0xC000 | cr);
        assert!(bench.rest());
        bench.pass(1_000);
        assert_eq!(bench.wake(), cycles, "PWR_CR {cr:#x}");
    }
    for (cr, cycles) in [(0x200, 240), (0x208, 432)] {
        let mut bench = c031();
        bench.write(PWR_CR, cr);
        assert!(bench.rest());
        bench.pass(1_000);
        assert_eq!(bench.wake(), cycles, "PWR_CR1 {cr:#x}");
    }
}

#[test]
fn a_character_that_was_being_sent_goes_on_after_stop_mode() {
    let mut bench = f103();
    bench.write(0x4001_0804, 0x0000_04B0);
    bench.write(USART1 + 8, 80);
    bench.write(USART1 + 12, 1 << 13 | 1 << 3);
    bench.pass(2_000);
    bench.write(USART1 + 4, 0x55);
    let begin = bench.now;
    bench.pass(300);
    assert!(bench.rest());
    bench.pass(1_000_000);
    assert_eq!(bench.uart(1), b"");
    bench.stimulate(0, Stimulus::Uart { number: 1, bytes: vec![1] });
    bench.pass(1);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("are lost")));
    let late = bench.wake();
    let stood = bench.now - begin - 300;
    assert_eq!(late, 29);
    let edges: Vec<u64> = bench.edges(0, 9).into_iter().map(|(at, _)| at).filter(|at| *at > begin).collect();
    bench.pass(600);
    let later: Vec<u64> = bench.edges(0, 9).into_iter().map(|(at, _)| at - stood).collect();
    let first = edges[0];
    for (number, at) in edges.into_iter().chain(later).enumerate() {
        assert_eq!(at, first + 80 * number as u64, "edges are 80 cycles apart, as if nothing had been");
    }
    assert_eq!(bench.uart(1), b"U");
}

#[test]
fn the_watchdog_runs_in_stop_mode_and_resets() {
    let mut bench = f103();
    bench.write(IWDG, 0x5555);
    bench.write(IWDG + 8, 99);
    bench.write(IWDG, 0xCCCC);
    let begin = bench.now;
    bench.pass(1_000);
    assert!(bench.rest());
    bench.pass(begin + 100 * 4 * 200 - 1 - bench.now);
    assert_eq!(bench.bus.shared.reset, None);
    bench.pass(1);
    assert_eq!(bench.reset(), Some("IWDG"));
    assert!(!bench.bus.peripherals.clocks().stands());
    bench.write(0x4002_101C, u32::MAX);
    assert_eq!(bench.read(0x4002_1024) >> 24, 0x2C, "the watchdog's flag beside the pin's and power-on's");
}

#[test]
fn the_alarm_of_the_clock_wakes_from_stop_mode() {
    let mut bench = f103();
    let begin = bench.now;
    bench.write(EXTI, 1 << 17);
    bench.write(EXTI + 8, 1 << 17);
    bench.write(RTC + 4, 0x1F);
    for (offset, value) in [(0x0C, 99), (0x1C, 0), (0x20, 0), (0x24, 4)] {
        bench.write(RTC + offset, value);
    }
    bench.write(RTC + 4, 0xF);
    bench.pass(1_000);
    assert!(bench.rest());
    let alarm = begin + (3 + 499) * 200;
    assert_eq!(bench.until_line(41, 1 << 40), Some(alarm), "at once");
    assert_eq!(bench.wake(), 29);
    // The interface shows what it had until the next edge of the RTC's clock.
    assert_eq!(bench.read(RTC + 0x1C), 0);
    bench.pass(200);
    assert_eq!(bench.read(RTC + 0x1C), 5);
}

#[test]
fn a_pending_line_holds_off_stop_mode() {
    let mut bench = listening();
    bench.write(EXTI + 0x10, 1);
    assert!(!bench.rest());
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("EXTI is pending")));
    assert!(!bench.bus.peripherals.clocks().stands());
}

#[test]
fn standby_mode_loses_ram_and_ends_as_a_reset_by_the_pin() {
    let mut bench = f103();
    bench.write(0x4000_6C04, 0x1234);
    bench.write(RAM, 0xCAFE_F00D);
    bench.write(0x4001_0800, 0x4444_4434);
    bench.write(0x4001_0810, 2);
    bench.write(PWR_CSR, 1 << 8);
    bench.write(PWR_CR, PDDS | 1 << 2 | 1 << 8);
    bench.edges(0, 1);
    assert!(bench.rest());
    assert_eq!(bench.edges(0, 1), [(bench.now, false)], "pins are let go");
    bench.pass(5_000_000);
    assert_eq!(bench.bus.shared.reset, None);
    bench.set_pin(0, 0, 0, Some(true));
    bench.pass(399);
    assert_eq!(bench.bus.shared.reset, None);
    bench.pass(1);
    assert_eq!(bench.reset(), Some("wake-up from Standby mode"), "50 us at 8 MHz");
    bench.write(0x4002_101C, u32::MAX);
    assert_eq!(bench.read(PWR_CSR), 3 | 1 << 8, "WUF, SBF, EWUP");
    assert_eq!(bench.read(0x4002_1024) >> 24, 0x0C);
    assert_eq!(bench.read(0x4000_6C04), 0x1234, "backup registers stay");
    assert_ne!(bench.read(RAM), 0xCAFE_F00D);
    assert_ne!(bench.read(RAM + 64), 0);
    bench.write(PWR_CR, 3 << 2);
    assert_eq!(bench.read(PWR_CSR), 1 << 8);
}

#[test]
fn an_alarm_ends_standby_mode_and_nothing_reaches_the_core_before() {
    let mut bench = c031();
    bench.write(RTC + 0x24, 0xCA);
    bench.write(RTC + 0x24, 0x53);
    bench.write(RTC + 0x40, 0x8080_8005);
    bench.write(RTC + 0x18, 1 << 8 | 1 << 12);
    bench.write(PWR_CR, 0x203);
    assert!(bench.rest());
    assert_eq!(bench.until_line(2, 1 << 32), None, "interrupts have no power");
    assert_eq!(bench.reset(), Some("wake-up from Standby mode"));
    bench.write(0x4002_103C, u32::MAX);
    assert_eq!(bench.read(PWR_CR + 0x10), 1 << 15 | 1 << 8, "WUFI and SBF");
}

#[test]
fn shutdown_mode_has_no_watchdog_and_forgets_its_flag() {
    for (lpms, ends) in [(3, true), (4, false)] {
        let mut bench = c031();
        bench.write(IWDG, 0x5555);
        bench.write(IWDG + 8, 99);
        bench.write(IWDG, 0xCCCC);
        bench.write(PWR_CR + 8, 0x8001);
        bench.write(PWR_CR, 0x200 | lpms);
        assert!(bench.rest());
        bench.pass(100 * 4 * 1_500);
        assert_eq!(bench.bus.shared.reset.is_some(), ends);
        if !ends {
            bench.set_pin(0, 0, 0, Some(true));
            bench.pass(16_800);
            assert!(bench.reset().is_some());
            bench.write(0x4002_103C, u32::MAX);
            assert_eq!(bench.read(PWR_CR + 0x10), 0);
        }
    }
}

#[test]
fn a_copy_made_in_stop_mode_goes_on_as_the_original() {
    let mut bench = listening();
    bench.write(TIM2, 1);
    bench.pass(100);
    bench.rest();
    bench.pass(12_345);
    let mut copy = bench.clone();
    let [first, second] = [&mut bench, &mut copy].map(|each| {
        each.set_pin(77, 0, 0, Some(true));
        let line = each.until_line(EXTI0_LINE, 1_000);
        let late = each.wake();
        each.pass(1_000);
        (line, late, each.read(TIM2 + 0x24))
    });
    assert_eq!(first, second);
}

#[test]
fn the_power_control_of_c031_holds_pins_up_in_standby_mode() {
    let mut bench = c031();
    bench.write(PWR_CR + 0x28, 1 << 3 | 1 << 4);
    bench.write(PWR_CR + 0x2C, 1 << 4);
    bench.edges(1, 3);
    bench.write(PWR_CR + 8, 0x8001 | 1 << 10);
    assert_eq!(bench.edges(1, 3), [(bench.now, true)]);
    bench.write(PWR_CR, 0x203);
    assert!(bench.rest());
    bench.set_pin(100, 0, 0, Some(true));
    bench.pass(100 + 1_440);
    assert!(bench.reset().is_some());
    let held = bench.edges(1, 3);
    assert_eq!(held, [], "all the time, and after it");
    bench.write(0x4002_103C, u32::MAX);
    bench.write(PWR_CR + 8, 0x8000);
    assert_eq!(bench.edges(1, 3), [(bench.now, false)]);
    assert_eq!(bench.edges(1, 4), []);
}

#[test]
fn a_line_in_event_mode_wakes_without_an_interrupt() {
    let mut bench = listening();
    bench.write(EXTI, 0);
    bench.write(EXTI + 4, 1);
    assert!(bench.rest());
    bench.set_pin(50, 0, 0, Some(true));
    bench.pass(50);
    assert!(bench.bus.shared.interrupts.take_event());
    assert!(!bench.bus.shared.interrupts.is_high(EXTI0_LINE));
    assert!(!bench.bus.shared.interrupts.take_event(), "once");
}

/// Random settings of power, clocks, lines and the real-time clock, deep sleep at any moment, and whatever ends it.
#[test]
fn no_setting_makes_deep_sleep_panic_or_hang() {
    for seed in 1..=6u64 {
        for (number, make) in [f103 as fn() -> Bench, f446, c031].into_iter().enumerate() {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut random = |count: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % count
            };
            let mut bench = make();
            let rcc = if number == 1 { 0x4002_3800 } else { 0x4002_1000 };
            let exti = [EXTI, 0x4001_3C00, 0x4002_1800][number];
            let mut rests = 0;
            for _ in 0..1_500 {
                let base = [rcc, PWR_CR, exti, RTC, IWDG, TIM2][random(6) as usize];
                let value = [random(1 << 32), 1 << random(32), random(256)][random(3) as usize] as u32;
                let address = base + 4 * random(0x28) as u32;
                if address != 0x4000_0000 {
                    let _ = bench.try_write(address, cyclescope_machine::Width::Word, value);
                }
                bench.pass(random(3_000));
                if random(4) == 0 && bench.rest() {
                    rests += 1;
                    bench.set_pin(random(5_000), 0, 0, Some(random(2) == 0));
                    bench.pass(random(100_000));
                    bench.wake();
                    if bench.bus.peripherals.clocks().stands() && bench.bus.shared.reset.is_none() {
                        bench.bus.shared.reset = Some("pin");
                    }
                }
                if bench.reset().is_some() {
                    let enables: &[u32] =
                        if number == 1 { &[0x30, 0x40, 0x44] } else { &[0x14, 0x18, 0x1C, 0x38, 0x3C] };
                    enables.iter().for_each(|offset| bench.write(rcc + offset, u32::MAX));
                }
                assert!(!bench.bus.peripherals.clocks().stands());
            }
            assert!(rests > 10, "{number} {rests}");
        }
    }
}

#[test]
fn the_supply_is_above_each_threshold_of_the_detector() {
    let mut bench = f103();
    for level in 0..8 {
        bench.write(PWR_CR, 1 << 4 | level << 5 | 1 << 8);
        assert_eq!(bench.read(PWR_CSR), 0);
    }
}
