//! STM32F107VC: a crystal of 8 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, I2s2src, LsConfig, Pll, Pll2Mul, Pll2Or3, PllMul, PllPreDiv,
    PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Option<Hse> = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator });

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 8 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV16;
        rcc.apb2_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz / 2 * 9.
    |rcc| {
        rcc.pll = Some(Pll { src: PllSource::HSI, prediv: PllPreDiv::DIV2, mul: PllMul::MUL9 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb2_pre = APBPrescaler::DIV4;
    },
    // 8 MHz * 9, of which USB has two thirds.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL9 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::off();
    },
    // 8 MHz / 2 * 10 by PLL2, / 5 * 9 by the main PLL.
    |rcc| {
        rcc.hse = HSE;
        rcc.prediv2 = PllPreDiv::DIV2;
        rcc.pll2 = Some(Pll2Or3 { mul: Pll2Mul::MUL10 });
        rcc.pll = Some(Pll { src: PllSource::PLL2, prediv: PllPreDiv::DIV5, mul: PllMul::MUL9 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz * 6.5.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL6_5 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV8;
    },
    // 8 MHz / 2 * 12 by PLL2, / 6 * 6 by the main PLL, which is also USB's; PLL3 for I2S.
    |rcc| {
        rcc.hse = HSE;
        rcc.prediv2 = PllPreDiv::DIV2;
        rcc.pll2 = Some(Pll2Or3 { mul: Pll2Mul::MUL12 });
        rcc.pll3 = Some(Pll2Or3 { mul: Pll2Mul::MUL20 });
        rcc.pll = Some(Pll { src: PllSource::PLL2, prediv: PllPreDiv::DIV6, mul: PllMul::MUL6 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV64;
        rcc.apb1_pre = APBPrescaler::DIV16;
        rcc.i2s2_src = I2s2src::PLL3;
        rcc.i2s3_src = I2s2src::PLL3;
    },
];
