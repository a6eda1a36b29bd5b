//! The comparators of STM32G071, L476 and G431 (RM0444, RM0351, RM0440, "Comparator (COMP)").

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, Pin};

use super::*;

const CSR: u32 = 0x4001_0200;
const VALUE: u32 = 1 << 30;
const G071: &str = "stm32g071rb";
const L476: &str = "stm32l476rg";
const G431: &str = "stm32g431rb";

fn enabled(part: &str) -> Bench {
    let mut bench = Bench::of(part, MemorySetting::Equal);
    let clocks: &[u32] = if part == G071 { &[0x34, 0x38, 0x3C, 0x40] } else { &[0x48, 0x4C, 0x58, 0x60] };
    for enable in clocks {
        bench.write(0x4002_1000 + enable, if *enable == 0x48 { 0x0000_1107 } else { u32::MAX });
    }
    bench
}

fn voltage(bench: &mut Bench, port: u8, number: u8, voltage: Voltage) {
    bench.stimulate(0, Stimulus::Voltage { pin: Pin { port, number }, voltage: Some(voltage) });
    bench.pass(0);
}

/// By part: the settings of COMP1 for its pin against VREFINT, and against the first channel of DAC1, and the pin.
const CASES: [(&str, u32, u32, (u8, u8)); 3] = [
    (G071, 2 << 8 | 3 << 4, 2 << 8 | 4 << 4, (0, 1)),
    (L476, 3 << 22 | 1 << 7 | 3 << 4, 1 << 7 | 4 << 4, (1, 2)),
    (G431, 3 << 22 | 3 << 4, 5 << 4, (0, 1)),
];

#[test]
fn the_output_follows_a_ramp_across_the_reference() {
    for (part, csr, _, (port, number)) in CASES {
        let mut bench = enabled(part);
        bench.write(CSR, csr | 1);
        // 100 mV a microsecond: 1.212 V after 12.12 of them.
        let crossing = (1_212 * bench.bus.peripherals.clocks().frequency(cyclescope_peripherals::Source::Hclk).get()
            / 1_000_000)
            .div_ceil(100);
        let over = Picoseconds::new(33_000_000);
        voltage(&mut bench, port, number, Voltage::Ramp { from: 0, to: 3_300_000, over });
        bench.pass(crossing - 1);
        assert_eq!(bench.read(CSR), csr | 1, "{part}");
        bench.pass(2);
        assert_eq!(bench.read(CSR), csr | 1 | VALUE, "{part}");
        bench.write(CSR, csr | 1 << 15 | 1);
        assert_eq!(bench.read(CSR) & VALUE, 0, "the other polarity");
        voltage(&mut bench, port, number, Voltage::Constant(1_211_000));
        assert_eq!(bench.read(CSR) & VALUE, VALUE);
        bench.write(CSR, csr | 1 << 15);
        assert_eq!(bench.read(CSR) & VALUE, 0, "off");
        // Quarters of it.
        for (quarters, above) in [(1, 304_000), (2, 607_000), (3, 910_000)] {
            let select = csr & !(3 << 4) | (quarters - 1) << 4 | 1;
            bench.write(CSR, select);
            voltage(&mut bench, port, number, Voltage::Constant(above));
            assert_eq!(bench.read(CSR) & VALUE, VALUE, "{part} {quarters}");
            voltage(&mut bench, port, number, Voltage::Constant(above - 2_000));
            assert_eq!(bench.read(CSR) & VALUE, 0, "{part} {quarters}");
        }
        bench.write(CSR, csr | 1 << 31 | 1);
        bench.write(CSR, 0);
        assert_eq!(bench.read(CSR), csr | 1 << 31 | 1, "locked");
        assert_eq!(bench.gaps(GapKind::Setting).len(), 1, "the pin without a voltage at first");
    }
}

#[test]
fn a_converter_on_the_chip_is_the_threshold() {
    for (part, _, csr, (port, number)) in CASES {
        let mut bench = enabled(part);
        let dac = if part == G431 { 0x5000_0800 } else { 0x4000_7400 };
        voltage(&mut bench, port, number, Voltage::Constant(millivolts(1_000)));
        // No pin, no buffer.
        bench.write(dac + 0x3C, 3);
        bench.write(dac, 1);
        bench.pass(5);
        bench.write(CSR, csr | 1);
        assert_eq!(bench.read(CSR) & VALUE, VALUE, "{part}");
        for (code, high) in [(1_001, false), (999, true), (4_095, false), (0, true)] {
            bench.write(dac + 8, code);
            bench.pass(1);
            assert_eq!(bench.read(CSR) & VALUE != 0, high, "{part} {code}");
        }
        assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    }
}

#[test]
fn the_output_reaches_a_pin() {
    let mut bench = enabled(G071);
    // PA6 is COMP1_OUT, function 7.
    bench.write(0x5000_0000, 0xEBFF_FFFF & !(3 << 12) | 2 << 12);
    bench.write(0x5000_0020, 7 << 24);
    voltage(&mut bench, 0, 1, Voltage::Constant(0));
    bench.write(CSR, 2 << 8 | 3 << 4 | 1);
    bench.edges(0, 6);
    let began = bench.now;
    let over = Picoseconds::new(33_000_000);
    voltage(&mut bench, 0, 1, Voltage::Ramp { from: 0, to: 3_300_000, over });
    bench.pass(500);
    let crossing = (1_212 * bench.bus.peripherals.clocks().frequency(cyclescope_peripherals::Source::Hclk).get()
        / 1_000_000)
        .div_ceil(100);
    assert_eq!(bench.edges(0, 6), [(began + crossing, true)]);
}
