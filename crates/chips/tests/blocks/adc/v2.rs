//! ADC1 to ADC3 of STM32F446 (RM0390, "Analog-to-digital converter (ADC)"), at 16 MHz: ADCCLK is 8 MHz, two cycles.

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Voltage};

use super::*;
use crate::f446_clocks::enabled;

const ADC: [u32; 3] = [0x4001_2000, 0x4001_2100, 0x4001_2200];
const ADC1: u32 = ADC[0];
const CSR: u32 = 0x4001_2300;
const CCR: u32 = 0x4001_2304;
const CDR: u32 = 0x4001_2308;
const RCC_APB2RSTR: u32 = 0x4002_3824;
/// Stream 0 of DMA2, whose channel 0 is ADC1.
const STREAM: u32 = 0x4002_6410;
const LINE: usize = 18;

const ADON: u32 = 1;
const CONT: u32 = 2;
const DMA: u32 = 1 << 8;
const DDS: u32 = 1 << 9;
const EOCS: u32 = 1 << 10;
const SWSTART: u32 = 1 << 30;
const JSWSTART: u32 = 1 << 22;
const SCAN: u32 = 1 << 8;
const LATENCY: u64 = 2 * 2;
const INJECTED: u64 = 3 * 2;
/// Three periods of sampling, and twelve bits.
const ONE: u64 = 15 * 2;

fn ready() -> Bench {
    let mut bench = enabled();
    switch_on(&mut bench, &ADC, ADON, 3 * 16);
    bench
}

/// A stream that takes `count` results of `width` (0 bytes, 1 halves, 2 words) from `from`.
fn stream(bench: &mut Bench, from: u32, width: u32, count: u32, circular: bool) {
    bench.write(STREAM + 0x08, from);
    bench.write(STREAM + 0x0C, RAM);
    bench.write(STREAM + 0x04, count);
    bench.write(STREAM, width << 11 | width << 13 | 1 << 10 | u32::from(circular) << 8 | 1);
}

#[test]
fn a_conversion_takes_its_sampling_time_and_a_period_a_bit() {
    for (smp, sampling) in [(0, 3), (1, 15), (2, 28), (3, 56), (4, 84), (5, 112), (6, 144), (7, 480)] {
        for (res, bits) in [(0, 12), (1, 10), (2, 8), (3, 6)] {
            let mut bench = ready();
            bench.write(ADC1 + SQR3, 7);
            bench.write(ADC1 + SMPR2, smp << 21);
            bench.write(ADC1 + CR1, res << 24 | 1 << 5);
            let began = start(&mut bench, SWSTART, ADC1);
            let end = began + LATENCY + 2 * (sampling + bits);
            assert_eq!(bench.until_line(LINE, 10_000), Some(end), "SMP {smp} RES {res}");
            assert_eq!(bench.read(CSR), EOC | STRT);
            assert_eq!(bench.read(ADC1 + DR), 800 >> (12 - bits));
            assert_eq!(bench.read(CSR), STRT);
        }
    }
}

#[test]
fn results_of_any_resolution_are_aligned_to_either_side() {
    for (res, left) in [(0, 800 << 4), (1, 200 << 6), (2, 50 << 8), (3, 12 << 2)] {
        let mut bench = ready();
        bench.write(ADC1 + SQR3, 7);
        bench.write(ADC1 + CR1, res << 24);
        bench.write(ADC1 + CR2, ADON | 1 << 11);
        start(&mut bench, SWSTART, ADC1);
        until(&mut bench, ADC1 + SR, EOC);
        assert_eq!(bench.read(ADC1 + DR), left, "RES {res}");
    }
}

#[test]
fn eocs_sets_eoc_after_each_conversion_and_finds_what_nobody_read() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, SCAN | 1 << 26);
    bench.write(ADC1 + SQR1, 2 << 20);
    bench.write(ADC1 + SQR3, 1 << 5 | 2 << 10);
    let began = start(&mut bench, SWSTART, ADC1);
    assert_eq!(until(&mut bench, ADC1 + SR, EOC), began + LATENCY + 3 * ONE, "without it at the end");
    bench.read(ADC1 + DR);
    bench.write(ADC1 + CR2, ADON | EOCS);
    let began = start(&mut bench, SWSTART, ADC1);
    for count in 1..=2 {
        assert_eq!(until(&mut bench, ADC1 + SR, EOC), began + LATENCY + count * ONE);
        assert_eq!(u64::from(bench.read(ADC1 + DR)), 100 * count);
    }
    bench.pass(1_000);
    start(&mut bench, SWSTART, ADC1);
    assert_eq!(bench.until_line(LINE, 10_000), Some(bench.now), "the third result was not read");
    assert_eq!(bench.read(ADC1 + SR), STRT | EOC | OVR);
    assert_eq!(bench.read(ADC1 + DR), 300, "it is kept");
    conversions(&mut bench);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(1_000);
    assert!(conversions(&mut bench).is_empty(), "nothing begins before OVR is cleared");
    bench.write(ADC1 + SR, !OVR);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(LATENCY + ONE);
    assert_eq!(conversions(&mut bench).len(), 1);
}

#[test]
fn the_dma_ends_with_its_last_transfer_or_goes_on() {
    for dds in [0, DDS] {
        let mut bench = ready();
        stream(&mut bench, ADC1 + DR, 1, 4, dds != 0);
        bench.write(ADC1 + CR1, SCAN);
        bench.write(ADC1 + SQR1, 2 << 20);
        bench.write(ADC1 + SQR3, 3 | 1 << 5 | 2 << 10);
        bench.write(ADC1 + CR2, ADON | CONT | DMA | dds);
        start(&mut bench, SWSTART, ADC1);
        bench.pass(LATENCY + 5 * ONE + 20);
        let ring = [bench.read(RAM), bench.read(RAM + 4)];
        let first = if dds == 0 { 400 } else { 200 };
        assert_eq!(ring, [first | 200 << 16, 300 | 400 << 16]);
        bench.pass(10 * ONE);
        assert_eq!(bench.read(ADC1 + SR) & OVR, 0);
        assert_eq!([bench.read(STREAM) & 1, bench.read(STREAM + 4)], if dds == 0 { [0, 0] } else { [1, 1] });
        assert_eq!(conversions(&mut bench).len(), 15, "conversions go on");
    }
}

#[test]
fn without_dma_room_a_result_is_an_overrun() {
    let mut bench = ready();
    bench.write(ADC1 + CR2, ADON | CONT | DMA | DDS);
    bench.write(ADC1 + CR1, 1 << 26);
    let began = start(&mut bench, SWSTART, ADC1);
    assert_eq!(bench.until_line(LINE, 10_000), Some(began + LATENCY + 2 * ONE));
    bench.pass(1_000);
    assert_eq!(conversions(&mut bench).len(), 2, "conversions end");
}

#[test]
fn internal_channels_are_those_of_the_first_converter() {
    let mut bench = ready();
    let take = |bench: &mut Bench, channel: u32| {
        bench.write(ADC1 + SQR3, channel);
        start(bench, SWSTART, ADC1);
        bench.pass(200);
        bench.read(ADC1 + DR)
    };
    assert_eq!(take(&mut bench, 18), 0);
    bench.write(CCR, 1 << 23);
    let (sensor, reference) = (take(&mut bench, 18), take(&mut bench, 17));
    assert_eq!((sensor, reference), (943, 1_502));
    // As HALs compute it, with the words of the factory: TS_CAL1 at 30 and TS_CAL2 at 110 degrees, VREFIN_CAL at 3.3 V.
    let [reference_word, sensor_word] = [0x1FFF_7A28, 0x1FFF_7A2C].map(|at| bench.read(at));
    let (at_30, at_110) = (sensor_word & 0xFFFF, sensor_word >> 16);
    let degrees = 80.0 / f64::from(at_110 - at_30) * (f64::from(sensor) - f64::from(at_30)) + 30.0;
    assert!((degrees - 25.0).abs() < 0.5, "{degrees}");
    assert_eq!(3_300 * (reference_word >> 16) / reference, 3_300, "millivolts of the supply");
    bench.write(CCR, 3 << 22);
    bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "vbat".into(), value: "3.0".into() });
    assert_eq!(take(&mut bench, 18), 931, "a quarter of the battery's");
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC1: an internal channel is converted while CCR.TSVREFE and VBATE are 0, and reads 0 V"]
    );
}

#[test]
fn one_bit_resets_all_converters() {
    let mut bench = ready();
    bench.write(CCR, 6 | 3 << 16);
    bench.write(RCC_APB2RSTR, 1 << 8);
    assert_eq!(bench.read(CCR), 0);
    for adc in ADC {
        assert_eq!([bench.read(adc + CR2), bench.read(adc + HTR), bench.read(adc + SR)], [0, 0xFFF, 0]);
    }
}

/// Converters with channels 0, 1 and 2, and injected ones 1, 2 and 3, in a mode.
fn together(ccr: u32, cr2: u32) -> Bench {
    let mut bench = ready();
    bench.write(CCR, ccr);
    for (adc, channel) in ADC.into_iter().zip(0..) {
        bench.write(adc + SQR3, channel);
        bench.write(adc + JSQR, (channel + 1) << 15);
        bench.write(adc + CR2, ADON | cr2);
    }
    bench
}

fn relative(bench: &mut Bench, began: u64) -> Vec<(u64, &'static str, u8)> {
    conversions(bench).into_iter().map(|(at, name, channel, _)| (at - began, name, channel)).collect()
}

#[test]
fn two_or_three_converters_run_at_the_same_time() {
    let mut bench = together(6, 0);
    let began = start(&mut bench, SWSTART, ADC1) + LATENCY + ONE;
    bench.pass(200);
    assert_eq!(relative(&mut bench, began), [(0, "ADC1", 0), (0, "ADC2", 1)]);
    assert_eq!(bench.read(CSR), (STRT | EOC) * 0x101);
    assert_eq!(bench.read(CDR), 100 | 200 << 16);
    let mut bench = together(0x15, 0);
    bench.write(ADC1 + CR2, ADON | JSWSTART);
    let began = bench.now + INJECTED + ONE;
    bench.pass(200);
    assert_eq!(relative(&mut bench, began), [(0, "ADC1", 1), (0, "ADC2", 2), (0, "ADC3", 3)]);
    assert_eq!(bench.read(CSR), (JSTRT | JEOC) * 0x1_0101);
    assert_eq!(ADC.map(|adc| bench.read(adc + JDR1)), [200, 300, 400]);
    let mut bench = together(0x19, 0);
    for expected in ["ADC1", "ADC2", "ADC3", "ADC1"] {
        bench.write(ADC1 + CR2, ADON | JSWSTART);
        bench.pass(200);
        assert_eq!(relative(&mut bench, 0).into_iter().map(|(_, name, _)| name).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn interleaved_converters_begin_one_after_the_other() {
    for (delay, apart) in [(0, 5), (9, 14), (15, 20)] {
        let mut bench = together(0x17 | delay << 8, 0);
        let began = start(&mut bench, SWSTART, ADC1) + LATENCY + ONE;
        bench.pass(300);
        let turns = [(0, "ADC1", 0), (2 * apart, "ADC2", 1), (4 * apart, "ADC3", 2)];
        assert_eq!(relative(&mut bench, began), turns);
    }
    // Nobody begins while another one samples: two periods behind its end.
    let mut bench = together(7, 0);
    bench.write(ADC1 + SMPR2, 1);
    let began = start(&mut bench, SWSTART, ADC1) + LATENCY;
    bench.pass(300);
    assert_eq!(relative(&mut bench, began), [(2 * (15 + 12), "ADC1", 0), (2 * (17 + 15), "ADC2", 1)]);
}

#[test]
fn the_dma_takes_the_results_of_converters_in_three_ways() {
    // Three converters by halves of a word, or in turns by two halves; two of them by two halves or two bytes.
    for (ccr, width, words) in [
        (0x16 | 1 << 14, 1, vec![100 | 200 << 16, 300 | 100 << 16, 200 | 300 << 16]),
        (0x17 | 2 << 14, 2, vec![100 | 200 << 16, 300 | 100 << 16, 200 | 300 << 16]),
        (0x06 | 2 << 14, 2, vec![100 | 200 << 16, 100 | 200 << 16]),
        (0x06 | 3 << 14, 1, vec![0x0C06_0C06, 0x0C06_0C06]),
    ] {
        let mut bench = together(ccr | 1 << 13, 0);
        if ccr >> 14 == 3 {
            // Eight bits: 6.25 and a little less than 12.5.
            for adc in ADC {
                bench.write(adc + CR1, 2 << 24);
            }
        }
        stream(&mut bench, CDR, width, 100, true);
        for adc in ADC {
            bench.write(adc + CR2, ADON | CONT);
        }
        start(&mut bench, SWSTART, ADC1);
        bench.pass(LATENCY + 8 * ONE);
        let taken: Vec<u32> = (0..words.len() as u32).map(|word| bench.read(RAM + 4 * word)).collect();
        assert_eq!(taken, words, "{ccr:#x}");
        assert_eq!(bench.read(CSR) & (OVR * 0x1_0101), 0);
    }
}

#[test]
fn a_common_result_that_nobody_takes_is_an_overrun_of_all() {
    let mut bench = together(6 | 1 << 14, CONT);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(LATENCY + 3 * ONE);
    assert_eq!(bench.read(CSR) & (OVR * 0x1_0101), OVR * 0x101);
    conversions(&mut bench);
    bench.pass(1_000);
    assert!(conversions(&mut bench).is_empty());
}

#[test]
fn both_edges_of_a_trigger_may_count() {
    for (exten, expected) in [(1, 1), (2, 1), (3, 2)] {
        let mut bench = ready();
        bench.write(ADC1 + CR2, ADON | 15 << 24 | exten << 28);
        bench.write(0x4001_3C08, 1 << 11);
        bench.set_pin(0, 0, 11, Some(false));
        bench.pass(10);
        bench.set_pin(1, 0, 11, Some(true));
        bench.pass(300);
        // EXTI's pulse rises and falls at once: its second edge finds the converter busy.
        assert_eq!(conversions(&mut bench).len(), expected.min(1));
    }
    let mut bench = ready();
    apply(&mut bench, 0, Voltage::Constant(0));
    bench.write(CCR, 13);
    assert_eq!(bench.gaps(GapKind::Setting), ["ADC_CCR.MULTI=13 is reserved"]);
}
