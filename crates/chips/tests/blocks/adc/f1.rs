//! ADC1 and ADC2 of STM32F103 (RM0008, "Analog-to-digital converter (ADC)"), at 8 MHz: ADCCLK is 4 MHz, two cycles.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, Voltage};

use super::*;

const RCC_CFGR: u32 = 0x4002_1004;
const RCC_APB2RSTR: u32 = 0x4002_100C;
const ADC1: u32 = 0x4001_2400;
const ADC2: u32 = 0x4001_2800;
const DMA1: u32 = 0x4002_0000;
const LINE: usize = 18;

const ADON: u32 = 1;
const CONT: u32 = 2;
const DMA: u32 = 1 << 8;
const EXTTRIG: u32 = 1 << 20;
const JEXTTRIG: u32 = 1 << 15;
const JSOFT: u32 = 7 << 12 | JEXTTRIG;
const SOFT: u32 = 7 << 17 | EXTTRIG;
const JSWSTART: u32 = 1 << 21;
const SWSTART: u32 = 1 << 22;
const TSVREFE: u32 = 1 << 23;
const SCAN: u32 = 1 << 8;
const DISCEN: u32 = 1 << 11;
/// A conversion with the shortest sampling time, and the latency before it.
const ONE: u64 = 14 * 2;
const LATENCY: u64 = 2 * 2;
const INJECTED: u64 = 3 * 2;

/// Both converters on and stable, clocks enabled.
fn ready() -> Bench {
    let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
    bench.write(0x4002_1014, u32::MAX);
    bench.write(0x4002_1018, u32::MAX);
    switch_on(&mut bench, &[ADC1, ADC2], ADON | SOFT | JSOFT, 8);
    bench
}

#[test]
fn a_conversion_takes_its_sampling_time_and_twelve_and_a_half_periods() {
    for (smp, halves) in [(0, 3), (1, 15), (2, 27), (3, 57), (4, 83), (5, 111), (6, 143), (7, 479)] {
        let mut bench = ready();
        bench.write(ADC1 + SQR3, 3);
        bench.write(ADC1 + SMPR2, smp << 9);
        bench.write(ADC1 + CR1, 1 << 5);
        let began = start(&mut bench, SWSTART, ADC1);
        assert_eq!(bench.read(ADC1 + SR), STRT);
        assert_eq!(bench.read(ADC1 + CR2) & SWSTART, 0, "falls as the conversion begins");
        // Two half periods of ADCCLK are two cycles.
        let end = began + LATENCY + halves + 25;
        assert_eq!(bench.until_line(LINE, 10_000), Some(end), "SMP {smp}");
        assert_eq!(conversions(&mut bench), [(end, "ADC1", 3, 400)]);
        assert_eq!(bench.read(ADC1 + SR), STRT | EOC);
        assert_eq!(bench.read(ADC1 + DR), 400);
        assert_eq!(bench.read(ADC1 + SR), STRT, "reading DR clears EOC");
        assert!(!bench.bus.shared.interrupts.is_high(LINE));
        assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    }
}

#[test]
fn what_is_sampled_is_the_voltage_at_the_end_of_the_sampling_time() {
    let mut bench = ready();
    // A microvolt a nanosecond: a step of 806 uV lasts more than six cycles.
    apply(&mut bench, 0, Voltage::Ramp { from: 0, to: 3_300_000, over: Picoseconds::new(3_300_000_000) });
    let (ramp, mut before) = (bench.now, 0);
    for smp in [0, 4, 7] {
        bench.write(ADC1 + SMPR2, smp);
        let began = start(&mut bench, SWSTART, ADC1);
        let sampling = [3, 83, 479][before];
        before += 1;
        let sampled = began + LATENCY + sampling - ramp;
        let microvolts = sampled * 125;
        let end = until(&mut bench, ADC1 + SR, EOC);
        assert_eq!(end, began + LATENCY + sampling + 25);
        assert_eq!(u64::from(bench.read(ADC1 + DR)), (microvolts * 4_096 + 1_650_000) / 3_300_000, "SMP {smp}");
    }
    // A voltage that changes during the conversion, after its sampling, is of no account, nor is one that goes.
    let began = start(&mut bench, SWSTART, ADC1);
    bench.pass(LATENCY + 479 + 1);
    apply(&mut bench, 0, Voltage::Constant(0));
    bench.stimulate(1, Stimulus::Voltage { pin: Pin { port: 0, number: 0 }, voltage: None });
    bench.pass(100);
    let microvolts = (began + LATENCY + 479 - ramp) * 125;
    assert_eq!(u64::from(bench.read(ADC1 + DR)), (microvolts * 4_096 + 1_650_000) / 3_300_000);
}

#[test]
fn a_second_write_of_adon_begins_a_conversion_and_falling_edges_end_all() {
    let mut bench = ready();
    bench.write(ADC1 + CR2, ADON);
    bench.pass(100);
    assert!(conversions(&mut bench).is_empty(), "another bit changed");
    bench.write(ADC1 + CR2, ADON);
    assert_eq!(until(&mut bench, ADC1 + SR, EOC), bench.now);
    assert_eq!(conversions(&mut bench).len(), 1);
    bench.write(ADC1 + CR2, ADON | CONT);
    bench.write(ADC1 + CR2, ADON | CONT);
    bench.pass(LATENCY + 3 * ONE);
    assert_eq!(conversions(&mut bench).len(), 3);
    bench.write(ADC1 + CR2, 0);
    bench.pass(1_000);
    assert!(conversions(&mut bench).is_empty());
    // Software starts only what it is the trigger of.
    bench.write(ADC1 + CR2, ADON | EXTTRIG | SWSTART);
    bench.pass(1_000);
    assert!(conversions(&mut bench).is_empty());
    assert_ne!(bench.read(ADC1 + CR2) & SWSTART, 0);
}

#[test]
fn a_scan_fills_a_ring_by_dma() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, SCAN);
    bench.write(ADC1 + SQR1, 2 << 20);
    bench.write(ADC1 + SQR3, 5 | 1 << 5 | 4 << 10);
    bench.write(DMA1 + 0x10, ADC1 + DR);
    bench.write(DMA1 + 0x14, RAM);
    bench.write(DMA1 + 0x0C, 6);
    // Half words, the memory grows, circular.
    bench.write(DMA1 + 0x08, 1 << 10 | 1 << 8 | 1 << 7 | 1 << 5 | 1);
    bench.write(ADC1 + CR2, ADON | SOFT | CONT | DMA);
    let began = start(&mut bench, SWSTART, ADC1);
    bench.pass(LATENCY + 7 * ONE + 20);
    assert_eq!(bench.read(ADC1 + SR), STRT, "the DMA reads the results");
    let ring: Vec<u32> = (0..3).map(|word| bench.read(RAM + 4 * word)).collect();
    assert_eq!(ring, [600 | 200 << 16, 500 | 600 << 16, 200 | 500 << 16]);
    let times: Vec<u64> = conversions(&mut bench).into_iter().map(|(at, ..)| at - began - LATENCY).collect();
    assert_eq!(times, (1..=7).map(|count| count * ONE).collect::<Vec<_>>());
    assert_eq!(bench.read(DMA1 + 0x0C), 5, "the ring goes on");
}

#[test]
fn eoc_comes_with_the_last_conversion_of_a_sequence() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, SCAN);
    bench.write(ADC1 + SQR1, 2 << 20);
    bench.write(ADC1 + SQR3, 1 << 5 | 2 << 10);
    let began = start(&mut bench, SWSTART, ADC1);
    assert_eq!(until(&mut bench, ADC1 + SR, EOC), began + LATENCY + 3 * ONE);
    bench.pass(1_000);
    assert_eq!(conversions(&mut bench).len(), 3, "once");
    // Without SCAN the first channel only.
    bench.write(ADC1 + CR1, 0);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(1_000);
    assert_eq!(conversions(&mut bench).len(), 1);
}

#[test]
fn discontinuous_mode_takes_some_at_each_trigger() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, DISCEN | 2 << 13);
    bench.write(ADC1 + SQR1, 4 << 20);
    bench.write(ADC1 + SQR3, 1 << 5 | 2 << 10 | 3 << 15 | 4 << 20);
    let mut seen = Vec::new();
    for _ in 0..3 {
        start(&mut bench, SWSTART, ADC1);
        bench.pass(1_000);
        seen.push(conversions(&mut bench).into_iter().map(|(_, _, channel, _)| channel).collect::<Vec<_>>());
    }
    assert_eq!(seen, [vec![0, 1, 2], vec![3, 4], vec![0, 1, 2]]);
}

#[test]
fn an_injected_group_interrupts_a_regular_conversion_which_begins_anew() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, SCAN | 1 << 7);
    bench.write(ADC1 + SQR3, 7);
    bench.write(ADC1 + JSQR, 2 << 20 | 1 << 5 | 2 << 10 | 6 << 15);
    bench.write(ADC1 + JOFR1 + 4, 400);
    let began = start(&mut bench, SWSTART, ADC1);
    bench.pass(20);
    let cr2 = bench.read(ADC1 + CR2);
    bench.write(ADC1 + CR2, cr2 | JSWSTART);
    assert_eq!(bench.read(ADC1 + SR), STRT | JSTRT);
    let end = bench.now + INJECTED + 3 * ONE;
    assert_eq!(bench.until_line(LINE, 10_000), Some(end), "JEOC");
    assert_eq!(bench.read(ADC1 + SR), STRT | JSTRT | JEOC | EOC, "EOC means both groups");
    assert_eq!([0, 4, 8].map(|at| bench.read(ADC1 + JDR1 + at)), [200, 0xFFFF - 99, 700]);
    bench.pass(ONE);
    let seen: Vec<_> = conversions(&mut bench).into_iter().map(|(at, _, channel, _)| (at - began, channel)).collect();
    let injected = 20 + INJECTED;
    let expected = [(1, 1), (2, 2), (3, 6), (4, 7)].map(|(count, channel)| (injected + count * ONE, channel));
    assert_eq!(seen, expected);
}

#[test]
fn an_automatic_injected_group_follows_the_regular_one() {
    let mut bench = ready();
    bench.write(ADC1 + CR1, SCAN | 1 << 10);
    bench.write(ADC1 + SQR1, 1 << 20);
    bench.write(ADC1 + SQR3, 2 | 3 << 5);
    bench.write(ADC1 + JSQR, 5 << 15);
    bench.write(ADC1 + CR2, ADON | SOFT | CONT);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(LATENCY + 6 * ONE);
    let channels: Vec<u8> = conversions(&mut bench).into_iter().map(|(_, _, channel, _)| channel).collect();
    assert_eq!(channels, [2, 3, 5, 2, 3, 5]);
}

#[test]
fn results_are_aligned_to_either_side() {
    let mut bench = ready();
    bench.write(ADC1 + CR2, ADON | SOFT | JSOFT | 1 << 11);
    bench.write(ADC1 + JSQR, 1 << 15);
    bench.write(ADC1 + JOFR1, 300);
    start(&mut bench, SWSTART, ADC1);
    until(&mut bench, ADC1 + SR, EOC);
    assert_eq!(bench.read(ADC1 + DR), 100 << 4);
    bench.write(ADC1 + CR2, ADON | SOFT | JSOFT | 1 << 11 | JSWSTART);
    until(&mut bench, ADC1 + SR, JEOC);
    assert_eq!(bench.read(ADC1 + JDR1), (-100i32 << 3) as u32 & 0xFFFF);
}

#[test]
fn the_watchdog_guards_all_channels_or_one() {
    let awd = |cr1: u32, channel: u32, high: u32, low: u32| {
        let mut bench = ready();
        bench.write(ADC1 + CR1, cr1 | 1 << 6);
        bench.write(ADC1 + HTR, high);
        bench.write(ADC1 + LTR, low);
        bench.write(ADC1 + SQR3, channel);
        start(&mut bench, SWSTART, ADC1);
        bench.pass(100);
        assert_eq!(bench.read(ADC1 + SR) & AWD != 0, bench.bus.shared.interrupts.is_high(LINE));
        bench.read(ADC1 + SR) & AWD != 0
    };
    assert!(!awd(1 << 23, 0, 100, 100));
    assert!(awd(1 << 23, 0, 99, 0) && awd(1 << 23, 0, 4_095, 101));
    assert!(!awd(0, 0, 99, 0) && !awd(1 << 22, 0, 99, 0), "not enabled, or for the injected group");
    assert!(awd(1 << 23 | 1 << 9 | 4, 4, 99, 0) && !awd(1 << 23 | 1 << 9 | 4, 3, 99, 0));
}

#[test]
fn calibration_takes_its_time() {
    let mut bench = ready();
    let cr2 = bench.read(ADC1 + CR2);
    bench.write(ADC1 + CR2, cr2 | 1 << 3);
    let began = bench.now;
    while bench.read(ADC1 + CR2) & 1 << 3 != 0 {
        bench.pass(1);
    }
    assert_eq!(bench.now - began, 4 * 2);
    bench.write(ADC1 + CR2, cr2 | 1 << 2);
    bench.write(ADC1 + CR2, cr2);
    let began = bench.now;
    while bench.read(ADC1 + CR2) & 1 << 2 != 0 {
        bench.pass(1);
    }
    assert_eq!((bench.now - began, bench.read(ADC1 + DR)), (83 * 2, 0));
}

#[test]
fn temperature_and_reference_are_channels_of_the_first_converter() {
    let mut bench = ready();
    let take = |bench: &mut Bench, adc: u32, channel: u32| {
        bench.write(adc + SQR3, channel);
        start(bench, SWSTART, adc);
        bench.pass(200);
        bench.read(adc + DR)
    };
    assert_eq!(take(&mut bench, ADC1, 16), 0);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC1: temperature and reference are converted while CR2.TSVREFE is 0, and read 0 V"]
    );
    bench.write(ADC1 + CR2, ADON | SOFT | TSVREFE);
    // 1.43 V at 25 degrees, 4.3 mV less a degree; 1.2 V.
    assert_eq!(take(&mut bench, ADC1, 16), 1_775);
    assert_eq!(take(&mut bench, ADC1, 17), 1_489);
    assert_eq!(take(&mut bench, ADC2, 17), 0, "of the second one it is ground");
    bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "temperature".into(), value: "75.5".into() });
    assert_eq!(take(&mut bench, ADC1, 16), 1_505);
    assert_eq!(bench.gaps(GapKind::Setting).len(), 1);
}

#[test]
fn a_pin_without_a_voltage_is_named_and_levels_are_voltages() {
    let mut bench = ready();
    let take = |bench: &mut Bench, channel: u32| {
        bench.write(ADC1 + SQR3, channel);
        start(bench, SWSTART, ADC1);
        bench.pass(100);
        bench.read(ADC1 + DR)
    };
    assert_eq!(take(&mut bench, 8), 0);
    assert_eq!(take(&mut bench, 8), 0);
    assert_eq!(take(&mut bench, 13), 0);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC1: nothing drives PB0, which reads 0 V", "ADC1: channel 13 is connected to nothing, and reads 0 V"]
    );
    // PB0 and PB1 pushed by the program, PB0 pulled, and by the outside.
    bench.write(0x4001_0C00, 0x4444_4433);
    bench.write(0x4001_0C10, 2);
    assert_eq!([take(&mut bench, 8), take(&mut bench, 9)], [0, 4_095]);
    bench.write(0x4001_0C00, 0x4444_4448);
    bench.write(0x4001_0C10, 1);
    assert_eq!(take(&mut bench, 8), 4_095, "pulled up");
    bench.set_pin(0, 1, 0, Some(false));
    assert_eq!(take(&mut bench, 8), 0);
    assert_eq!(bench.gaps(GapKind::Setting).len(), 2);
}

#[test]
fn a_line_of_exti_is_a_trigger() {
    let mut bench = ready();
    bench.write(ADC1 + CR2, ADON | 6 << 17 | EXTTRIG | 6 << 12 | JEXTTRIG);
    bench.write(0x4001_0408, 1 << 11 | 1 << 15);
    bench.write(ADC1 + JSQR, 2 << 15);
    for number in [11, 15] {
        bench.set_pin(0, 0, number, Some(false));
    }
    bench.pass(10);
    // EXTI takes two edges of PCLK2, the way from outside one, the latency two periods of ADCCLK.
    bench.set_pin(10, 0, 11, Some(true));
    let began = bench.now + 10;
    bench.pass(100);
    assert_eq!(conversions(&mut bench), [(began + 2 + 1 + LATENCY + ONE, "ADC1", 0, 100)]);
    bench.set_pin(10, 0, 15, Some(true));
    let began = bench.now + 10;
    bench.pass(100);
    assert_eq!(conversions(&mut bench), [(began + 2 + 1 + INJECTED + ONE, "ADC1", 2, 300)]);
}

#[test]
fn the_clock_is_a_part_of_the_bus_clock_and_a_conversion_follows_it() {
    let mut bench = ready();
    bench.write(RCC_CFGR, 3 << 14);
    let began = start(&mut bench, SWSTART, ADC1);
    assert_eq!(until(&mut bench, ADC1 + SR, EOC), began + 16 * 8);
    bench.read(ADC1 + DR);
    let began = start(&mut bench, SWSTART, ADC1);
    bench.pass(8 * 8);
    bench.write(RCC_CFGR, 0);
    assert_eq!(until(&mut bench, ADC1 + SR, EOC), began + 8 * 8 + 8 * 2, "half of it is left");
    bench.write(RCC_APB2RSTR, 1 << 9);
    assert_eq!(
        [bench.read(ADC1 + CR2), bench.read(ADC1 + HTR), bench.read(ADC2 + CR2)],
        [0, 0xFFF, ADON | SOFT | JSOFT]
    );
}

#[test]
fn too_fast_a_clock_and_too_early_a_start_are_named() {
    let mut bench = crate::f103_clocks::fast(MemorySetting::Equal);
    steps(&mut bench);
    let cfgr = bench.read(RCC_CFGR);
    bench.write(RCC_CFGR, cfgr | 1 << 14);
    bench.write(ADC1 + CR2, ADON | SOFT);
    start(&mut bench, SWSTART, ADC1);
    bench.pass(200);
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["ADC1: its clock is faster than 14 MHz", "ADC1: a conversion begins before tSTAB after ADON"]
    );
}

/// Both converters in a mode, ADC1 with channel 1 and ADC2 with channel 2.
fn dual(mode: u32, cr2: u32) -> Bench {
    let mut bench = ready();
    bench.write(ADC1 + CR1, mode << 16);
    bench.write(ADC1 + SQR3, 1);
    bench.write(ADC2 + SQR3, 2);
    bench.write(ADC1 + JSQR, 3 << 15);
    bench.write(ADC2 + JSQR, 4 << 15);
    // The same value again would begin a conversion.
    for adc in [ADC1, ADC2].into_iter().filter(|_| cr2 != 0) {
        bench.write(adc + CR2, ADON | SOFT | JSOFT | cr2);
    }
    bench
}

fn relative(bench: &mut Bench, began: u64) -> Vec<(u64, &'static str, u8)> {
    conversions(bench).into_iter().map(|(at, name, channel, _)| (at - began, name, channel)).collect()
}

#[test]
fn regular_groups_run_at_the_same_time() {
    let mut bench = dual(6, 0);
    let began = start(&mut bench, SWSTART, ADC1);
    let end = until(&mut bench, ADC1 + SR, EOC);
    assert_eq!(end, began + LATENCY + ONE);
    assert_eq!(relative(&mut bench, end), [(0, "ADC1", 1), (0, "ADC2", 2)]);
    assert_eq!(bench.read(ADC1 + DR), 200 | 300 << 16);
    bench.write(ADC1 + CR1, 0);
    assert_eq!(bench.read(ADC1 + DR), 200, "each by itself");
}

#[test]
fn interleaved_converters_take_turns() {
    let mut bench = dual(7, CONT);
    let began = start(&mut bench, SWSTART, ADC1) + LATENCY + ONE;
    bench.pass(LATENCY + ONE + 30);
    // Seven periods later; then each goes on by itself.
    let fast = [(0, "ADC2", 2), (14, "ADC1", 1), (28, "ADC2", 2)];
    assert_eq!(relative(&mut bench, began), fast);
    let mut bench = dual(8, 0);
    let began = start(&mut bench, SWSTART, ADC1) + LATENCY + ONE;
    bench.pass(LATENCY + ONE + 100);
    let slow = [(0, "ADC2", 2), (28, "ADC1", 1), (56, "ADC2", 2), (84, "ADC1", 1)];
    assert_eq!(relative(&mut bench, began), slow);
    bench.write(ADC1 + CR2, 0);
    bench.write(ADC2 + CR2, 0);
    bench.pass(1_000);
    assert!(conversions(&mut bench).is_empty());
}

#[test]
fn injected_groups_run_at_the_same_time_or_in_turns() {
    let inject = |bench: &mut Bench| {
        let cr2 = bench.read(ADC1 + CR2);
        bench.write(ADC1 + CR2, cr2 | JSWSTART);
        let began = bench.now + INJECTED + ONE;
        bench.pass(200);
        relative(bench, began)
    };
    let mut bench = dual(5, 0);
    assert_eq!(inject(&mut bench), [(0, "ADC1", 3), (0, "ADC2", 4)]);
    let mut bench = dual(9, 0);
    assert_eq!(inject(&mut bench), [(0, "ADC1", 3)]);
    assert_eq!(inject(&mut bench), [(0, "ADC2", 4)]);
    assert_eq!(inject(&mut bench), [(0, "ADC1", 3)]);
    // Simultaneous regular and injected groups together.
    let mut bench = dual(1, 0);
    let began = start(&mut bench, SWSTART, ADC1);
    bench.pass(10);
    assert_eq!(inject(&mut bench), [(0, "ADC1", 3), (0, "ADC2", 4), (ONE, "ADC1", 1), (ONE, "ADC2", 2)]);
    assert!(began > 0);
    bench.write(ADC1 + CR1, 12 << 16);
    assert_eq!(bench.gaps(GapKind::Setting), ["ADC1_CR1.DUALMOD=12 is reserved"]);
}

#[test]
fn two_converters_hold_one_interrupt_line() {
    let mut bench = ready();
    for adc in [ADC1, ADC2] {
        bench.write(adc + CR1, 1 << 5);
        start(&mut bench, SWSTART, adc);
    }
    bench.pass(100);
    bench.read(ADC1 + DR);
    assert!(bench.bus.shared.interrupts.is_high(LINE), "ADC2 still holds it");
    bench.read(ADC2 + DR);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
}
