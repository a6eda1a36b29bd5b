//! The digital-to-analog converter of STM32F446 (RM0390, "Digital-to-analog converter (DAC)"), at 16 MHz.

use cyclescope_machine::{GapKind, Pin};

use super::*;
use crate::f446_clocks::enabled;

const CR: u32 = 0x4000_7400;
const SWTRIGR: u32 = CR + 0x04;
const DHR12R1: u32 = CR + 0x08;
const DOR1: u32 = CR + 0x2C;
const DOR2: u32 = CR + 0x30;
const SR: u32 = CR + 0x34;
const DMA1: u32 = 0x4002_6000;
const LINE: usize = 54;

const EN: u32 = 1;
const BOFF: u32 = 2;
const TEN: u32 = 4;
const EXTI9: u32 = 6 << 3;
const SOFTWARE: u32 = 7 << 3;
const DMAEN: u32 = 1 << 12;
const DMAUDRIE: u32 = 1 << 13;

fn output(bench: &Bench, number: u8) -> Option<i32> {
    let now = bench.bus.peripherals.timebase().time(cyclescope_machine::units::Cycles::new(bench.now));
    bench.bus.peripherals.outside().voltage(Pin { port: 0, number }, now)
}

/// EXTI9 hears rising edges of PA9, which is low.
fn with_edges() -> Bench {
    let mut bench = enabled();
    bench.write(0x4001_3C08, 1 << 9);
    bench.set_pin(0, 0, 9, Some(false));
    bench.pass(10);
    bench
}

/// An edge, and the three periods that the converter takes after EXTI's two.
fn edge(bench: &mut Bench) {
    bench.set_pin(0, 0, 9, Some(true));
    bench.pass(2 + 3);
    bench.set_pin(0, 0, 9, Some(false));
    bench.pass(1);
}

#[test]
fn data_reach_the_pin_a_period_later() {
    let mut bench = enabled();
    assert_eq!(output(&bench, 4), None);
    bench.write(CR, EN | BOFF);
    assert_eq!(output(&bench, 4), Some(0));
    bench.pass(10);
    bench.write(DHR12R1, 2_048);
    assert_eq!(bench.read(DOR1), 0);
    bench.pass(1);
    assert_eq!((bench.read(DOR1), output(&bench, 4), output(&bench, 5)), (2_048, Some(1_650_000), None));
    // A buffer stays away from the ends of the supply.
    bench.write(CR, EN | EN << 16 | BOFF << 16);
    bench.write(CR + 0x20, 4_095 << 16);
    bench.pass(1);
    assert_eq!((output(&bench, 4), output(&bench, 5)), (Some(200_000), Some(3_299_194)));
    bench.write(CR, 0);
    assert_eq!((output(&bench, 4), output(&bench, 5)), (None, None));
}

#[test]
fn all_forms_of_data_reach_both_channels() {
    let mut bench = enabled();
    bench.write(CR, EN | EN << 16);
    bench.pass(10);
    let cases = [
        (0x08, 0x123, [0x123, 0]),
        (0x0C, 0x4560, [0x456, 0]),
        (0x10, 0x78, [0x780, 0]),
        (0x14, 0x321, [0x780, 0x321]),
        (0x18, 0x6540, [0x780, 0x654]),
        (0x1C, 0x87, [0x780, 0x870]),
        (0x20, 0x0ABC_0DEF, [0xDEF, 0xABC]),
        (0x24, 0xABC0_DEF0, [0xDEF, 0xABC]),
        (0x28, 0x1234, [0x340, 0x120]),
    ];
    for (offset, value, expected) in cases {
        bench.write(CR + offset, value);
        bench.pass(1);
        assert_eq!([DOR1, DOR2].map(|at| bench.read(at)), expected, "{offset:#x}");
    }
}

#[test]
fn triggers_move_the_data() {
    let mut bench = with_edges();
    bench.write(CR, EN | TEN | SOFTWARE | (EN | TEN | EXTI9) << 16);
    bench.write(CR + 0x20, 0x111 | 0x222 << 16);
    bench.pass(10);
    assert_eq!([bench.read(DOR1), bench.read(DOR2)], [0, 0]);
    bench.write(SWTRIGR, 3);
    bench.pass(1);
    assert_eq!([bench.read(DOR1), bench.read(DOR2)], [0x111, 0], "software is the first one's trigger only");
    bench.set_pin(0, 0, 9, Some(true));
    bench.pass(4);
    assert_eq!(bench.read(DOR2), 0);
    bench.pass(1);
    assert_eq!(bench.read(DOR2), 0x222);
}

#[test]
fn waves_are_added_to_the_data() {
    let mut bench = with_edges();
    let mut take = |wave: u32, data: u32, count: usize| -> Vec<u32> {
        bench.write(CR, 0);
        bench.write(CR, EN | TEN | EXTI9 | wave);
        bench.write(DHR12R1, data);
        (0..count)
            .map(|_| {
                edge(&mut bench);
                bench.read(DOR1)
            })
            .collect()
    };
    assert_eq!(take(2 << 6 | 1 << 8, 100, 8), [101, 102, 103, 102, 101, 100, 101, 102], "a triangle of 3");
    assert_eq!(take(3 << 6 | 11 << 8, 4_093, 3), [4_094, 4_095, 4_095], "without overflow");
    // The register of RM0390's figure, from 0xAAA on.
    let mut lfsr = 0xAAAu32;
    let mut next = || {
        let bit = lfsr ^ lfsr >> 1 ^ lfsr >> 4 ^ lfsr >> 6;
        lfsr = lfsr >> 1 | (bit & 1) << 11;
        lfsr
    };
    let expected: Vec<u32> = (0..50).map(|_| next()).collect();
    assert_eq!(take(1 << 6 | 11 << 8, 0, 50), expected);
    let low: Vec<u32> = expected.iter().map(|value| 8 + (value & 7)).collect();
    assert_eq!(take(1 << 6 | 2 << 8, 8, 50), low);
    assert!(expected.iter().collect::<std::collections::BTreeSet<_>>().len() > 40);
}

/// Stream 5 of DMA1, whose channel 7 is the first channel's, from a table.
fn feed(bench: &mut Bench, values: &[u32], circular: bool) {
    for (place, value) in values.iter().enumerate() {
        bench.write(RAM + 4 * place as u32, *value);
    }
    let stream = DMA1 + 0x10 + 0x18 * 5;
    bench.write(stream + 8, DHR12R1);
    bench.write(stream + 12, RAM);
    bench.write(stream + 4, values.len() as u32);
    bench.write(stream, 7 << 25 | 2 << 11 | 2 << 13 | 1 << 10 | u32::from(circular) << 8 | 1 << 6 | 1);
}

#[test]
fn the_dma_feeds_a_wave_and_an_underrun_ends_it() {
    let mut bench = with_edges();
    feed(&mut bench, &[10, 20, 30], true);
    bench.write(CR, EN | TEN | EXTI9 | DMAEN | DMAUDRIE);
    let mut seen = Vec::new();
    for _ in 0..6 {
        edge(&mut bench);
        seen.push(bench.read(DOR1));
        bench.pass(20);
    }
    assert_eq!(seen, [0, 10, 20, 30, 10, 20]);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    // The stream is off: the next request stays open.
    bench.write(DMA1 + 0x10 + 0x18 * 5, 0);
    bench.pass(10);
    edge(&mut bench);
    bench.pass(20);
    assert_eq!(bench.read(SR), 0);
    edge(&mut bench);
    assert_eq!((bench.read(SR), bench.bus.shared.interrupts.is_high(LINE)), (1 << 13, true));
    bench.write(SR, 1 << 13);
    assert_eq!((bench.read(SR), bench.bus.shared.interrupts.is_high(LINE)), (0, false));
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn the_other_converter_reads_what_this_one_drives() {
    let mut bench = enabled();
    bench.write(CR, EN | BOFF);
    bench.write(0x4001_2000 + CR2, 1);
    bench.write(0x4001_2000 + SQR3, 4);
    bench.pass(100);
    for code in [0, 1, 777, 2_048, 4_095] {
        bench.write(DHR12R1, code);
        bench.pass(1);
        bench.write(0x4001_2000 + CR2, 1 | 1 << 30);
        until(&mut bench, 0x4001_2000 + super::SR, EOC);
        assert_eq!(bench.read(0x4001_2000 + DR), code);
    }
    assert!(bench.gaps(GapKind::Setting).is_empty());
}
