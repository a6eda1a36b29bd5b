//! RP2040: pulse width modulation (RP-008371-DS, "PWM").

use cyclescope_machine::Pin;
use cyclescope_peripherals::{Block, Effect};

use crate::alone::Alone;
use crate::bench::Bench;
use crate::rp_uart::{CLEAR, SET, part, switch};

const PWM: u32 = 0x4005_0000;
const CSR: u32 = 0x00;
const DIV: u32 = 0x04;
const CTR: u32 = 0x08;
const CC: u32 = 0x0C;
const TOP: u32 = 0x10;
const EN: u32 = PWM + 0xA0;
const INTR: u32 = PWM + 0xA4;
const INTE: u32 = PWM + 0xA8;
const INTF: u32 = PWM + 0xAC;
const INTS: u32 = PWM + 0xB0;
const LINE: usize = 4;

/// The first register of a slice.
const fn slice(number: u32) -> u32 {
    PWM + 0x14 * number
}

/// A slice of ten ticks at its pins, high for `a` and `b` of them.
fn on(number: u32, a: u32, b: u32, csr: u32) -> Bench {
    let mut bench = part();
    (0..2).for_each(|pin| switch(&mut bench, 2 * number + pin, 4));
    bench.write(slice(number) + TOP, 9);
    bench.write(slice(number) + CC, a | b << 16);
    bench.write(slice(number) + CSR, csr);
    bench
}

/// The edges of a pin in the next `cycles`, from now on.
fn edges(bench: &mut Bench, pin: u8, cycles: u64) -> Vec<(u64, bool)> {
    let from = bench.now;
    bench.pass(cycles);
    bench.edges(Pin::GPIO, pin).into_iter().filter(|(at, _)| *at >= from).map(|(at, high)| (at - from, high)).collect()
}

#[test]
fn an_output_is_high_for_as_many_ticks_as_its_compare_value() {
    let mut bench = on(0, 3, 9, 1);
    assert_eq!(edges(&mut bench, 0, 25), [(0, true), (3, false), (10, true), (13, false), (20, true), (23, false)]);
    let mut bench = on(0, 3, 9, 1 | 1 << 3);
    // Inverted; while the counter stands its output follows from its value.
    let seen = edges(&mut bench, 1, 25);
    assert_eq!(seen, [(0, true), (0, false), (9, true), (10, false), (19, true), (20, false)]);
    // No edge with nothing or with all.
    let mut bench = on(0, 0, 10, 1);
    bench.pass(100);
    assert_eq!(bench.edges(Pin::GPIO, 1), [(0, true)]);
    // GPIO0_STATUS.INFROMPAD.
    assert_eq!(bench.read(0x4001_4000) >> 17 & 1, 0);
    assert_eq!(bench.read(PWM + CTR), 0);
    bench.pass(7);
    assert_eq!(bench.read(PWM + CTR), 7);
}

#[test]
fn phase_correct_pulses_lie_around_the_counter_s_zero() {
    let mut bench = on(1, 3, 0, 1 | 2);
    assert_eq!(edges(&mut bench, 2, 45), [(0, true), (3, false), (17, true), (23, false), (37, true), (43, false)]);
    // 20 ticks: up to 9, and down.
    let counts: Vec<u32> = (0..20)
        .map(|_| {
            let count = bench.read(slice(1) + CTR);
            bench.pass(1);
            count
        })
        .collect();
    assert_eq!(counts, [5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4]);
}

#[test]
fn a_divider_s_fraction_is_exact() {
    // 2.5: ticks at 3, 5, 8, 10, …; a period of 25 cycles.
    let mut bench = on(2, 1, 0, 0);
    bench.write(slice(2) + DIV, 2 << 4 | 8);
    bench.write(INTE, 1 << 2);
    bench.write(EN, 1 << 2);
    let begun = bench.now;
    let counts: Vec<u32> = (0..11)
        .map(|_| {
            let count = bench.read(slice(2) + CTR);
            bench.pass(1);
            count
        })
        .collect();
    assert_eq!(counts, [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4]);
    assert_eq!(bench.until_line(LINE, 1_000), Some(begun + 25));
    bench.write(INTR, 1 << 2);
    assert_eq!(bench.until_line(LINE, 1_000), Some(begun + 50));
    let seen: Vec<_> = bench.edges(Pin::GPIO, 4).into_iter().map(|(at, high)| (at - begun, high)).collect();
    assert_eq!(seen, [(0, true), (3, false), (25, true), (28, false), (50, true)]);
    // 1 and an eleventh sixteenth: no whole unit; the edges come one by one. 0 is 256.
    let mut bench = on(2, 1, 0, 0);
    bench.write(slice(2) + DIV, 1 << 4 | 11);
    bench.write(EN, 1 << 2);
    assert_eq!(edges(&mut bench, 4, 20), [(0, true), (2, false), (17, true), (19, false)]);
    bench.write(slice(2) + DIV, 0);
    bench.write(slice(2) + CTR, 0);
    bench.pass(255);
    assert_eq!(bench.read(slice(2) + CTR), 0);
    bench.pass(1);
    assert_eq!(bench.read(slice(2) + CTR), 1);
}

#[test]
fn values_are_latched_at_the_wrap() {
    let mut bench = on(0, 3, 0, 1);
    bench.pass(5);
    bench.edges(Pin::GPIO, 0);
    bench.write(PWM + CC, 7);
    bench.write(PWM + TOP, 14);
    let from = bench.now - 5;
    bench.pass(30);
    let seen: Vec<_> = bench.edges(Pin::GPIO, 0).into_iter().map(|(at, high)| (at - from, high)).collect();
    assert_eq!(seen, [(10, true), (17, false), (25, true), (32, false)]);
    // A counter that stands takes them at once.
    bench.write(EN, 0);
    bench.write(PWM + CTR, 0);
    bench.write(PWM + CC, 0);
    bench.edges(Pin::GPIO, 0);
    bench.write(PWM + CC, 1);
    assert_eq!(bench.edges(Pin::GPIO, 0), [(bench.now, true)]);
}

#[test]
fn wraps_interrupt_and_are_seen_by_who_polls() {
    let mut bench = on(0, 3, 0, 0);
    bench.write(slice(7) + TOP, 99);
    bench.write(INTE, 1);
    bench.write(EN, 0x81);
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, 1_000), Some(begun + 10));
    assert_eq!([bench.read(INTR), bench.read(INTS)], [1, 1]);
    bench.write(INTR + SET, 1);
    assert_eq!([bench.read(INTR), bench.read(INTS)], [0, 0]);
    bench.pass(90);
    assert_eq!([bench.read(INTR), bench.read(INTS)], [0x81, 1]);
    bench.write(INTE + CLEAR, 1);
    bench.write(INTF, 2);
    assert_eq!([bench.read(INTS), bench.read(slice(7) + CSR)], [2, 1]);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
}

#[test]
fn a_phase_is_advanced_and_retarded_by_a_tick() {
    let mut bench = on(0, 3, 0, 0);
    bench.write(PWM + DIV, 4 << 4);
    bench.write(PWM + CSR, 1);
    bench.pass(8);
    assert_eq!(bench.read(PWM + CTR), 2);
    bench.write(PWM + CSR + SET, 1 << 7);
    assert_eq!([bench.read(PWM + CTR), bench.read(PWM + CSR)], [3, 1]);
    bench.write(PWM + CSR + SET, 1 << 6);
    bench.pass(7);
    assert_eq!(bench.read(PWM + CTR), 3);
    bench.pass(1);
    assert_eq!(bench.read(PWM + CTR), 4);
}

#[test]
fn an_input_gates_and_paces_the_counter() {
    for (mode, expected) in [(1, 30), (2, 3), (3, 2)] {
        let mut bench = part();
        switch(&mut bench, 3, 4);
        bench.set_pin(0, Pin::GPIO, 3, Some(false));
        bench.pass(10);
        bench.write(slice(1) + CSR, 1 | mode << 4);
        // High for ten cycles of twenty, the third time up to the end.
        for at in [10, 30, 50] {
            bench.set_pin(at, Pin::GPIO, 3, Some(true));
            if at < 50 {
                bench.set_pin(at + 10, Pin::GPIO, 3, Some(false));
            }
        }
        bench.pass(60);
        assert_eq!(bench.read(slice(1) + CTR), expected, "{mode}");
    }
    // The divider counts edges; the wrap interrupts.
    let mut pwm = Alone::new("rp2040", "PWM", 16_000_000, |_, tree| tree);
    pwm.write(0x14 + TOP, 1);
    pwm.write(0x14 + DIV, 2 << 4);
    pwm.write(0xA8, 2);
    pwm.write(0x14 + CSR, 1 | 2 << 4);
    let b = pwm.instance.pins.iter().position(|wired| wired.signal == "B1").unwrap();
    for edge in 0..8 {
        assert!(!pwm.line("PWM_IRQ_WRAP"), "{edge}");
        pwm.with(|device, env| device.input(b, edge % 2 == 0, env));
        if edge == 6 {
            break;
        }
    }
    assert!(pwm.line("PWM_IRQ_WRAP"));
}

#[test]
fn a_wrap_that_somebody_hears_asks_for_a_transfer() {
    let mut pwm = Alone::new("rp2040", "PWM", 16_000_000, |_, tree| tree);
    pwm.write(0x14 * 3 + TOP, 4);
    pwm.write(0x14 * 3 + CSR, 1);
    pwm.pass(20);
    assert!(!pwm.effects().iter().any(|effect| matches!(effect, Effect::RequestOnce { .. })), "nobody hears");
    pwm.with(|device, env| {
        env.hear(0, Some(("PWM", "WRAP3")));
        device.heard(env);
    });
    pwm.effects();
    pwm.pass(14);
    let requests = pwm.effects().into_iter().filter(|effect| matches!(effect, Effect::RequestOnce { number: 27 }));
    assert_eq!(requests.count(), 2);
}
