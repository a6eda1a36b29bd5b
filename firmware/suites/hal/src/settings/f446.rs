//! STM32F446ZE: 8 MHz at OSC_IN, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, LsConfig, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllRDiv,
    PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Option<Hse> = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 16 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.apb1_pre = APBPrescaler::DIV8;
        rcc.apb2_pre = APBPrescaler::DIV4;
        rcc.ls = LsConfig::default_lse();
    },
    // 16 MHz / 16 * 336 / 4, with 48 MHz at Q.
    |rcc| {
        rcc.pll_src = PllSource::HSI;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV16,
            mul: PllMul::MUL336,
            divp: Some(PllPDiv::DIV4),
            divq: Some(PllQDiv::DIV7),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV2;
    },
    // 8 MHz / 4 * 180 / 2; the loop for audio makes 96 MHz.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll_src = PllSource::HSE;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV4,
            mul: PllMul::MUL180,
            divp: Some(PllPDiv::DIV2),
            divq: Some(PllQDiv::DIV8),
            divr: None,
        });
        rcc.plli2s = Some(Pll {
            prediv: PllPreDiv::DIV4,
            mul: PllMul::MUL96,
            divp: Some(PllPDiv::DIV6),
            divq: Some(PllQDiv::DIV3),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.apb2_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz / 8 * 192 / 6, and the loop for audio from the same; no RTC.
    |rcc| {
        rcc.hsi = false;
        rcc.hse = HSE;
        rcc.pll_src = PllSource::HSE;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV8,
            mul: PllMul::MUL192,
            divp: Some(PllPDiv::DIV6),
            divq: Some(PllQDiv::DIV4),
            divr: Some(PllRDiv::DIV7),
        });
        rcc.plli2s = Some(Pll {
            prediv: PllPreDiv::DIV8,
            mul: PllMul::MUL200,
            divp: None,
            divq: None,
            divr: Some(PllRDiv::DIV5),
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV4;
        rcc.apb1_pre = APBPrescaler::DIV16;
        rcc.ls = LsConfig::off();
    },
    // 16 MHz / 10 * 250 / 8, and a loop for SAI.
    |rcc| {
        rcc.pll_src = PllSource::HSI;
        rcc.pll = Some(Pll {
            prediv: PllPreDiv::DIV10,
            mul: PllMul::MUL250,
            divp: Some(PllPDiv::DIV8),
            divq: Some(PllQDiv::DIV15),
            divr: None,
        });
        rcc.pllsai = Some(Pll {
            prediv: PllPreDiv::DIV16,
            mul: PllMul::MUL192,
            divp: Some(PllPDiv::DIV4),
            divq: Some(PllQDiv::DIV2),
            divr: None,
        });
        rcc.sys = Sysclk::PLL1_P;
        rcc.ahb_pre = AHBPrescaler::DIV64;
        rcc.apb2_pre = APBPrescaler::DIV16;
    },
];
