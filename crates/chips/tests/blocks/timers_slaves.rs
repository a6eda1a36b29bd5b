//! Slave modes and triggers with exact cycles (RM0490, "Timers and external trigger synchronization", "Timer synchronization").

use crate::bench::Bench;
use crate::f446_clocks;

const TIM1: u32 = 0x4001_2C00;
const TIM3: u32 = 0x4000_0400;
const TIM14: u32 = 0x4000_2000;
const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SMCR: u32 = 0x08;
const DIER: u32 = 0x0C;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCER: u32 = 0x20;
const CNT: u32 = 0x24;
const ARR: u32 = 0x2C;
const CCR1: u32 = 0x34;
const CCR2: u32 = 0x38;
const TIM3_LINE: usize = 16;

/// At 48 MHz, with PA6 and PA7 as TIM3_CH1 and CH2 (alternate function 1).
fn bench() -> Bench {
    let mut bench = Bench::fast();
    bench.write(0x5000_0020, 1 << 24 | 1 << 28);
    bench.write(0x5000_0000, 0xEBFF_AFFF);
    bench
}

#[test]
fn a_pulse_comes_five_periods_after_its_trigger_and_three_with_fast_enable() {
    // RM0490, TIMx_CCMR1.OC1FE.
    for (fast, delay) in [(0, 5), (4, 3)] {
        let mut bench = bench();
        // One pulse of PWM 2 on CH1, from 1 to 20, after a rise of TI2FP2.
        bench.write(TIM3 + CCMR1, 7 << 4 | fast | 1 << 8);
        bench.write(TIM3 + CCER, 1);
        bench.write(TIM3 + CCR1, 1);
        bench.write(TIM3 + ARR, 20);
        bench.write(TIM3 + EGR, 1);
        bench.write(TIM3 + SMCR, 6 << 4 | 6);
        bench.write(TIM3 + CR1, 8);
        bench.edges(0, 6);
        let at = bench.now + 10;
        bench.set_pin(10, 0, 7, Some(true));
        bench.pass(200);
        assert_eq!(bench.edges(0, 6), [(at + delay, true), (at + 4 + 21, false)]);
        assert_eq!([bench.read(TIM3 + CR1) & 1, bench.read(TIM3 + SR) >> 6 & 1], [0, 1], "over; TIF");
    }
}

#[test]
fn an_encoder_counts_its_edges_up_and_down() {
    for (mode, steps) in [(1, 2), (2, 2), (3, 4)] {
        let mut bench = bench();
        bench.write(TIM3 + CCMR1, 1 | 1 << 8);
        bench.write(TIM3 + ARR, 99);
        bench.write(TIM3 + SMCR, mode);
        bench.write(TIM3 + CR1, 1);
        // TI1 leads TI2: three turns up, then four down.
        let turn = |bench: &mut Bench, order: [u8; 2]| {
            for high in [true, false] {
                for pin in order {
                    bench.set_pin(0, 0, pin, Some(high));
                    bench.pass(10);
                }
            }
        };
        (0..3).for_each(|_| turn(&mut bench, [6, 7]));
        assert_eq!(bench.read(TIM3 + CNT), 3 * steps, "mode {mode}");
        assert_eq!(bench.read(TIM3 + CR1) & 0x10, 0);
        (0..4).for_each(|_| turn(&mut bench, [7, 6]));
        assert_eq!(bench.read(TIM3 + CNT), 100 - steps, "mode {mode}: through zero");
        assert_eq!(bench.read(TIM3 + CR1) & 0x10, 0x10, "DIR");
    }
}

#[test]
fn pwm_input_measures_period_and_pulse() {
    let mut bench = bench();
    // TI1FP1 resets, IC1 captures the period, IC2 the pulse.
    bench.write(TIM3 + CCMR1, 1 | 2 << 8);
    bench.write(TIM3 + CCER, 1 | 3 << 4);
    bench.write(TIM3 + SMCR, 5 << 4 | 4);
    bench.write(TIM3 + CR1, 1);
    for period in 0..4 {
        bench.set_pin(10 + 500 * period, 0, 6, Some(true));
        bench.set_pin(10 + 500 * period + 120, 0, 6, Some(false));
    }
    bench.pass(1900);
    // The reset comes a period after the capture (timer.trigger).
    assert_eq!([bench.read(TIM3 + CCR1), bench.read(TIM3 + CCR2)], [500 - 1, 120 - 1]);
}

#[test]
fn a_filter_keeps_short_pulses_away_and_delays_long_ones() {
    let mut bench = bench();
    // Eight samples at the timer's clock.
    bench.write(TIM3 + CCMR1, 1 | 3 << 4);
    bench.write(TIM3 + CCER, 1);
    bench.write(TIM3 + CR1, 1);
    let from = bench.now + 1;
    bench.set_pin(100, 0, 6, Some(true));
    bench.set_pin(107, 0, 6, Some(false));
    bench.set_pin(200, 0, 6, Some(true));
    bench.pass(400);
    assert_eq!(bench.read(TIM3 + SR) >> 1 & 0x101, 1, "one capture");
    assert_eq!(u64::from(bench.read(TIM3 + CCR1)), bench.now - 400 + 200 + 2 + 7 - from);
}

#[test]
fn a_master_clocks_a_slave_with_its_updates() {
    let mut bench = bench();
    // TIM1 (update) is ITR0 of TIM3, which counts its pulses.
    bench.write(TIM1 + CR2, 2 << 4);
    bench.write(TIM1 + ARR, 9);
    bench.write(TIM3 + SMCR, 7);
    bench.write(TIM3 + ARR, 4);
    bench.write(TIM3 + EGR, 1);
    bench.write(TIM3 + SR, 0);
    bench.write(TIM3 + DIER, 1);
    bench.write(TIM3 + CR1, 1);
    bench.write(TIM1 + CR1, 1);
    let from = bench.now + 1;
    assert_eq!(bench.until_line(TIM3_LINE, 1000), Some(from + 50 + 1), "and a period of the slave's controller");
    bench.pass(30);
    assert_eq!(bench.read(TIM3 + CNT), 3);
    // Nobody listens any more: the master has no event ahead.
    bench.write(TIM3 + SMCR, 0);
    bench.write(TIM3 + CR1, 0);
    assert!(bench.bus.shared.events.next_at().get() > bench.now + 1_000_000);
}

#[test]
fn a_master_that_is_enabled_starts_and_gates_its_slave() {
    let mut bench = bench();
    bench.write(TIM1 + CR2, 1 << 4);
    bench.write(TIM3 + SMCR, 6);
    bench.write(TIM1 + CR1, 1);
    bench.pass(50);
    let counts = [bench.read(TIM1 + CNT), bench.read(TIM3 + CNT)];
    assert_eq!(counts, [49, 48], "the slave starts a period later");
    // Gated by OC1REF of TIM14 (ITR3 has no TRGO).
    let mut bench = self::bench();
    bench.write(TIM14 + ARR, 99);
    bench.write(TIM14 + CCR1, 40);
    bench.write(TIM14 + CCMR1, 6 << 4);
    bench.write(TIM3 + SMCR, 3 << 4 | 5);
    bench.write(TIM3 + CR1, 1);
    bench.write(TIM14 + CR1, 1);
    bench.pass(1 + 1000 - 5);
    assert_eq!(bench.read(TIM3 + CNT), 10 * 40 + 1, "open for 40 of 100, and at first before the gate's delay");
}

#[test]
fn overcapture_and_the_prescaler_of_captures() {
    let mut bench = bench();
    bench.write(TIM3 + CCMR1, 1 | 1 << 2);
    bench.write(TIM3 + CCER, 1);
    bench.write(TIM3 + CR1, 1);
    for edge in 0..5 {
        bench.set_pin(20 * edge + 10, 0, 6, Some(true));
        bench.set_pin(20 * edge + 15, 0, 6, Some(false));
    }
    bench.pass(30);
    assert_eq!(bench.read(TIM3 + SR) & 0x202, 0, "every second event");
    bench.pass(20);
    assert_eq!(bench.read(TIM3 + SR) & 0x202, 2);
    bench.pass(60);
    assert_eq!(bench.read(TIM3 + SR) & 0x202, 0x202, "CC1OF");
    bench.read(TIM3 + CCR1);
    assert_eq!(bench.read(TIM3 + SR) & 0x202, 0x200, "the flag goes with the value");
}

#[test]
fn timers_of_stm32f446_reach_each_other_over_their_own_table() {
    let mut bench = f446_clocks::enabled();
    const TIM9: u32 = 0x4001_4000;
    const TIM11: u32 = 0x4001_4800;
    // ITR3 of TIM9 is OC1 of TIM11, which has no TRGO: toggled every 10 periods, a rise every 20.
    bench.write(TIM11 + ARR, 9);
    bench.write(TIM11 + CCMR1, 3 << 4);
    bench.write(TIM9 + SMCR, 3 << 4 | 7);
    bench.write(TIM9 + CR1, 1);
    bench.write(TIM11 + CR1, 1);
    bench.pass(1 + 20 * 25 + 3);
    assert_eq!(bench.read(TIM9 + CNT), 25);
}

#[test]
fn a_hall_sensor_is_the_exclusive_or_of_three_pins_on_trc() {
    let mut bench = bench();
    // PA6, PA7 and PB0 (CH3, alternate function 1); TI1F_ED is TRC, which IC1 captures at and which resets.
    bench.write(0x5000_0420, 1);
    bench.write(0x5000_0400, 0xFFFF_FFFE);
    bench.write(TIM3 + CR2, 1 << 7);
    bench.write(TIM3 + CCMR1, 3);
    bench.write(TIM3 + CCER, 1);
    bench.write(TIM3 + SMCR, 4 << 4 | 4);
    bench.write(TIM3 + CR1, 1);
    for (step, (port, pin)) in [(0, 6), (0, 7), (1, 0), (0, 6)].into_iter().enumerate() {
        bench.set_pin(0, port, pin, Some(step < 3));
        bench.pass(100);
        if step > 0 {
            assert_eq!(bench.read(TIM3 + CCR1), 99, "from edge to edge, without the period of the reset");
        }
    }
}
