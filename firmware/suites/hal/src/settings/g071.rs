//! STM32G071RB: a crystal of 8 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Hsi, HsiSysDiv, LsConfig, Pll, PllMul, PllPDiv, PllPreDiv,
    PllQDiv, PllRDiv, PllSource, Sysclk, VoltageRange,
};
use embassy_stm32::time::Hertz;

const HSE: Hse = Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator };

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 16 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV8 });
        rcc.low_power_run = true;
        rcc.ls = LsConfig::default_lse();
    },
    // 16 MHz * 8 / 2.
    |rcc| {
        rcc.pll = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV1,
            mul: PllMul::MUL8,
            divp: Some(PllPDiv::DIV5),
            divq: Some(PllQDiv::DIV2),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.apb1_pre = APBPrescaler::DIV4;
    },
    // 8 MHz / 2 * 64 / 4.
    |rcc| {
        rcc.hsi = None;
        rcc.hse = Some(HSE);
        rcc.pll = Some(Pll {
            source: PllSource::HSE,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL64,
            divp: Some(PllPDiv::DIV32),
            divq: Some(PllQDiv::DIV8),
            divr: Some(PllRDiv::DIV4),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.ls = LsConfig::default_lse();
    },
    |rcc| {
        rcc.hse = Some(Hse { mode: HseMode::Bypass, ..HSE });
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV64;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.ls = LsConfig::off();
    },
    // The PLL without an output that the system has.
    |rcc| {
        rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV1 });
        rcc.voltage_range = VoltageRange::RANGE2;
        rcc.pll = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV4,
            mul: PllMul::MUL24,
            divp: None,
            divq: Some(PllQDiv::DIV4),
            divr: None,
        });
        rcc.apb1_pre = APBPrescaler::DIV16;
    },
    |rcc| rcc.sys = Sysclk::LSI,
    |rcc| {
        rcc.hsi = None;
        rcc.sys = Sysclk::LSE;
        rcc.ls = LsConfig::default_lse();
    },
];
