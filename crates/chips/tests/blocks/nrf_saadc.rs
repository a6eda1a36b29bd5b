//! nRF52840: the converter (nRF52840 PS, SAADC).

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Pin, Voltage, Width};

use crate::bench::Bench;
use crate::nrf_timers::{US, part, until};
use crate::nrf_uarte::STORED;

const SAADC: u32 = 0x4000_7000;
const START: u32 = SAADC;
const SAMPLE: u32 = SAADC + 0x04;
const STOP: u32 = SAADC + 0x08;
const CALIBRATEOFFSET: u32 = SAADC + 0x0C;
const STARTED: u32 = SAADC + 0x100;
const END: u32 = SAADC + 0x104;
const DONE: u32 = SAADC + 0x108;
const RESULTDONE: u32 = SAADC + 0x10C;
const CALIBRATEDONE: u32 = SAADC + 0x110;
const STOPPED: u32 = SAADC + 0x114;
const LIMITH: u32 = SAADC + 0x118;
const LIMITL: u32 = SAADC + 0x11C;
const INTENSET: u32 = SAADC + 0x304;
const STATUS: u32 = SAADC + 0x400;
const ENABLE: u32 = SAADC + 0x500;
const PSELP: u32 = SAADC + 0x510;
const PSELN: u32 = SAADC + 0x514;
const CONFIG: u32 = SAADC + 0x518;
const LIMIT: u32 = SAADC + 0x51C;
const RESOLUTION: u32 = SAADC + 0x5F0;
const OVERSAMPLE: u32 = SAADC + 0x5F4;
const SAMPLERATE: u32 = SAADC + 0x5F8;
const PTR: u32 = SAADC + 0x62C;
const MAXCNT: u32 = SAADC + 0x630;
const AMOUNT: u32 = SAADC + 0x634;
const LINE: usize = 7;
const RAM: u32 = 0x2000_1000;
/// Gain 1/6 of the internal reference: 3.6 V.
const TACQ_10: u32 = 2 << 16;

fn apply(bench: &mut Bench, number: u8, microvolts: i32) {
    let voltage = Some(Voltage::Constant(microvolts));
    bench.stimulate(0, Stimulus::Voltage { pin: Pin::numbered(0, number), voltage });
    bench.pass(1);
}

fn result(bench: &mut Bench, index: u32) -> i16 {
    bench.try_read(RAM + 2 * index, Width::Half).unwrap() as i16
}

/// The converter is on, with 12 bits and room for `count` results.
fn bench(count: u32) -> Bench {
    let mut bench = part();
    bench.write(ENABLE, 1);
    bench.write(RESOLUTION, 2);
    bench.write(PTR, RAM);
    bench.write(MAXCNT, count);
    bench
}

/// One result of channel 0 as it is set up, and the cycles that it took.
fn convert(bench: &mut Bench) -> (i16, u64) {
    bench.write(START, 1);
    assert_eq!(bench.read(STARTED), 1);
    bench.write(END, 0);
    let begun = bench.now;
    bench.write(SAMPLE, 1);
    let end = until(bench, END, 1, 100_000).unwrap();
    (result(bench, 0), end - begun)
}

#[test]
fn a_sample_takes_acquisition_and_conversion() {
    let mut bench = bench(1);
    apply(&mut bench, 2, 1_800_000);
    bench.write(PSELP, 1);
    bench.write(INTENSET, 1 << 1);
    for (tacq, us) in [3, 5, 10, 15, 20, 40].into_iter().enumerate() {
        bench.write(CONFIG, (tacq as u32) << 16);
        assert_eq!(convert(&mut bench), (2048, (us + 2) * US + STORED));
        assert!(bench.bus.shared.interrupts.is_high(LINE));
    }
    assert_eq!([DONE, RESULTDONE, AMOUNT, STATUS].map(|register| bench.read(register)), [1, 1, 1, 0]);
    bench.write(DONE, 0);
    bench.write(SAMPLE, 1);
    bench.pass(100 * US);
    assert_eq!(bench.read(DONE), 0, "the buffer is full");
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn gain_reference_resolution_and_pairs() {
    let mut bench = bench(1);
    apply(&mut bench, 28, 300_000);
    apply(&mut bench, 29, 450_000);
    for (p, n, config, resolution, expected) in [
        (5, 0, 0, 2, 341),
        (5, 0, 5 << 8, 2, 2048),
        (5, 0, 5 << 8, 0, 128),
        (5, 0, 5 << 8, 3, 8192),
        (5, 0, 7 << 8, 2, 4095),
        // A quarter of 3.3 V, gain 1/4: the supply.
        (9, 0, 2 << 8 | 1 << 12, 2, 4095),
        (5, 0, 2 << 8 | 1 << 12, 2, 372),
        (13, 0, 5 << 8, 2, 4095),
        (13, 0, 0, 2, 750),
        (5, 6, 5 << 8 | 1 << 20, 2, -512),
        (6, 5, 5 << 8 | 1 << 20, 2, 512),
        (5, 6, 7 << 8 | 1 << 20, 2, -2048),
    ] {
        bench.write(PSELP, p);
        bench.write(PSELN, n);
        bench.write(CONFIG, config | TACQ_10);
        bench.write(RESOLUTION, resolution);
        assert_eq!(convert(&mut bench).0, expected, "{p} {n} {config:#x} {resolution}");
    }
    assert!(bench.gaps(GapKind::Setting).is_empty());
    bench.write(PSELP, 1);
    for (resp, expected) in [(1, 0), (2, 3754), (3, 1877), (0, 0)] {
        bench.write(RESOLUTION, 2);
        bench.write(CONFIG, resp | TACQ_10);
        assert_eq!(convert(&mut bench).0, expected, "resistors {resp}");
    }
    assert_eq!(bench.gaps(GapKind::Setting), ["SAADC: no stimulus puts a voltage on P0.02, taken as 0 V"]);
}

#[test]
fn a_scan_goes_through_its_channels_and_limits_hold_for_each() {
    let mut bench = bench(4);
    apply(&mut bench, 2, 900_000);
    apply(&mut bench, 3, 1_800_000);
    bench.write(PSELP, 1);
    bench.write(PSELP + 0x30, 2);
    bench.write(LIMIT, 2000 << 16 | 1024);
    bench.write(LIMIT + 0x30, 2048 << 16 | 100);
    bench.write(CONFIG + 0x30, 5 << 16);
    bench.write(START, 1);
    // Double-buffered from here on.
    bench.write(PTR, RAM + 0x100);
    let begun = bench.now;
    bench.write(SAMPLE, 1);
    assert_eq!(until(&mut bench, DONE, 1, 10_000), Some(begun + 12 * US));
    bench.write(DONE, 0);
    assert_eq!(until(&mut bench, DONE, 1, 10_000), Some(begun + (12 + 42) * US));
    bench.pass(STORED);
    assert_eq!([0, 1].map(|index| result(&mut bench, index)), [1024, 2048]);
    assert_eq!([LIMITH, LIMITL, LIMITH + 24, LIMITL + 24].map(|event| bench.read(event)), [0, 1, 1, 0]);
    assert_eq!((bench.read(END), bench.read(AMOUNT)), (0, 2));
    bench.write(SAMPLE, 1);
    assert_eq!(until(&mut bench, END, 1, 10_000), Some(begun + 2 * ((12 + 42) * US + STORED)));
    bench.write(START, 1);
    bench.write(SAMPLE, 1);
    bench.pass(30 * US);
    bench.write(STOP, 1);
    assert_eq!((bench.read(STOPPED), bench.read(AMOUNT)), (1, 1));
    assert_eq!(bench.try_read(RAM + 0x100, Width::Half).unwrap(), 1024);
}

#[test]
fn an_average_takes_samples_or_one_burst() {
    let mut bench = bench(1);
    apply(&mut bench, 2, 0);
    bench.write(PSELP, 1);
    bench.write(OVERSAMPLE, 2);
    bench.write(CONFIG, TACQ_10 | 1 << 24);
    let begun = bench.now;
    let voltage = Some(Voltage::Constant(3_600_000));
    bench.stimulate(2 * 12 * US, Stimulus::Voltage { pin: Pin::numbered(0, 2), voltage });
    assert_eq!(convert(&mut bench), (4095 / 2, 4 * 12 * US + STORED));
    assert_eq!(bench.now - begun, 4 * 12 * US + STORED);
    bench.write(CONFIG, TACQ_10);
    bench.write(START, 1);
    bench.write(END, 0);
    for end in [0, 0, 0, 1] {
        bench.write(SAMPLE, 1);
        bench.pass(12 * US + STORED);
        assert_eq!(bench.read(END), end);
    }
}

#[test]
fn its_timer_samples_and_calibration_takes_its_time() {
    let mut bench = bench(3);
    apply(&mut bench, 2, 1_800_000);
    bench.write(PSELP, 1);
    bench.write(CONFIG, 0);
    bench.write(SAMPLERATE, 1 << 12 | 160);
    bench.write(START, 1);
    let begun = bench.now;
    bench.write(SAMPLE, 1);
    assert_eq!(until(&mut bench, END, 1, 10_000), Some(begun + (2 * 10 + 5) * US + STORED));
    bench.write(STOP, 1);
    bench.write(DONE, 0);
    bench.pass(100 * US);
    assert_eq!(bench.read(DONE), 0);
    let begun = bench.now;
    bench.write(CALIBRATEOFFSET, 1);
    assert_eq!(bench.read(STATUS), 1);
    assert_eq!(until(&mut bench, CALIBRATEDONE, 1, 10_000), Some(begun + 42 * US));
}

#[test]
fn a_buffer_that_is_nowhere_is_named() {
    let mut bench = bench(2);
    apply(&mut bench, 2, 1_800_000);
    bench.write(PSELP, 1);
    for pointer in [0xFFFF_FFFF, 0x0000_0000, 0x2004_0000, 0x4000_7000] {
        bench.write(PTR, pointer);
        bench.write(START, 1);
        bench.write(END, 0);
        for _ in 0..2 {
            bench.write(SAMPLE, 1);
            bench.pass(100 * US);
        }
        assert_eq!(bench.read(END), 1);
    }
    assert_eq!(bench.gaps(GapKind::Setting), ["SAADC: EasyDMA reaches nothing but the data RAM"]);
    bench.write(ENABLE, 0);
    bench.write(DONE, 0);
    bench.write(START, 1);
    bench.write(SAMPLE, 1);
    bench.pass(100 * US);
    assert_eq!(bench.read(DONE), 0, "switched off");
}
