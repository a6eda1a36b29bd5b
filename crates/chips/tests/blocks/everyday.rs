//! Serial ports, SPI, DMA and timers of STM32G4 and L4, where they differ from STM32C0's (RM0440, RM0351).

use cyclescope_machine::{GapKind, Width};

use crate::exti_lines::ready;

const RAM: u32 = 0x2000_0100;

#[test]
fn a_port_without_fifos_sends_and_the_low_power_one_divides_by_256() {
    const LPUART1: u32 = 0x4000_8000;
    const USART2: u32 = 0x4000_4400;
    for (base, uart, brr, bit) in
        [(USART2, 2, 100, 100), (LPUART1, 1, 256 * 100, 100), (LPUART1, 1, 256 * 1000, 1000), (LPUART1, 1, 0x300, 3)]
    {
        let mut bench = ready("stm32l476rg");
        bench.write(base + 0x0C, brr);
        assert_eq!(bench.read(base + 0x0C), brr);
        bench.write(base, 1 | 8);
        // The idle frame of TE.
        bench.pass(10 * bit);
        bench.write(base + 0x28, u32::from(b'x'));
        bench.pass(10 * bit - 1);
        assert_eq!(bench.read(base + 0x1C) & 1 << 6, 0, "on its way: BRR {brr:#x}");
        bench.pass(1);
        assert_eq!(bench.read(base + 0x1C) & 1 << 6, 1 << 6, "TC: BRR {brr:#x}");
        assert_eq!(bench.uart(uart), b"x");
    }
}

#[test]
fn a_register_of_l4s_dma_chooses_a_channels_request() {
    const DMA1: u32 = 0x4002_0000;
    const USART2: u32 = 0x4000_4400;
    // USART2_TX is request 2 of channel 7 (RM0351, "DMA1 requests for each channel").
    for (selected, expected) in [(2, &b"hello"[..]), (1, b""), (0, b"")] {
        let mut bench = ready("stm32l476rg");
        for (index, byte) in b"hello".iter().enumerate() {
            bench.try_write(RAM + index as u32, Width::Byte, u32::from(*byte)).unwrap();
        }
        bench.write(DMA1 + 0xA8, selected << 24);
        bench.write(USART2 + 0x0C, 100);
        bench.write(USART2 + 0x08, 1 << 7);
        let channel = DMA1 + 0x08 + 0x14 * 6;
        bench.write(channel + 4, 5);
        bench.write(channel + 8, USART2 + 0x28);
        bench.write(channel + 12, RAM);
        bench.write(channel, 1 << 7 | 1 << 4 | 2 | 1);
        bench.write(USART2, 1 | 8);
        bench.pass(20_000);
        assert_eq!(bench.uart(2), expected, "CS7 {selected}");
        assert_eq!(bench.bus.shared.interrupts.is_high(17), !expected.is_empty());
    }
}

#[test]
fn an_spi_without_i2s_exchanges_a_byte_in_sixteen_cycles() {
    const SPI1: u32 = 0x4001_3000;
    let mut bench = ready("stm32l476rg");
    bench.write(SPI1 + 0x04, 7 << 8 | 1 << 12);
    bench.write(SPI1, 1 << 9 | 1 << 8 | 1 << 6 | 1 << 2);
    bench.try_write(SPI1 + 0x0C, Width::Byte, 0x5A).unwrap();
    bench.pass(15);
    assert_eq!(bench.read(SPI1 + 0x08) & 1, 0);
    bench.pass(1);
    assert_eq!(bench.read(SPI1 + 0x08) & 1, 1, "RXNE");
}

#[test]
fn timers_of_g4_have_some_registers_elsewhere() {
    const TIM1: u32 = 0x4001_2C00;
    const TIM2: u32 = 0x4000_0000;
    let mut bench = ready("stm32g431kb");
    assert_eq!(bench.read(TIM2 + 0x2C), u32::MAX, "TIM2 has 32 bits");
    bench.write(TIM2 + 0x2C, 99);
    bench.write(TIM2 + 0x0C, 1);
    bench.write(TIM2, 1);
    assert_eq!(bench.until_line(28, 1000), Some(101), "a period until it counts");
    // A burst of two registers from CCR1 on.
    bench.write(TIM1 + 0x3DC, 13 | 1 << 8);
    bench.write(TIM1 + 0x3E0, 0x11);
    bench.write(TIM1 + 0x3E0, 0x22);
    assert_eq!([0x34, 0x38, 0x3C].map(|offset| bench.read(TIM1 + offset)), [0x11, 0x22, 0]);
    // CCR5 and CCMR3: what was DCR and DMAR is none of theirs.
    bench.write(TIM1 + 0x50, 6 << 4);
    bench.write(TIM1 + 0x48, 7 | 1 << 29);
    assert_eq!([bench.read(TIM1 + 0x48), bench.read(TIM1 + 0x50)], [7 | 1 << 29, 6 << 4]);
    bench.write(TIM1, 1 << 12);
    let gaps = bench.gaps(GapKind::RegisterWrite);
    let of_timers: Vec<&str> = gaps.into_iter().filter(|gap| gap.starts_with("TIM")).collect();
    assert_eq!(of_timers, ["TIM1_CR1.DITHEN"]);
}

#[test]
fn a_group_of_channels_follows_channel_5_of_g4() {
    const TIM1: u32 = 0x4001_2C00;
    // PWM 1 on channel 1 from 0 to 7 of 10, which channel 5 cuts to 4; PA8 is TIM1_CH1 by function 6.
    for (group, high) in [(0, 8), (1 << 29, 4)] {
        let mut bench = ready("stm32g431kb");
        bench.write(0x4800_0024, 6);
        bench.write(0x4800_0000, 0xABFE_FFFF);
        bench.write(TIM1 + 0x2C, 9);
        bench.write(TIM1 + 0x18, 6 << 4);
        bench.write(TIM1 + 0x50, 6 << 4);
        bench.write(TIM1 + 0x34, 8);
        bench.write(TIM1 + 0x48, 4 | group);
        bench.write(TIM1 + 0x20, 1 | 1 << 16);
        bench.write(TIM1 + 0x44, 1 << 15);
        bench.write(TIM1, 1);
        bench.pass(100);
        let edges = bench.edges(0, 8);
        let spans: Vec<u64> = edges.windows(2).filter(|pair| pair[0].1).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(spans.len() > 5 && spans[1..].iter().all(|span| *span == high), "{spans:?}");
    }
}

#[test]
fn internal_triggers_are_those_of_the_family() {
    const TIM3: u32 = 0x4000_0400;
    const TIM15: u32 = 0x4001_4000;
    // TIM15's updates clock TIM3: ITR6 of STM32G4 (code 10), ITR2 of STM32L4 and G0.
    for (name, source) in [("stm32g431kb", 1 << 20 | 2 << 4), ("stm32l476rg", 2 << 4), ("stm32g071rb", 2 << 4)] {
        let mut bench = ready(name);
        bench.write(TIM15 + 0x2C, 9);
        bench.write(TIM15 + 0x04, 2 << 4);
        bench.write(TIM3 + 0x08, source | 7);
        bench.write(TIM3, 1);
        bench.write(TIM15, 1);
        bench.pass(1 + 5 * 10 + 5);
        assert_eq!(bench.read(TIM3 + 0x24), 5, "{name}");
    }
}

#[test]
fn the_second_channel_of_tim15_interrupts() {
    const TIM15: u32 = 0x4001_4000;
    // CC2IE of TIM15_DIER (RM0444, RM0440, RM0351), by which embassy's time driver wakes tasks.
    for (chip, line) in [("stm32g071rb", 20), ("stm32g431kb", 24), ("stm32l476rg", 24)] {
        let mut bench = ready(chip);
        bench.write(TIM15 + 0x34, 0x8000);
        bench.write(TIM15 + 0x38, 0x1234);
        bench.write(TIM15 + 0x0C, 1 << 2);
        bench.write(TIM15, 1);
        assert_eq!(bench.until_line(line, 100_000).map(|at| at / 0x1234), Some(1), "{chip}");
        assert_eq!(bench.read(TIM15 + 0x10), 1 << 2, "{chip}: CC2IF alone");
    }
}
