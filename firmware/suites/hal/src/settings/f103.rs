//! STM32F103C8: a crystal of 8 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    ADCPrescaler, AHBPrescaler, APBPrescaler, Config, Hse, HseMode, LsConfig, Pll, PllMul, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Option<Hse> = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator });

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 8 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hse = HSE;
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.apb2_pre = APBPrescaler::DIV8;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz / 2 * 16.
    |rcc| {
        rcc.pll = Some(Pll { src: PllSource::HSI, prediv: PllPreDiv::DIV2, mul: PllMul::MUL16 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.adc_pre = ADCPrescaler::DIV8;
    },
    // 8 MHz * 9, of which USB has two thirds.
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL9 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz / 2 * 12, which is also USB's.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV2, mul: PllMul::MUL12 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.apb2_pre = APBPrescaler::DIV16;
        rcc.adc_pre = ADCPrescaler::DIV2;
        rcc.ls = LsConfig::off();
    },
    |rcc| {
        rcc.hse = HSE;
        rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL6 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV512;
    },
    // 8 MHz / 2 * 4.
    |rcc| {
        rcc.pll = Some(Pll { src: PllSource::HSI, prediv: PllPreDiv::DIV2, mul: PllMul::MUL4 });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV64;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV16;
        rcc.adc_pre = ADCPrescaler::DIV4;
    },
];
