//! STM32F411CE: a crystal of 25 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, LsConfig, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllRDiv,
    PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Option<Hse> = Some(Hse { freq: Hertz(25_000_000), mode: HseMode::Oscillator });

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 16 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.sys = Sysclk::HSE;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV4;
        rcc.ls = LsConfig::default_lse();
    },
    // 16 MHz / 16 * 200 / 2.
    |rcc| {
        rcc.pll_src = PllSource::HSI;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV16,
            mul: PllMul::MUL200,
            divp: Some(PllPDiv::DIV2),
            divq: Some(PllQDiv::DIV4),
            divr: None,
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
    },
    // 25 MHz / 25 * 192 / 2, with 48 MHz at Q; the loop for audio makes 100 MHz.
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.pll_src = PllSource::HSE;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV25,
            mul: PllMul::MUL192,
            divp: Some(PllPDiv::DIV2),
            divq: Some(PllQDiv::DIV4),
            divr: None,
        });
        rcc.plli2s = Some(Pll {
            prediv: PllPreDiv::DIV20,
            mul: PllMul::MUL240,
            divp: None,
            divq: None,
            divr: Some(PllRDiv::DIV3),
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.apb2_pre = APBPrescaler::DIV2;
    },
    // 25 MHz / 25 * 336 / 4, without an RTC.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll_src = PllSource::HSE;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV25,
            mul: PllMul::MUL336,
            divp: Some(PllPDiv::DIV4),
            divq: Some(PllQDiv::DIV7),
            divr: None,
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV16;
        rcc.ls = LsConfig::off();
    },
    // 16 MHz / 8 * 100 / 8, far below.
    |rcc| {
        rcc.pll_src = PllSource::HSI;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV8,
            mul: PllMul::MUL100,
            divp: Some(PllPDiv::DIV8),
            divq: Some(PllQDiv::DIV15),
            divr: None,
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV64;
        rcc.apb1_pre = APBPrescaler::DIV8;
        rcc.ls = LsConfig::default_lse();
    },
];
