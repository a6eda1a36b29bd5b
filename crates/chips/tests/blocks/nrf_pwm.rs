//! nRF52840: pulse width modulation (nRF52840 PS, PWM).

use cyclescope_machine::{GapKind, Width};

use crate::bench::{Bench, PORT0};
use crate::nrf_easydma::hold;
use crate::nrf_timers::{part, until};

const PWM: u32 = 0x4001_C000;
const STOP: u32 = PWM + 0x04;
const SEQSTART: u32 = PWM + 0x08;
const NEXTSTEP: u32 = PWM + 0x10;
const STOPPED: u32 = PWM + 0x104;
const SEQSTARTED: u32 = PWM + 0x108;
const SEQEND: u32 = PWM + 0x110;
const PWMPERIODEND: u32 = PWM + 0x118;
const LOOPSDONE: u32 = PWM + 0x11C;
const SHORTS: u32 = PWM + 0x200;
const INTENSET: u32 = PWM + 0x304;
const ENABLE: u32 = PWM + 0x500;
const MODE: u32 = PWM + 0x504;
const COUNTERTOP: u32 = PWM + 0x508;
const PRESCALER: u32 = PWM + 0x50C;
const DECODER: u32 = PWM + 0x510;
const LOOP: u32 = PWM + 0x514;
const PTR: u32 = PWM + 0x520;
const CNT: u32 = PWM + 0x524;
const REFRESH: u32 = PWM + 0x528;
const ENDDELAY: u32 = PWM + 0x52C;
const PSEL: u32 = PWM + 0x560;
const LINE: usize = 28;
const RAM: u32 = 0x2000_1000;
/// Core cycles of a period of PCLK16M.
const TICK: u64 = 4;
/// Of the wave counter with a top of 100.
const PERIOD: u64 = 100 * TICK;

/// Values of two words are there two cycles after the first one: the counter starts with the next edge of its clock.
const LATE: u64 = TICK;

/// The module at P0.13 to P0.16, a top of 100, and a sequence of `values`.
fn bench(values: &[u16]) -> Bench {
    let mut bench = part();
    bench.write(ENABLE, 1);
    bench.write(COUNTERTOP, 100);
    for output in 0..4 {
        bench.write(PSEL + 4 * output, 13 + output);
    }
    sequence(&mut bench, 0, values);
    bench.write(REFRESH, 0);
    bench
}

fn sequence(bench: &mut Bench, number: u32, values: &[u16]) {
    let from = RAM + 0x100 * number;
    for (index, value) in (0..).zip(values) {
        bench.try_write(from + 2 * index, Width::Half, (*value).into()).unwrap();
    }
    bench.write(PTR + 32 * number, from);
    bench.write(CNT + 32 * number, values.len() as u32);
}

/// Runs for `cycles` and gives the edges of each output, from the begin on.
fn run(bench: &mut Bench, start: u32, cycles: u64) -> [Vec<(u64, bool)>; 4] {
    let begun = bench.now;
    bench.write(start, 1);
    bench.pass(cycles);
    let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
    std::array::from_fn(|output| {
        let of_output = signals.iter().filter_map(|(at, signal)| match signal {
            cyclescope_machine::Signal::Pin { pin, high } if usize::from(pin.number) == 13 + output => {
                Some((at.get() - begun, *high))
            }
            _ => None,
        });
        of_output.collect()
    })
}

/// The edges, counted from the cycle `start` on.
fn from(start: u64, edges: &[(u64, bool)]) -> Vec<(u64, bool)> {
    edges.iter().map(|(at, high)| (at - start, *high)).collect()
}

#[test]
fn the_counter_goes_up_or_up_and_down() {
    // Both polarities, all of the time high, none.
    let values = [30, 0x8000 | 30, 0, 100];
    let mut bench = bench(&values);
    bench.write(DECODER, 2);
    let edges = run(&mut bench, SEQSTART, LATE + 2 * PERIOD - 1);
    let [rises, falls, high, low] = edges.map(|edges| from(LATE, &edges));
    let at = 30 * TICK;
    assert_eq!(rises, [(at, true), (PERIOD, false), (PERIOD + at, true)]);
    assert_eq!(falls, [(0, true), (at, false), (PERIOD, true), (PERIOD + at, false)]);
    assert_eq!((high, low), (vec![(0, true)], vec![]));
    assert_eq!([SEQSTARTED, SEQEND, PWMPERIODEND].map(|event| bench.read(event)), [1, 1, 1]);
    let mut bench = self::bench(&values);
    bench.write(DECODER, 2);
    bench.write(MODE, 1);
    bench.write(PRESCALER, 2);
    let edges = run(&mut bench, SEQSTART, LATE + 8 * PERIOD - 1);
    let [rises, falls, ..] = edges.map(|edges| from(LATE, &edges));
    assert_eq!(rises, [(4 * at, true), (8 * PERIOD - 4 * at, false)]);
    assert_eq!(falls, [(0, true), (4 * at, false), (8 * PERIOD - 4 * at, true)]);
}

#[test]
fn values_refresh_delay_and_stop() {
    // First edge falls, so that a value is the time that the pin is high.
    let mut bench = bench(&[0x8000 | 10, 0x8000 | 20]);
    bench.write(REFRESH, 1);
    bench.write(ENDDELAY, 3);
    bench.write(SHORTS, 1);
    bench.write(INTENSET, 1 << 1);
    let [first, .., last] = run(&mut bench, SEQSTART, 20 * PERIOD);
    let high: Vec<u64> = first.chunks(2).map(|pulse| pulse[1].0 - pulse[0].0).collect();
    assert_eq!(high, [10, 10, 20].map(|ticks| ticks * TICK), "SEQEND comes with the last value");
    assert_eq!(first, last, "common to all");
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!([STOPPED, SEQEND, LOOPSDONE].map(|event| bench.read(event)), [1, 1, 0]);
    bench.write(STOPPED, 0);
    bench.write(STOP, 1);
    assert_eq!(bench.read(STOPPED), 1, "nothing was under way");
}

#[test]
fn sequences_follow_each_other_in_loops() {
    let mut bench = bench(&[0x8000 | 10]);
    sequence(&mut bench, 1, &[0x8000 | 20, 0x8000 | 30]);
    bench.write(REFRESH + 32, 0);
    bench.write(ENDDELAY + 32, 1);
    bench.write(LOOP, 2);
    bench.write(SHORTS, 1 << 4);
    let [first, ..] = run(&mut bench, SEQSTART, 20 * PERIOD);
    let high: Vec<u64> = first.chunks(2).map(|pulse| (pulse[1].0 - pulse[0].0) / TICK).collect();
    assert_eq!(high, [10, 20, 30, 30, 10, 20, 30]);
    let events = [SEQSTARTED, SEQSTARTED + 4, SEQEND, SEQEND + 4, LOOPSDONE, STOPPED];
    assert_eq!(events.map(|event| bench.read(event)), [1; 6]);
    // From the second on, the first comes between.
    let [first, ..] = run(&mut bench, SEQSTART + 4, 20 * PERIOD);
    let high: Vec<u64> = first.chunks(2).map(|pulse| (pulse[1].0 - pulse[0].0) / TICK).collect();
    assert_eq!(high, [20, 30, 30, 10, 20, 30]);
    // For ever.
    bench.write(SHORTS, 1 << 2);
    run(&mut bench, SEQSTART, 100 * PERIOD);
    bench.write(STOPPED, 0);
    bench.write(STOP, 1);
    bench.pass(PERIOD);
    assert_eq!(bench.read(STOPPED), 1);
}

#[test]
fn groups_wave_forms_and_steps_by_task() {
    let mut bench = bench(&[0x8000 | 10, 0x8000 | 20]);
    bench.write(DECODER, 1);
    let edges = run(&mut bench, SEQSTART, PERIOD - 1);
    assert_eq!(edges.map(|edges| edges[1].0 / TICK), [10, 10, 20, 20]);
    let mut bench = self::bench(&[0x8000 | 10, 0x8000 | 20, 0x8000 | 30, 50, 0x8000 | 1, 0x8000 | 2, 0x8000 | 3, 40]);
    bench.write(DECODER, 3);
    let edges = run(&mut bench, SEQSTART, LATE + 90 * TICK);
    let [first, second, third, fourth] = edges.map(|edges| from(LATE, &edges));
    assert_eq!(first.iter().map(|(at, _)| at / TICK).collect::<Vec<_>>(), [0, 10, 50, 51, 90]);
    assert_eq!((second[1].0, third[1].0), (20 * TICK, 30 * TICK));
    assert!(fourth.len() <= 1);
    let mut bench = self::bench(&[0x8000 | 10, 0x8000 | 20]);
    bench.write(DECODER, 1 << 8);
    let [first, ..] = run(&mut bench, SEQSTART, 5 * PERIOD - 1);
    assert!(first.chunks(2).all(|pulse| pulse[1].0 - pulse[0].0 == 10 * TICK));
    assert_eq!(bench.read(SEQEND), 0);
    let [first, ..] = run(&mut bench, NEXTSTEP, 5 * PERIOD);
    assert!(first.chunks_exact(2).all(|pulse| pulse[1].0 - pulse[0].0 == 20 * TICK), "{first:?}");
    assert_eq!(bench.read(SEQEND), 1);
    bench.write(ENABLE, 0);
    bench.edges(PORT0, 13);
    bench.pass(10 * PERIOD);
    assert_eq!(bench.edges(PORT0, 13), []);
}

#[test]
fn values_that_come_late_are_used_in_their_period_as_they_were_read() {
    let mut bench = bench(&[0x8000 | 1, 0x8000 | 3, 0x8000 | 2]);
    bench.write(COUNTERTOP, 4);
    bench.write(SEQSTART, 1);
    // The core has the slave from the second period into the third, whose value is the last one.
    bench.pass(4 * TICK);
    hold(&mut bench, 0, 5 * TICK);
    assert_eq!(bench.read(SEQEND), 0);
    bench.bus.shared.signals.drain().count();
    // From now on they are read in groups.
    let edges = run(&mut bench, DECODER, 3 * TICK - 1);
    assert_eq!(edges, [const { (TICK, false) }; 4].map(|edge| vec![edge]));
    assert_eq!(bench.read(SEQEND), 1);
}

#[test]
fn an_empty_sequence_takes_the_place_of_one_that_waits_for_its_values() {
    let mut bench = bench(&[0x8000 | 10]);
    let begun = bench.now;
    bench.bus.memory.claim_ram(0, crate::nrf_easydma::slave(0), begun, [true; 2]);
    bench.write(SEQSTART, 1);
    bench.write(SEQSTART + 4, 1);
    hold(&mut bench, 0, 2 * TICK);
    assert_eq!(until(&mut bench, PWMPERIODEND, 1, 2 * PERIOD), Some(begun + PERIOD));
    assert_eq!(bench.read(SEQSTARTED), 0);
}

#[test]
fn settings_without_sense_do_no_harm() {
    let mut bench = bench(&[]);
    bench.write(SEQSTART, 1);
    bench.pass(10 * PERIOD);
    assert_eq!(bench.read(SEQSTARTED), 0, "an empty sequence");
    for (top, pointer, load) in [(0, 0, 0), (1, 0xFFFF_FFFF, 3), (2, 0x4001_C000, 3)] {
        bench.write(COUNTERTOP, top);
        bench.write(PTR, pointer);
        bench.write(CNT, 0x7FFF);
        bench.write(DECODER, load);
        bench.write(LOOP, 0xFFFF);
        bench.write(SHORTS, 0x1F);
        bench.write(PSEL, 0x3F);
        bench.write(SEQSTART + 4, 1);
        bench.write(SEQSTART, 1);
        bench.pass(10 * PERIOD);
    }
    assert_eq!(bench.gaps(GapKind::Setting), ["PWM0: EasyDMA reaches nothing but the data RAM"]);
}
