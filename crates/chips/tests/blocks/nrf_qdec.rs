//! nRF52840: the quadrature decoder (nRF52840 PS, QDEC).

use crate::bench::{Bench, PORT0, PORT1};
use crate::nrf_timers::{US, part};

const QDEC: u32 = 0x4001_2000;
const START: u32 = QDEC;
const STOP: u32 = QDEC + 0x04;
const READCLRACC: u32 = QDEC + 0x08;
const RDCLRDBL: u32 = QDEC + 0x10;
const SAMPLERDY: u32 = QDEC + 0x100;
const REPORTRDY: u32 = QDEC + 0x104;
const ACCOF: u32 = QDEC + 0x108;
const DBLRDY: u32 = QDEC + 0x10C;
const STOPPED: u32 = QDEC + 0x110;
const SHORTS: u32 = QDEC + 0x200;
const INTENSET: u32 = QDEC + 0x304;
const ENABLE: u32 = QDEC + 0x500;
const LEDPOL: u32 = QDEC + 0x504;
const SAMPLEPER: u32 = QDEC + 0x508;
const SAMPLE: u32 = QDEC + 0x50C;
const REPORTPER: u32 = QDEC + 0x510;
const ACC: u32 = QDEC + 0x514;
const ACCREAD: u32 = QDEC + 0x518;
const PSEL_LED: u32 = QDEC + 0x51C;
const PSEL_A: u32 = QDEC + 0x520;
const PSEL_B: u32 = QDEC + 0x524;
const DBFEN: u32 = QDEC + 0x528;
const LEDPRE: u32 = QDEC + 0x540;
const ACCDBL: u32 = QDEC + 0x544;
const ACCDBLREAD: u32 = QDEC + 0x548;
const LINE: usize = 18;
const P1: u32 = 0x5000_0300;
/// Core cycles of the shortest sample period.
const PERIOD: u64 = 128 * US;

/// The decoder with phases at P1.01 and P1.02, one sample behind its start, both low.
fn bench() -> Bench {
    let mut bench = part();
    for pin in [1, 2] {
        bench.write(P1 + 0x700 + 4 * pin, 0);
        bench.set_pin(0, PORT1, pin as u8, Some(false));
    }
    bench.pass(1);
    bench.write(PSEL_A, 1 << 5 | 1);
    bench.write(PSEL_B, 1 << 5 | 2);
    bench.write(ENABLE, 1);
    bench
}

/// The phases have these levels for one sample.
fn step(bench: &mut Bench, a: bool, b: bool) -> i32 {
    bench.set_pin(0, PORT1, 1, Some(a));
    bench.set_pin(0, PORT1, 2, Some(b));
    bench.pass(PERIOD);
    bench.read(SAMPLE) as i32
}

#[test]
fn each_pair_of_samples_is_a_step() {
    for (from, to, expected) in [
        ((0, 0), (0, 1), 1),
        ((0, 0), (1, 0), -1),
        ((0, 0), (1, 1), 2),
        ((0, 1), (0, 0), -1),
        ((0, 1), (1, 0), 2),
        ((0, 1), (1, 1), 1),
        ((1, 0), (0, 0), 1),
        ((1, 0), (0, 1), 2),
        ((1, 0), (1, 1), -1),
        ((1, 1), (0, 0), 2),
        ((1, 1), (0, 1), -1),
        ((1, 1), (1, 0), 1),
        ((1, 1), (1, 1), 0),
    ] {
        let mut bench = bench();
        bench.write(START, 1);
        assert_eq!(step(&mut bench, from.0 != 0, from.1 != 0), 0, "the first has none before it");
        assert_eq!(step(&mut bench, to.0 != 0, to.1 != 0), expected, "{from:?} {to:?}");
        let acc = if expected == 2 { 0 } else { expected };
        assert_eq!((bench.read(ACC) as i32, bench.read(ACCDBL)), (acc, u32::from(expected == 2)));
    }
}

#[test]
fn reports_come_after_their_samples_if_anything_moved() {
    let mut bench = bench();
    bench.write(SAMPLEPER, 1);
    bench.write(INTENSET, 1 << 1);
    bench.write(SHORTS, 1);
    let begun = bench.now;
    bench.write(START, 1);
    bench.pass(2 * PERIOD * 10);
    assert_eq!((bench.read(SAMPLERDY), bench.read(REPORTRDY)), (1, 0));
    bench.set_pin(0, PORT1, 2, Some(true));
    assert_eq!(bench.until_line(LINE, 100_000_000), Some(begun + 2 * PERIOD * 20));
    assert_eq!((bench.read(ACC), bench.read(ACCREAD), bench.read(DBLRDY)), (0, 1, 0));
    bench.write(REPORTPER, 8);
    bench.write(SHORTS, 1 << 5);
    bench.set_pin(0, PORT1, 1, Some(true));
    bench.set_pin(0, PORT1, 2, Some(false));
    bench.pass(2 * PERIOD);
    assert_eq!([DBLRDY, STOPPED, ACCDBL].map(|register| bench.read(register)), [1, 1, 1]);
    bench.write(RDCLRDBL, 1);
    assert_eq!((bench.read(ACCDBLREAD), bench.read(ACCDBL)), (1, 0));
    bench.write(SAMPLERDY, 0);
    bench.pass(100 * PERIOD);
    assert_eq!(bench.read(SAMPLERDY), 0, "it stands");
}

#[test]
fn accumulators_stop_at_their_ends() {
    let mut bench = bench();
    bench.write(START, 1);
    let turn = [(false, true), (true, true), (true, false), (false, false)];
    step(&mut bench, false, false);
    for (a, b) in turn.into_iter().cycle().take(1023) {
        assert_eq!(step(&mut bench, a, b), 1);
    }
    assert_eq!((bench.read(ACC), bench.read(ACCOF)), (1023, 0));
    step(&mut bench, false, false);
    assert_eq!((bench.read(ACC), bench.read(ACCOF)), (1023, 1));
    bench.write(READCLRACC, 1);
    assert_eq!((bench.read(ACCREAD), bench.read(ACC)), (1023, 0));
    bench.write(ACCOF, 0);
    for doubles in 0..16 {
        assert_eq!(bench.read(ACCOF), 0);
        let high = doubles % 2 == 0;
        step(&mut bench, high, high);
    }
    assert_eq!((bench.read(ACCDBL), bench.read(ACCOF)), (15, 1));
}

#[test]
fn the_filter_drops_what_does_not_last() {
    let mut bench = bench();
    bench.write(DBFEN, 1);
    bench.write(START, 1);
    step(&mut bench, false, false);
    // Ten microseconds inside a period.
    bench.set_pin(20 * US, PORT1, 2, Some(true));
    bench.set_pin(30 * US, PORT1, 2, Some(false));
    bench.pass(PERIOD);
    assert_eq!(bench.read(SAMPLE), 0);
    // High from the middle of one period to the end of the next.
    bench.set_pin(60 * US, PORT1, 2, Some(true));
    bench.pass(PERIOD);
    assert_eq!(bench.read(SAMPLE), 0);
    bench.pass(PERIOD);
    assert_eq!(bench.read(SAMPLE), 1);
    // Shorter than the filter sees.
    bench.set_pin(20 * US + 10, PORT1, 2, Some(false));
    bench.set_pin(20 * US + 20, PORT1, 2, Some(true));
    bench.set_pin(PERIOD - 10, PORT1, 1, Some(true));
    bench.pass(PERIOD);
    assert_eq!(bench.read(SAMPLE), 0);
    bench.pass(PERIOD);
    assert_eq!(bench.read(SAMPLE), 1, "A follows");
}

#[test]
fn the_led_is_lit_before_samples() {
    for (polarity, lit) in [(0, false), (1, true)] {
        let mut bench = bench();
        bench.write(ENABLE, 0);
        bench.write(LEDPOL, polarity);
        bench.write(LEDPRE, 28);
        bench.write(PSEL_LED, 20);
        bench.write(ENABLE, 1);
        bench.edges(PORT0, 20);
        let begun = bench.now;
        bench.write(START, 1);
        bench.pass(2 * PERIOD);
        let edges = [(100 * US, lit), (PERIOD, !lit), (PERIOD + 100 * US, lit), (2 * PERIOD, !lit)];
        assert_eq!(bench.edges(PORT0, 20), edges.map(|(at, high)| (begun + at, high)));
        bench.write(STOP, 1);
        bench.pass(10 * PERIOD);
        assert_eq!((bench.edges(PORT0, 20), bench.read(STOPPED)), (vec![], 1));
    }
}

#[test]
fn settings_without_sense_do_no_harm() {
    let mut bench = bench();
    for register in [SAMPLEPER, REPORTPER, LEDPRE, DBFEN, PSEL_LED, PSEL_A, PSEL_B, LEDPOL, SHORTS] {
        bench.write(register, 0x7FFF_FFFF);
    }
    bench.write(START, 1);
    bench.set_pin(0, PORT1, 31, Some(true));
    bench.pass(200_000 * US);
    bench.write(START, 1);
    bench.write(ENABLE, 0);
    bench.pass(200_000 * US);
    assert_eq!(bench.read(SAMPLERDY), 1);
}
