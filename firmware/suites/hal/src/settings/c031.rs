//! STM32C031C6: a crystal of 48 MHz, LSE of 32,768 Hz.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Hsi, HsiKerDiv, HsiSysDiv, LsConfig, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Hse = Hse { freq: Hertz(48_000_000), mode: HseMode::Oscillator };

pub const SETTINGS: &[fn(&mut Config)] = &[
    // HSI of 48 MHz by four, by three for kernels, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV1, ker_div: HsiKerDiv::DIV8 });
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.ls = LsConfig::off();
    },
    |rcc| rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV128, ker_div: HsiKerDiv::DIV1 }),
    |rcc| {
        rcc.hsi = None;
        rcc.hse = Some(HSE);
        rcc.sys = Sysclk::HSE;
        rcc.apb1_pre = APBPrescaler::DIV16;
        rcc.ls = LsConfig::default_lse();
    },
    |rcc| {
        rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV16, ker_div: HsiKerDiv::DIV5 });
        rcc.hse = Some(Hse { mode: HseMode::Bypass, ..HSE });
        rcc.sys = Sysclk::HSE;
        rcc.ahb_pre = AHBPrescaler::DIV512;
    },
    |rcc| rcc.sys = Sysclk::LSI,
    |rcc| {
        rcc.hsi = None;
        rcc.sys = Sysclk::LSE;
        rcc.ls = LsConfig::default_lse();
    },
];
