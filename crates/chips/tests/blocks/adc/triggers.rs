//! Timers start conversions: by their trigger output or a channel.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;

use super::*;

const TIM_CR1: u32 = 0x00;
const TIM_CR2: u32 = 0x04;
const TIM_CCMR1: u32 = 0x18;
const TIM_CCER: u32 = 0x20;
const TIM_PSC: u32 = 0x28;
const TIM_ARR: u32 = 0x2C;
const TIM_CCR1: u32 = 0x34;

/// Registers with what is written to them.
type Writes = &'static [(u32, u32)];

/// A timer of 1,000 periods of its clock with update events at its trigger output.
fn by_updates(bench: &mut Bench, timer: u32) -> u64 {
    bench.write(timer + TIM_ARR, 999);
    bench.write(timer + TIM_CR2, 2 << 4);
    bench.write(timer + TIM_CR1, 1);
    bench.now
}

#[test]
fn updates_of_a_timer_start_conversions_at_their_distance() {
    // ADC1 of an F103 by TIM3, of an F446 by TIM2, of a C031 by TIM3, each at the clock of its reset.
    let parts: [(&str, u32, Writes); 3] = [
        (
            "stm32f103c8",
            0x4000_0400,
            &[(0x4002_1018, u32::MAX), (0x4002_101C, u32::MAX), (0x4001_2408, 1 | 4 << 17 | 1 << 20)],
        ),
        (
            "stm32f446ze",
            0x4000_0000,
            &[(0x4002_3844, u32::MAX), (0x4002_3840, u32::MAX), (0x4001_2008, 1 | 6 << 24 | 1 << 28)],
        ),
        (
            "stm32c031c6",
            0x4000_0400,
            &[
                (0x4002_1040, u32::MAX),
                (0x4002_103C, u32::MAX),
                (0x4001_2408, 1 << 28),
                (0x4001_2410, 3 << 30),
                (0x4001_2408, 1 << 28 | 1),
                (0x4001_2428, 1),
                (0x4001_240C, 3 << 6 | 1 << 10 | 1 << 12),
                (0x4001_2408, 1 << 28 | 5),
            ],
        ),
    ];
    for (part, timer, writes) in parts {
        let mut bench = Bench::of(part, MemorySetting::Equal);
        steps(&mut bench);
        watch(&mut bench);
        for (register, value) in writes {
            bench.write(*register, *value);
            bench.pass(500);
        }
        let began = by_updates(&mut bench, timer);
        bench.pass(5_600);
        let seen = conversions(&mut bench);
        assert_eq!(seen.len(), 5, "{part}: {seen:?}");
        assert!(seen[0].0 > began + 1_000 && seen[0].0 < began + 1_100, "{part}: {seen:?}");
        assert!(seen.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1_000), "{part}: {seen:?}");
        // A timer that stops starts nothing.
        bench.write(timer + TIM_CR1, 0);
        bench.pass(5_000);
        assert!(conversions(&mut bench).is_empty());
        assert!(bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bench.gaps(GapKind::RegisterWrite));
    }
}

#[test]
fn a_channel_of_a_timer_is_the_trigger_of_an_injected_group() {
    let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
    steps(&mut bench);
    watch(&mut bench);
    const TIM2: u32 = 0x4000_0000;
    for (register, value) in [
        (0x4002_1018, u32::MAX),
        (0x4002_101C, u32::MAX),
        // JEXTSEL 3 is channel 1 of TIM2.
        (0x4001_2400 + CR2, 1 | 3 << 12 | 1 << 15),
        (0x4001_2400 + JSQR, 5 << 15),
        // PWM mode 2: high from the compare value on.
        (TIM2 + TIM_PSC, 0),
        (TIM2 + TIM_ARR, 999),
        (TIM2 + TIM_CCMR1, 7 << 4),
        (TIM2 + TIM_CCR1, 400),
        (TIM2 + TIM_CCER, 1),
    ] {
        bench.write(register, value);
    }
    // With its compare value at 0 the output was high at once.
    bench.pass(100);
    conversions(&mut bench);
    bench.write(TIM2 + TIM_CR1, 1);
    let began = bench.now;
    bench.pass(2_600);
    let seen: Vec<_> = conversions(&mut bench).into_iter().map(|(at, _, channel, _)| (at - began, channel)).collect();
    // The counter starts a period late; a period of PCLK2, three of ADCCLK, and fourteen.
    let first = 1 + 400 + 1 + 3 * 2 + 28;
    assert_eq!(seen, [(first, 5), (first + 1_000, 5), (first + 2_000, 5)]);
    assert_eq!(bench.read(0x4001_2400 + SR), JSTRT | JEOC | EOC);
}

#[test]
fn a_timer_and_the_dma_make_a_wave_that_the_converter_reads() {
    let mut bench = crate::f446_clocks::enabled();
    const TIM6: u32 = 0x4000_1000;
    const DAC: u32 = 0x4000_7400;
    let table = [100, 2_000, 4_000, 300];
    for (place, value) in (0..).zip(table) {
        bench.write(RAM + 4 * place, value);
    }
    let stream = 0x4002_6010 + 0x18 * 5;
    bench.write(stream + 8, DAC + 8);
    bench.write(stream + 12, RAM);
    bench.write(stream + 4, 4);
    bench.write(stream, 7 << 25 | 2 << 11 | 2 << 13 | 1 << 10 | 1 << 8 | 1 << 6 | 1);
    // EN, BOFF, TEN, TSEL 0, DMAEN.
    bench.write(DAC, 1 | 2 | 4 | 1 << 12);
    bench.write(0x4001_2000 + CR2, 1);
    bench.write(0x4001_2000 + SQR3, 4);
    by_updates(&mut bench, TIM6);
    bench.pass(500);
    let mut seen = Vec::new();
    for _ in 0..9 {
        bench.pass(900);
        bench.write(0x4001_2000 + CR2, 1 | 1 << 30);
        bench.pass(100);
        seen.push(bench.read(0x4001_2000 + DR));
    }
    assert_eq!(seen[..6], [0, 100, 2_000, 4_000, 300, 100]);
    assert_eq!(bench.read(DAC + 0x34), 0, "no underrun");
}
