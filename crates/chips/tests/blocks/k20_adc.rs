//! MK20DX256: the converters (K20P64M72SF1RM, "Analog-to-Digital Converter").

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::{GapKind, Pin, Voltage};

use crate::bench::Bench;
use crate::k20_clocks::fast;

const SCGC6: u32 = 0x4004_803C;
const ADC0: u32 = 0x4003_B000;
const SC1A: u32 = ADC0;
const CFG1: u32 = ADC0 + 0x08;
const CFG2: u32 = ADC0 + 0x0C;
const RA: u32 = ADC0 + 0x10;
const CV1: u32 = ADC0 + 0x18;
const CV2: u32 = ADC0 + 0x1C;
const SC2: u32 = ADC0 + 0x20;
const SC3: u32 = ADC0 + 0x24;
const LINE: usize = 57;
/// Core cycles in one of the bus clock.
const BUS: u64 = 2;

fn bench() -> Bench {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(SCGC6, 0x4000_0001 | 1 << 23 | 1 << 27);
    bench
}

fn apply(bench: &mut Bench, port: u8, number: u8, voltage: i32) {
    let voltage = Some(Voltage::Constant(voltage));
    bench.stimulate(0, Stimulus::Voltage { pin: Pin { port, number }, voltage });
    bench.pass(1);
}

/// Starts a conversion of `channel` with an interrupt; the cycles that it takes, and its result.
fn convert(bench: &mut Bench, channel: u32) -> (u64, u32) {
    let begun = bench.now;
    bench.write(SC1A, 1 << 6 | channel);
    let end = bench.until_line(LINE, 1_000_000).expect("it ends");
    let result = bench.read(RA);
    assert!(!bench.bus.shared.interrupts.is_high(LINE), "a read of RA clears COCO");
    (end - begun, result)
}

#[test]
fn a_conversion_takes_the_sum_of_the_table_s_terms() {
    // ADIV, MODE, ADLSMP, ADLSTS, ADHSC, samples; from SFCAdder + count × (BCT + LSTAdder + HSCAdder).
    for (cfg1, cfg2, sc3, adck, bus) in [
        (0x00, 0, 0, 5 + 17, 5),
        (0x04, 0, 0, 5 + 20, 5),
        (0x08, 4, 0, 5 + 20 + 2, 5),
        (0x0C, 0, 0, 5 + 25, 5),
        (0x1C, 0, 0, 3 + 25 + 20, 5),
        (0x1C, 3, 0, 3 + 25 + 2, 5),
        (0x0C, 0, 4, 5 + 4 * 25, 5),
        (0x14, 1, 7, 3 + 32 * (20 + 12), 5),
    ] {
        for divider in 0..4 {
            let mut bench = bench();
            apply(&mut bench, 2, 0, 1_650_000);
            bench.write(CFG1, cfg1 | divider << 5);
            bench.write(CFG2, cfg2);
            bench.write(SC3, sc3);
            let (took, result) = convert(&mut bench, 14);
            assert_eq!(took, BUS * ((adck << divider) + bus), "{cfg1:#x} {cfg2:#x} {sc3:#x} / {divider}");
            let bits = [8, 12, 10, 16][(cfg1 >> 2 & 3) as usize];
            assert_eq!(result, 1 << (bits - 1));
            assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
        }
    }
}

#[test]
fn channels_have_their_pins_and_inner_sources() {
    let mut bench = bench();
    bench.write(CFG1, 0x04);
    apply(&mut bench, 2, 2, 825_000);
    bench.write(CFG2, 1 << 4);
    assert_eq!(convert(&mut bench, 4).1, 1024, "ADC0_SE4b is PTC2");
    for (channel, result) in [(29, 4095), (30, 0), (27, 1241), (26, 892)] {
        assert_eq!(convert(&mut bench, channel).1, result, "channel {channel}");
    }
    assert!(bench.gaps(GapKind::Setting).is_empty());
    convert(&mut bench, 8);
    bench.write(CFG2, 0);
    convert(&mut bench, 4);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC0: no stimulus puts a voltage on PB0, taken as 0 V", "ADC0: no pin of a port has channel 4, taken as 0 V"]
    );
}

#[test]
fn an_average_is_over_its_samples() {
    let mut bench = bench();
    // 16 bits, four samples of 25 periods of the bus clock each: 50 core cycles.
    bench.write(CFG1, 0x0C);
    bench.write(SC3, 4);
    apply(&mut bench, 2, 0, 0);
    // The third and the fourth sample see 3.3 V: 65535.
    let first = BUS * (5 + 5 + 4);
    let change = bench.now + first + 75;
    let voltage = Some(Voltage::Constant(3_300_000));
    bench.stimulate(change - bench.now, Stimulus::Voltage { pin: Pin { port: 2, number: 0 }, voltage });
    assert_eq!(convert(&mut bench, 14).1, 65535 / 2);
}

#[test]
fn comparing_lets_only_some_results_pass() {
    for (sc2, low, high, passes) in [
        (0x20, 2000, 0, [true, true, false]),
        (0x30, 2000, 0, [false, false, true]),
        (0x28, 600, 2000, [true, false, true]),
        (0x38, 600, 2000, [false, true, false]),
        (0x28, 2000, 600, [false, true, false]),
        (0x38, 2000, 600, [true, false, true]),
    ] {
        for (voltage, passes) in [400_000, 1_000_000, 3_000_000].into_iter().zip(passes) {
            let mut bench = bench();
            bench.write(CFG1, 0x04);
            bench.write(CV1, low);
            bench.write(CV2, high);
            bench.write(SC2, sc2);
            apply(&mut bench, 2, 0, voltage);
            bench.write(SC1A, 14);
            bench.pass(1000);
            assert_eq!(bench.read(SC1A) & 0x80 != 0, passes, "{sc2:#x} {low} {high} {voltage}");
        }
    }
}

#[test]
fn continuous_conversions_go_on_until_they_are_stopped() {
    let mut bench = bench();
    apply(&mut bench, 2, 0, 1_000_000);
    bench.write(SC3, 8);
    let (first, _) = convert(&mut bench, 14);
    let begun = bench.now;
    let second = bench.until_line(LINE, 10_000).unwrap() - begun;
    assert_eq!((first, second), (BUS * 27, BUS * 17));
    assert_eq!(bench.read(SC2) & 0x80, 0x80, "ADACT");
    bench.write(SC1A, 31);
    assert_eq!(bench.read(SC2) & 0x80, 0);
    bench.pass(1000);
    assert_eq!(bench.read(SC1A) & 0x80, 0);
}

#[test]
fn a_calibration_ends_or_fails_when_it_is_disturbed() {
    let mut bench = bench();
    // 12 MHz.
    bench.write(CFG1, 2 << 5 | 0x0C);
    bench.write(SC3, 0x87);
    bench.pass(BUS * (4 * 14_000 + 100) - 1);
    assert_eq!((bench.read(SC3) & 0xC0, bench.read(SC1A) & 0x80), (0x80, 0));
    bench.pass(1);
    assert_eq!((bench.read(SC3) & 0xC0, bench.read(SC1A) & 0x80), (0, 0x80));
    bench.write(SC3, 0x87);
    bench.pass(100);
    bench.write(SC1A, 1);
    assert_eq!(bench.read(SC3) & 0xC0, 0x40, "CALF");
    bench.write(SC3, 0x40);
    assert_eq!(bench.read(SC3) & 0xC0, 0);
}

#[test]
fn pairs_give_signed_results_in_their_own_times() {
    // MODE, bits with the sign, and periods of ADCK of the conversion.
    for (mode, bits, periods) in [(0, 9, 27), (2, 11, 30), (1, 13, 30), (3, 16, 34)] {
        let mut bench = bench();
        bench.write(CFG1, mode << 2);
        let pair = 1 << 5;
        let (took, low) = convert(&mut bench, pair | 29);
        assert_eq!(took, BUS * (5 + periods + 5), "{bits}");
        assert_eq!(low as i16, (-1i32 << (bits - 1)) as i16, "minus the reference, {bits}");
        // The bandgap, one volt.
        let bandgap = i64::from(1u32 << (bits - 1)) * 1_000_000 / 3_300_000;
        assert_eq!(i64::from(convert(&mut bench, pair | 27).1), bandgap, "{bits}");
        // A comparison with a negative limit: below it.
        bench.write(CV1, 0xFFFF);
        bench.write(SC2, 1 << 5);
        bench.write(SC1A, pair | 27);
        bench.pass(1_000);
        assert_eq!(bench.read(SC1A) & 0x80, 0, "{bits}");
        bench.write(SC1A, pair | 29);
        bench.pass(1_000);
        assert_eq!(bench.read(SC1A) & 0x80, 0x80, "{bits}");
        assert!(bench.gaps(GapKind::RegisterWrite).is_empty());
    }
}

#[test]
fn a_write_of_the_second_register_begins_nothing_by_itself() {
    let mut bench = bench();
    bench.write(ADC0 + 4, 29);
    bench.pass(1_000);
    assert_eq!((bench.read(ADC0 + 4), bench.read(SC2) & 0x80), (29, 0));
    bench.write(SC2, 1 << 6);
    bench.write(SC1A, 29);
    bench.pass(1_000);
    assert_eq!((bench.read(SC1A), bench.read(SC2) & 0x80), (29, 0), "ADTRG: not by software");
}
