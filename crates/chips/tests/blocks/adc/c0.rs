//! The converter of STM32C031 (RM0490, "Analog-to-digital converter (ADC)"), at 48 MHz: with CKMODE 1 its clock is 24 MHz, two
//! cycles.

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Voltage};

use super::*;

const ADC: u32 = 0x4001_2400;
const ISR: u32 = ADC;
const IER: u32 = ADC + 0x04;
const CR: u32 = ADC + 0x08;
const CFGR1: u32 = ADC + 0x0C;
const CFGR2: u32 = ADC + 0x10;
const SMPR: u32 = ADC + 0x14;
const AWD1TR: u32 = ADC + 0x20;
const CHSELR: u32 = ADC + 0x28;
const DR: u32 = ADC + 0x40;
const AWD2CR: u32 = ADC + 0xA0;
const CALFACT: u32 = ADC + 0xB4;
const CCR: u32 = 0x4001_2708;
const RCC_CR: u32 = 0x4002_1000;
const RCC_CCIPR: u32 = 0x4002_1054;
const DMA1: u32 = 0x4002_0000;
const DMAMUX: u32 = 0x4002_0800;
const LINE: usize = 12;

const ADRDY: u32 = 1;
const EOSMP: u32 = 2;
const EOC: u32 = 4;
const EOS: u32 = 8;
const OVR: u32 = 16;
const EOCAL: u32 = 1 << 11;
const CCRDY: u32 = 1 << 13;
const ADEN: u32 = 1;
const ADDIS: u32 = 2;
const ADSTART: u32 = 4;
const ADSTP: u32 = 16;
const ADVREGEN: u32 = 1 << 28;
const ADCAL: u32 = 1 << 31;
const CONT: u32 = 1 << 13;
const WAIT: u32 = 1 << 14;
const SYNC: u32 = 1 << 30;

/// From a start to the end of a conversion of 1.5 and 12.5 periods, in half cycles: 6.5 periods of PCLK come before.
const FIRST: u64 = 13 + 2 * ONE;
/// A conversion, in cycles.
const ONE: u64 = 28;

/// The regulator is up, and the channels of PA0 to PA7 have voltages.
fn powered() -> Bench {
    let mut bench = Bench::fast();
    bench.write(CFGR2, SYNC);
    bench.write(CR, ADVREGEN);
    bench.pass(20 * 48);
    steps(&mut bench);
    watch(&mut bench);
    bench
}

fn ready(chselr: u32) -> Bench {
    let mut bench = powered();
    bench.write(CHSELR, chselr);
    bench.write(CR, ADVREGEN | ADEN);
    bench.pass(100);
    bench.write(ISR, u32::MAX);
    bench
}

fn start(bench: &mut Bench) -> u64 {
    bench.write(CR, ADVREGEN | ADEN | ADSTART);
    bench.now
}

fn channels(bench: &mut Bench) -> Vec<u8> {
    conversions(bench).into_iter().map(|(_, _, channel, _)| channel).collect()
}

#[test]
fn it_is_calibrated_and_switched_on_and_off() {
    let mut bench = Bench::fast();
    bench.write(CFGR2, SYNC);
    bench.write(CR, ADCAL);
    assert_eq!(bench.read(CR), 0, "nothing without its regulator");
    bench.write(CR, ADVREGEN);
    bench.pass(20 * 48 - 1);
    assert!(bench.gaps(GapKind::Setting).is_empty());
    bench.pass(1);
    bench.write(CR, ADVREGEN | ADCAL);
    let began = bench.now;
    bench.write(CR, ADVREGEN | ADEN);
    assert_eq!(bench.read(CR), ADVREGEN | ADCAL, "no switching on meanwhile");
    assert_eq!(until(&mut bench, ISR, EOCAL), began + 82 * 2);
    assert_eq!((bench.read(CR), bench.read(CALFACT)), (ADVREGEN, 0));
    bench.write(CR, ADVREGEN | ADEN);
    let began = bench.now;
    assert_eq!(until(&mut bench, ISR, ADRDY), began + 28 * 2);
    bench.write(ISR, ADRDY);
    bench.write(CR, ADVREGEN | ADDIS);
    bench.pass(3);
    assert_eq!(bench.read(CR), ADVREGEN | ADEN | ADDIS);
    bench.pass(1);
    assert_eq!((bench.read(CR), bench.read(ISR)), (ADVREGEN, EOCAL));
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn too_early_uses_are_named() {
    let mut bench = Bench::fast();
    bench.write(CFGR2, 3 << 30);
    bench.write(CR, ADVREGEN);
    bench.write(CR, ADVREGEN | ADEN);
    bench.write(CR, ADVREGEN | ADSTART);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        [
            "ADC1: its clock is faster than 35 MHz",
            "ADC1: used before its regulator is up (tADCVREG_SETUP)",
            "ADC1: a conversion begins before ADRDY",
            "ADC1: a conversion begins, but no channel is selected",
        ]
    );
}

#[test]
fn a_conversion_takes_its_sampling_time_and_half_a_period_more_than_its_bits() {
    for (smp, sampling) in [(0, 3), (1, 7), (2, 15), (3, 25), (4, 39), (5, 79), (6, 159), (7, 321)] {
        for (res, bits) in [(0, 12), (1, 10), (2, 8), (3, 6)] {
            let mut bench = ready(1 << 7);
            // The second sampling time is the channel's.
            bench.write(SMPR, smp << 4 | 1 << 15 | (7 - smp));
            bench.write(CFGR1, res << 3);
            bench.write(IER, EOC);
            let began = start(&mut bench);
            // In half cycles; a core sees it in the next cycle.
            let end = began + (13u64 + 2 * (sampling + 2 * bits + 1)).div_ceil(2);
            assert_eq!(bench.until_line(LINE, 10_000), Some(end), "SMP {smp} RES {res}");
            assert_eq!(bench.read(ISR), EOSMP | EOC | EOS);
            assert_eq!(bench.read(CR) & ADSTART, 0);
            assert_eq!(bench.read(DR), 800 >> (12 - bits));
            assert_eq!(bench.read(ISR), EOSMP | EOS);
        }
    }
}

#[test]
fn latency_and_period_follow_the_clock_mode() {
    // CKMODE, PRESC, ADCSEL; half cycles of latency, half cycles of a period. HSIKER is 48 MHz / 3.
    for (mode, presc, sel, latency, period) in
        [(1, 0, 0, 13u64, 4), (2, 0, 0, 25, 8), (0, 2, 0, 6 * 4, 8), (0, 0, 2, 6 * 3, 6), (0, 11, 0, 6 * 256, 512)]
    {
        let mut bench = powered();
        bench.write(RCC_CR, 0x0000_0540);
        bench.write(RCC_CCIPR, sel << 30);
        bench.write(CFGR2, mode << 30);
        bench.write(CCR, presc << 18);
        bench.write(CHSELR, 1);
        bench.write(CR, ADVREGEN | ADEN);
        until(&mut bench, ISR, ADRDY);
        let began = start(&mut bench);
        let end = began + (latency + 14 * period).div_ceil(2);
        assert_eq!(until(&mut bench, ISR, EOC), end, "CKMODE {mode} PRESC {presc} ADCSEL {sel}");
    }
}

#[test]
fn the_end_of_sampling_is_flagged_and_interrupts() {
    let mut bench = ready(1);
    let began = start(&mut bench);
    // 6.5 and 3 cycles.
    bench.pass(9);
    assert_eq!(bench.read(ISR), 0);
    bench.pass(1);
    assert_eq!((bench.now, bench.read(ISR)), (began + 10, EOSMP));
    bench.pass(100);
    bench.write(ISR, u32::MAX);
    bench.write(IER, EOSMP);
    let began = start(&mut bench);
    assert_eq!(bench.until_line(LINE, 100), Some(began + 10));
}

#[test]
fn sequences_are_fixed_or_free() {
    let run = |chselr: u32, cfgr1: u32| {
        let mut bench = powered();
        bench.write(CFGR1, cfgr1);
        bench.pass(10);
        bench.write(ISR, u32::MAX);
        bench.write(CHSELR, chselr);
        let began = bench.now;
        assert_eq!(until(&mut bench, ISR, CCRDY), began + 2);
        bench.write(CR, ADVREGEN | ADEN);
        bench.pass(100);
        let began = start(&mut bench);
        bench.write(IER, EOS);
        let end = bench.until_line(LINE, 10_000).expect("it ends");
        let seen = channels(&mut bench);
        assert_eq!(end, began + (13 + 2 * ONE * seen.len() as u64).div_ceil(2), "one behind the other");
        seen
    };
    assert_eq!(run(1 << 2 | 1 << 7 | 1, 0), [0, 2, 7]);
    assert_eq!(run(1 << 2 | 1 << 7 | 1, 1 << 2), [7, 2, 0]);
    assert_eq!(run(0xFF25_5103, 1 << 21), [3, 0, 1, 5, 5, 2]);
}

#[test]
fn discontinuous_mode_takes_one_at_each_start() {
    let mut bench = ready(0b111);
    bench.write(CFGR1, 1 << 16);
    let mut seen = Vec::new();
    for expected in [EOC, EOC, EOC | EOS, EOC] {
        start(&mut bench);
        bench.pass(100);
        assert_eq!(bench.read(ISR) & (EOC | EOS), expected);
        assert_eq!(bench.read(CR) & ADSTART, 0);
        bench.write(ISR, u32::MAX);
        seen.extend(channels(&mut bench));
    }
    assert_eq!(seen, [0, 1, 2, 0]);
}

#[test]
fn a_ring_of_the_dma_and_a_single_round() {
    for circular in [1, 0] {
        let mut bench = ready(0b111);
        bench.write(DMAMUX, 5);
        bench.write(DMA1 + 0x10, DR);
        bench.write(DMA1 + 0x14, RAM);
        bench.write(DMA1 + 0x0C, 4);
        bench.write(DMA1 + 0x08, 1 << 10 | 1 << 8 | 1 << 7 | circular << 5 | 1);
        bench.write(CFGR1, CONT | circular << 1 | 1);
        start(&mut bench);
        bench.pass(FIRST / 2 + 5 * ONE + 20);
        let ring = [bench.read(RAM), bench.read(RAM + 4)];
        assert_eq!(
            ring,
            if circular == 1 { [200 | 300 << 16, 300 | 100 << 16] } else { [100 | 200 << 16, 300 | 100 << 16] }
        );
        assert_eq!(bench.read(ISR) & OVR, 0);
        let seen = channels(&mut bench).len();
        assert_eq!(seen, if circular == 1 { 6 } else { 4 }, "the end of a single round is the converter's");
        // A stop takes two periods; afterwards all begins anew.
        bench.write(CR, ADVREGEN | ADSTP);
        bench.pass(4);
        assert_eq!(bench.read(CR), ADVREGEN | ADEN);
        bench.pass(1_000);
        assert!(channels(&mut bench).is_empty());
    }
}

#[test]
fn an_overrun_keeps_the_old_result_or_the_new_one() {
    for mode in [0, 1] {
        let mut bench = ready(0b11);
        bench.write(CFGR1, mode << 12);
        bench.write(IER, OVR);
        let began = start(&mut bench);
        assert_eq!(bench.until_line(LINE, 1_000), Some(began + FIRST.div_ceil(2) + ONE));
        assert_eq!(bench.read(DR), if mode == 0 { 100 } else { 200 });
        bench.write(ISR, OVR);
        assert!(!bench.bus.shared.interrupts.is_high(LINE));
    }
}

#[test]
fn a_conversion_waits_until_the_one_before_is_read() {
    let mut bench = ready(0b11);
    bench.write(CFGR1, CONT | WAIT);
    start(&mut bench);
    bench.pass(1_000);
    assert_eq!(channels(&mut bench), [0]);
    assert_eq!(bench.read(DR), 100);
    bench.pass(1_000);
    assert_eq!(channels(&mut bench), [1]);
    bench.write(ISR, EOC);
    bench.pass(1_000);
    assert_eq!(channels(&mut bench), [0]);
    assert_eq!(bench.read(ISR) & OVR, 0);
}

#[test]
fn a_converter_that_switches_itself_off_starts_anew_each_time() {
    let mut bench = ready(1);
    bench.write(CFGR1, 1 << 15);
    let took: Vec<u64> = (0..2)
        .map(|_| {
            let began = start(&mut bench);
            let end = until(&mut bench, ISR, EOC);
            bench.read(DR);
            bench.pass(100);
            end - began
        })
        .collect();
    assert_eq!(took, [FIRST.div_ceil(2), FIRST.div_ceil(2) + 28 * 2]);
}

#[test]
fn results_are_added_up_and_shifted() {
    let mut bench = ready(0b11);
    // Sixteen conversions of each channel, shifted by two.
    bench.write(CFGR2, SYNC | 2 << 5 | 3 << 2 | 1);
    let began = start(&mut bench);
    assert_eq!(until(&mut bench, ISR, EOC), began + (13 + 2 * ONE * 16).div_ceil(2));
    assert_eq!(bench.read(DR), 400);
    assert_eq!(until(&mut bench, ISR, EOC), began + (13 + 2 * ONE * 32).div_ceil(2));
    assert_eq!((bench.read(DR), bench.read(ISR) & EOS), (800, EOS));
    assert_eq!(conversions(&mut bench).len(), 32);
    // Each with a trigger of its own.
    bench.write(CHSELR, 1);
    bench.write(CFGR2, SYNC | 1 << 9 | 1);
    bench.write(CFGR1, 7 << 6 | 1 << 10);
    start(&mut bench);
    bench.write(0x4002_1800, 1 << 11);
    // PA11 is an input.
    bench.write(0x5000_0000, 0xEB3F_FFFF);
    bench.set_pin(0, 0, 11, Some(false));
    bench.pass(10);
    for count in 1..=4 {
        bench.set_pin(0, 0, 11, Some(true));
        bench.pass(100);
        bench.set_pin(0, 0, 11, Some(false));
        bench.pass(10);
        assert_eq!(conversions(&mut bench).len(), 1);
        assert_eq!(bench.read(ISR) & EOC != 0, count % 2 == 0, "{count}");
        if count % 2 == 0 {
            assert_eq!(bench.read(DR), 200);
        }
    }
    assert_ne!(bench.read(CR) & ADSTART, 0, "triggers from outside need no other start");
}

#[test]
fn three_watchdogs_guard_channels() {
    let awd = |cfgr1: u32, masks: [u32; 2], thresholds: u32| {
        let mut bench = ready(0b10);
        bench.write(CFGR1, cfgr1);
        for (place, mask) in (0..).zip(masks) {
            bench.write(AWD2CR + 4 * place, mask);
        }
        for at in [AWD1TR, AWD1TR + 4, AWD1TR + 12] {
            bench.write(at, thresholds);
        }
        start(&mut bench);
        bench.pass(100);
        bench.read(ISR) >> 7 & 7
    };
    assert_eq!(awd(1 << 23, [2, 2], 200 << 16 | 200), 0);
    assert_eq!(awd(1 << 23, [2, 2], 199 << 16), 7);
    assert_eq!(awd(1 << 23, [2, 2], 0xFFF << 16 | 201), 7);
    assert_eq!(awd(0, [1, 2], 199 << 16), 4);
    assert_eq!(awd(1 << 23 | 1 << 22 | 1 << 26, [2, 0], 199 << 16), 3);
    assert_eq!(awd(1 << 23 | 1 << 22 | 2 << 26, [0, 0], 199 << 16), 0);
}

#[test]
fn internal_channels_give_a_sane_temperature_and_supply() {
    let mut bench = ready(0);
    let take = |bench: &mut Bench, channel: u32| {
        bench.write(CHSELR, 1 << channel);
        start(bench);
        bench.pass(100);
        bench.read(DR)
    };
    assert_eq!(take(&mut bench, 9), 0);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC1: an internal channel is converted while its switch in CCR is 0, and reads 0 V"]
    );
    bench.write(CCR, 1 << 22 | 1 << 23);
    assert_eq!([take(&mut bench, 15), take(&mut bench, 16)], [4_095, 0]);
    let factory = bench.read(0x1FFF_7568);
    let reference = take(&mut bench, 10);
    let millivolts = 3_000.0 * f64::from(factory >> 16) / f64::from(reference);
    assert!((millivolts - 3_300.0).abs() < 3.0, "{millivolts}");
    for degrees in [-20, 25, 85] {
        let value = degrees.to_string();
        bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "temperature".into(), value });
        let sensor = take(&mut bench, 9);
        // Both at 3.0 V, 2.53 mV a degree.
        let steps = f64::from(sensor) * 3.3 / 3.0 - f64::from(factory & 0xFFFF);
        let measured = steps * 3_000.0 / 4_096.0 / 2.53 + 30.0;
        assert!((measured - f64::from(degrees)).abs() < 0.6, "{degrees}: {measured}");
    }
}

#[test]
fn a_voltage_that_moves_is_sampled_at_its_time() {
    let mut bench = ready(1);
    bench.write(SMPR, 7);
    // 100 mV a microsecond.
    let over = cyclescope_machine::units::Picoseconds::new(33_000_000);
    apply(&mut bench, 0, Voltage::Ramp { from: 0, to: 3_300_000, over });
    let began = bench.now;
    start(&mut bench);
    until(&mut bench, ISR, EOC);
    // 6.5 and 321 cycles of 48 MHz; conversions of odd half cycles are rounded to nobody's disadvantage.
    let microvolts = 327.5 / 48.0 * 100_000.0;
    let expected = microvolts * 4_096.0 / 3_300_000.0;
    assert!((f64::from(bench.read(DR)) - expected).abs() <= 1.0, "{expected} {began}");
}

#[test]
fn a_trigger_readies_the_converter_anew_for_a_period_where_triggers_are_rare() {
    for (more, cycles) in [(0, 0), (1 << 29, 2)] {
        let mut bench = powered();
        bench.write(CFGR2, SYNC | more);
        bench.write(CHSELR, 3);
        bench.write(CR, ADVREGEN | ADEN);
        bench.pass(100);
        let began = start(&mut bench);
        let first = (2 * began + FIRST).div_ceil(2) + cycles;
        assert_eq!(until(&mut bench, ISR, EOC), first);
        bench.write(ISR, EOC);
        assert_eq!(until(&mut bench, ISR, EOC), first + ONE, "the second has no trigger");
        assert!(bench.gaps(GapKind::RegisterWrite).is_empty());
    }
}
