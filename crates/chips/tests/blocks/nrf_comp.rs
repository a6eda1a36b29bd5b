//! nRF52840: comparators (nRF52840 PS, COMP and LPCOMP).

use cyclescope_chips::Stimulus;
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, Pin, Voltage};

use crate::bench::Bench;
use crate::nrf_timers::{US, part, until};

const COMP: u32 = 0x4001_3000;
const START: u32 = COMP;
const STOP: u32 = COMP + 0x04;
const SAMPLE: u32 = COMP + 0x08;
const READY: u32 = COMP + 0x100;
const DOWN: u32 = COMP + 0x104;
const UP: u32 = COMP + 0x108;
const CROSS: u32 = COMP + 0x10C;
const SHORTS: u32 = COMP + 0x200;
const INTENSET: u32 = COMP + 0x304;
const RESULT: u32 = COMP + 0x400;
const ENABLE: u32 = COMP + 0x500;
const PSEL: u32 = COMP + 0x504;
const REFSEL: u32 = COMP + 0x508;
const EXTREFSEL: u32 = COMP + 0x50C;
const TH: u32 = COMP + 0x530;
const MODE: u32 = COMP + 0x534;
const LINE: usize = 19;

fn apply(bench: &mut Bench, number: u8, voltage: Voltage) {
    bench.stimulate(0, Stimulus::Voltage { pin: Pin::numbered(0, number), voltage: Some(voltage) });
    bench.pass(1);
}

fn result(bench: &mut Bench) -> u32 {
    bench.write(SAMPLE, 1);
    bench.read(RESULT)
}

#[test]
fn two_thresholds_are_crossed_by_a_ramp() {
    let mut bench = part();
    apply(&mut bench, 3, Voltage::Constant(0));
    bench.write(PSEL, 1);
    // 1.8 V: up at 0.9 V, down at 0.45 V.
    bench.write(REFSEL, 1);
    bench.write(TH, 31 << 8 | 15);
    bench.write(ENABLE, 2);
    bench.write(INTENSET, 1 << 2);
    let begun = bench.now;
    bench.write(START, 1);
    assert_eq!(until(&mut bench, READY, 1, 10_000), Some(begun + 3 * US));
    let begun = bench.now;
    let ramp = |from, to| Voltage::Ramp { from, to, over: Picoseconds::new(1_800_000_000) };
    apply(&mut bench, 3, ramp(0, 1_800_000));
    let at = bench.until_line(LINE, 1_000_000).unwrap() - begun;
    assert!(at.abs_diff(900 * US) <= 1, "{at}");
    assert_eq!([UP, DOWN, CROSS].map(|event| bench.read(event)), [1, 0, 1]);
    assert_eq!(result(&mut bench), 1);
    apply(&mut bench, 3, Voltage::Constant(600_000));
    assert_eq!((bench.read(DOWN), result(&mut bench)), (0, 1), "between the thresholds");
    apply(&mut bench, 3, Voltage::Constant(400_000));
    assert_eq!((bench.read(DOWN), result(&mut bench)), (1, 0));
    bench.write(STOP, 1);
    bench.write(UP, 0);
    apply(&mut bench, 3, Voltage::Constant(3_000_000));
    assert_eq!(bench.read(UP), 0);
}

#[test]
fn pins_and_parts_of_the_supply_are_references() {
    for (enable, refsel, mode, threshold) in [
        (1, 3, 0, 1_650_000),
        (1, 8, 0, 206_250),
        (1, 7, 0, 1_000_000),
        (2, 0, 1 << 8, 1_000_000),
        (2, 5, 0, 500_000),
        (2, 4, 0, 1_650_000),
    ] {
        let mut bench = part();
        apply(&mut bench, 3, Voltage::Constant(1_000_000));
        apply(&mut bench, 31, Voltage::Constant(threshold + 1_000));
        for (register, value) in
            [(PSEL, 7), (EXTREFSEL, 1), (REFSEL, refsel), (MODE, mode), (TH, 31 << 8 | 31), (SHORTS, 1)]
        {
            bench.write(register, value);
        }
        bench.write(ENABLE, enable);
        bench.write(START, 1);
        bench.pass(140 * US);
        assert_eq!((bench.read(READY), bench.read(RESULT)), (1, 1), "{enable} {refsel}");
        apply(&mut bench, 31, Voltage::Constant(threshold - 1_000));
        assert_eq!((bench.read(DOWN), result(&mut bench)), (1, 0), "{enable} {refsel}");
        assert!(bench.gaps(GapKind::Setting).is_empty());
    }
}

#[test]
fn settings_without_sense_do_no_harm() {
    let mut bench = part();
    for register in (0x500..0x540).step_by(4) {
        bench.write(COMP + register, u32::MAX);
    }
    for enable in [3, 2, 1, 0] {
        bench.write(ENABLE, enable);
        bench.write(START, 1);
        bench.pass(1_000 * US);
    }
    assert_eq!(bench.read(READY), 1);
}
