//! STM32G431KB: a crystal of 8 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::mux::Clk48sel;
use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, LsConfig, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllRDiv,
    PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Hse = Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator };

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 16 MHz, HSI48, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = false;
        rcc.hsi48 = None;
        rcc.hse = Some(HSE);
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV4;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV8;
        rcc.ls = LsConfig::default_lse();
    },
    // 16 MHz / 4 * 85 / 2.
    |rcc| {
        rcc.pll = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV4,
            mul: PllMul::MUL85,
            divp: Some(PllPDiv::DIV17),
            divq: Some(PllQDiv::DIV4),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.boost = true;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV4;
    },
    // 8 MHz / 2 * 72 / 2, with 48 MHz at Q.
    |rcc| {
        rcc.hsi = false;
        rcc.hsi48 = None;
        rcc.hse = Some(Hse { mode: HseMode::Bypass, ..HSE });
        rcc.pll = Some(Pll {
            source: PllSource::HSE,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL72,
            divp: Some(PllPDiv::DIV31),
            divq: Some(PllQDiv::DIV6),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.apb1_pre = APBPrescaler::DIV16;
        rcc.ls = LsConfig::off();
        rcc.mux.clk48sel = Clk48sel::PLL1_Q;
    },
    // 16 MHz / 1 * 12 / 8.
    |rcc| {
        rcc.pll = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV1,
            mul: PllMul::MUL12,
            divp: None,
            divq: None,
            divr: Some(PllRDiv::DIV8),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.ahb_pre = AHBPrescaler::DIV16;
        rcc.apb2_pre = APBPrescaler::DIV16;
        rcc.ls = LsConfig::default_lse();
    },
    |rcc| rcc.ahb_pre = AHBPrescaler::DIV256,
];
