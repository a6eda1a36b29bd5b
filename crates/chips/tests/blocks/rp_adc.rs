//! RP2040: the converter (RP-008371-DS, "ADC and Temperature Sensor").

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Pin, Voltage};

use crate::bench::Bench;
use crate::rp_uart::{SET, gaps, part};

const ADC: u32 = 0x4004_C000;
const CS: u32 = ADC;
const RESULT: u32 = ADC + 0x04;
const FCS: u32 = ADC + 0x08;
const FIFO: u32 = ADC + 0x0C;
const DIV: u32 = ADC + 0x10;
const INTR: u32 = ADC + 0x14;
const INTE: u32 = ADC + 0x18;
const CLK_ADC_CTRL: u32 = 0x4000_8060;
const LINE: usize = 22;

const ONCE: u32 = 1 << 2;
const MANY: u32 = 1 << 3;
const READY: u32 = 1 << 8;
/// Cycles of a conversion, as clk_adc is the ring oscillator's, like the system's clock.
const CONVERSION: u64 = 96;

/// The converter on, with a volt at GPIO26, two at GPIO27, three at GPIO28.
fn on() -> Bench {
    let mut bench = part();
    bench.write(CLK_ADC_CTRL, 2 << 5 | 1 << 11);
    for (number, microvolts) in [(26, 1_000_000), (27, 2_000_000), (28, 3_000_000)] {
        let voltage = Some(Voltage::Constant(microvolts));
        bench.stimulate(0, Stimulus::Voltage { pin: Pin::gpio(number), voltage });
    }
    bench.pass(1);
    bench.write(CS, 1);
    bench
}

/// The code of a voltage at a reference of 3.3 V.
const fn code(microvolts: u32) -> u32 {
    (microvolts as u64 * 4096 / 3_300_000) as u32
}

#[test]
fn a_conversion_takes_96_periods() {
    let mut bench = on();
    assert_eq!(bench.read(CS), 1 | READY);
    bench.write(CS + SET, ONCE);
    assert_eq!(bench.read(CS), 1);
    bench.pass(CONVERSION - 1);
    assert_eq!([bench.read(CS), bench.read(RESULT)], [1, 0]);
    bench.pass(1);
    assert_eq!([bench.read(CS), bench.read(RESULT)], [1 | READY, code(1_000_000)]);
    bench.write(CS, 1 | ONCE | 1 << 12);
    bench.pass(CONVERSION);
    assert_eq!(bench.read(RESULT), code(2_000_000));
    assert!(gaps(&bench, GapKind::Setting, "ADC").is_empty());
}

#[test]
fn inputs_take_turns_and_fill_the_fifo() {
    let mut bench = on();
    bench.write(FCS, 1 | 3 << 24);
    bench.write(INTE, 1);
    let begun = bench.now;
    bench.write(CS, 1 | MANY | 1 << 12 | 7 << 16);
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 3 * CONVERSION));
    assert_eq!(bench.read(FCS), 1 | 3 << 24 | 3 << 16);
    assert_eq!([0; 3].map(|_: u8| bench.read(FIFO)), [2, 3, 1].map(|volts| code(volts * 1_000_000)));
    assert_eq!([bench.read(FCS) & 1 << 8, bench.read(INTR)], [1 << 8, 0]);
    // Five more: the fifth is lost.
    bench.pass(5 * CONVERSION);
    assert_eq!(bench.read(FCS), 1 | 3 << 24 | 4 << 16 | 1 << 11 | 1 << 9);
    bench.write(CS, 1);
    bench.pass(CONVERSION);
    let taken = [0; 5].map(|_: u8| bench.read(FIFO));
    assert_eq!(taken[4], taken[3]);
    assert_eq!(bench.read(FCS) & 3 << 10, 3 << 10, "and one is missing");
    bench.write(FCS + SET, 3 << 10);
    assert_eq!(bench.read(FCS) & 3 << 10, 0);
    // Bytes.
    bench.write(FCS, 3);
    bench.write(CS, 1 | ONCE);
    bench.pass(CONVERSION);
    assert_eq!(bench.read(FIFO), code(1_000_000) >> 4);
}

#[test]
fn a_divider_paces_conversions_with_its_fraction() {
    let mut bench = on();
    bench.write(FCS, 1 | 1 << 24);
    bench.write(INTE, 1);
    // 1 + 199 + 128/256 periods.
    bench.write(DIV, 199 << 8 | 128);
    let begun = bench.now;
    bench.write(CS, 1 | MANY);
    let ends: Vec<u64> = (0..4)
        .map(|_| {
            let end = bench.until_line(LINE, 10_000).unwrap();
            bench.read(FIFO);
            end - begun - CONVERSION
        })
        .collect();
    assert_eq!(ends, [0, 201, 401, 602]);
    // Faster than it converts is as fast as it can.
    bench.write(CS, 1);
    bench.pass(1_000);
    bench.read(FIFO);
    bench.write(DIV, 10 << 8);
    let begun = bench.now;
    bench.write(CS, 1 | MANY);
    for count in 1..4 {
        assert_eq!(bench.until_line(LINE, 10_000), Some(begun + count * CONVERSION));
        bench.read(FIFO);
    }
}

#[test]
fn the_sensor_has_the_die_s_temperature() {
    let mut bench = on();
    let read = |bench: &mut Bench, cs: u32| {
        bench.write(CS, 1 | ONCE | cs);
        bench.pass(CONVERSION);
        bench.read(RESULT)
    };
    // 25 degrees: 0.706 V and two steps of 1.721 mV.
    assert_eq!(read(&mut bench, 2 | 4 << 12), code(706_000 + 2 * 1_721));
    bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "temperature".into(), value: "67".into() });
    bench.pass(1);
    assert_eq!(read(&mut bench, 2 | 4 << 12), code(706_000 - 40 * 1_721));
    assert_eq!([read(&mut bench, 4 << 12), read(&mut bench, 5 << 12), read(&mut bench, 3 << 12)], [0; 3]);
    let named = gaps(&bench, GapKind::Setting, "ADC");
    assert_eq!(
        named[..2],
        ["ADC: the temperature sensor is off, and reads 0 V", "ADC: there is no input 5, which reads 0 V"]
    );
    assert!(named[2].starts_with("ADC: nothing drives ") && named.len() == 3, "{named:?}");
    bench.write(CLK_ADC_CTRL, 0);
    bench.write(CS, 1 | ONCE);
    assert_eq!(gaps(&bench, GapKind::Setting, "ADC").len(), 4);
}
