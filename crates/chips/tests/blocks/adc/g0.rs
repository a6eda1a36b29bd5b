//! The converter of STM32G071 (RM0444, "Analog-to-digital converter (ADC)") as far as it is none of STM32C0's, at the clock after
//! reset: with CKMODE 3 its clock is PCLK.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::GapKind;

use super::*;

const ADC: u32 = 0x4001_2400;
const ISR: u32 = ADC;
const CR: u32 = ADC + 0x08;
const CFGR1: u32 = ADC + 0x0C;
const CFGR2: u32 = ADC + 0x10;
const CHSELR: u32 = ADC + 0x28;
const DR: u32 = ADC + 0x40;
const CCR: u32 = ADC + 0x308;
const DMA1: u32 = 0x4002_0000;
const DMAMUX: u32 = 0x4002_0800;
const TIM6: u32 = 0x4000_1000;

const EOC: u32 = 4;
const ADEN: u32 = 1;
const ADSTART: u32 = 4;
const ADVREGEN: u32 = 1 << 28;
const ADCAL: u32 = 1 << 31;
const SYNC: u32 = 3 << 30;

/// A conversion of 1.5 and 12.5 periods.
const ONE: u64 = 14;

fn ready(chselr: u32) -> Bench {
    let mut bench = Bench::of("stm32g071rb", MemorySetting::Equal);
    for enable in [0x34, 0x38, 0x3C, 0x40] {
        bench.write(0x4002_1000 + enable, u32::MAX);
    }
    bench.write(CFGR2, SYNC);
    bench.write(CR, ADVREGEN);
    bench.pass(1_000);
    steps(&mut bench);
    watch(&mut bench);
    bench.write(CR, ADVREGEN | ADCAL);
    let began = bench.now;
    assert_eq!(until(&mut bench, ISR, 1 << 11), began + 82);
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

#[test]
fn a_conversion_takes_its_time_and_the_prescaler_is_the_converters_own() {
    let mut bench = ready(1 << 7);
    let began = start(&mut bench);
    // 3.5 periods of PCLK before it.
    assert_eq!(until(&mut bench, ISR, EOC), began + ONE + 4);
    assert_eq!(bench.read(DR), 800);
    // By 4 (PRESC 2): three periods, and the conversion.
    bench.write(CFGR2, 0);
    bench.write(CCR, 2 << 18);
    assert_eq!(bench.read(CCR), 2 << 18);
    let began = start(&mut bench);
    assert_eq!(until(&mut bench, ISR, EOC), began + 4 * (3 + ONE));
    assert!(bench.gaps(GapKind::Setting).is_empty());
    assert!(bench.gaps(GapKind::RegisterWrite).iter().all(|gap| !gap.starts_with("ADC")));
}

#[test]
fn a_timer_starts_sequences_that_the_dma_takes() {
    let mut bench = ready(0b101);
    bench.write(DMAMUX, 5);
    bench.write(DMA1 + 0x10, DR);
    bench.write(DMA1 + 0x14, RAM);
    bench.write(DMA1 + 0x0C, 4);
    bench.write(DMA1 + 0x08, 1 << 10 | 1 << 8 | 1 << 7 | 1 << 5 | 1);
    // TIM6_TRGO.
    bench.write(CFGR1, 1 << 10 | 5 << 6 | 2 | 1);
    start(&mut bench);
    bench.write(TIM6 + 4, 2 << 4);
    bench.write(TIM6 + 0x2C, 99);
    bench.write(TIM6, 1);
    bench.pass(450);
    let seen = conversions(&mut bench);
    assert_eq!(seen.iter().map(|seen| seen.2).collect::<Vec<_>>(), [0, 2, 0, 2, 0, 2, 0, 2]);
    assert!(seen.windows(3).all(|three| three[2].0 - three[0].0 == 100), "{seen:?}");
    assert!(seen.chunks(2).all(|two| two[1].0 - two[0].0 == ONE));
    assert_eq!([bench.read(RAM), bench.read(RAM + 4)], [100 | 300 << 16; 2]);
}

#[test]
fn internal_channels_fit_the_factory_words() {
    let mut bench = ready(0);
    let take = |bench: &mut Bench, channel: u32| {
        bench.write(CHSELR, 1 << channel);
        start(bench);
        bench.pass(100);
        bench.read(DR)
    };
    assert_eq!([12, 13, 14].map(|channel| take(&mut bench, channel)), [0; 3], "their switches are off");
    bench.write(CCR, 7 << 22);
    let (low, high) = (bench.read(0x1FFF_75A8), bench.read(0x1FFF_75C8));
    let millivolts = 3_000.0 * f64::from(low >> 16) / f64::from(take(&mut bench, 13));
    assert!((millivolts - 3_300.0).abs() < 3.0, "{millivolts}");
    for degrees in [-20, 25, 85] {
        let value = degrees.to_string();
        bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "temperature".into(), value });
        let (cold, hot) = (f64::from(low & 0xFFFF), f64::from(high >> 16));
        let measured = 100.0 / (hot - cold) * (f64::from(take(&mut bench, 12)) * 1.1 - cold) + 30.0;
        assert!((measured - f64::from(degrees)).abs() < 1.0, "{degrees}: {measured}");
    }
    assert!(take(&mut bench, 14) > 1_000);
}
