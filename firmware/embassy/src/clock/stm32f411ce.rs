//! Black Pill: 100 MHz from its 25 MHz crystal.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

/// 25 MHz / 25 * 200 / 2; APB1 at 50 MHz, its most.
pub fn configure(rcc: &mut Config) {
    rcc.hse = Some(Hse { freq: Hertz(25_000_000), mode: HseMode::Oscillator });
    rcc.pll_src = PllSource::HSE;
    rcc.pll =
        Some(Pll { prediv: PllPreDiv::DIV25, mul: PllMul::MUL200, divp: Some(PllPDiv::DIV2), divq: None, divr: None });
    rcc.sys = Sysclk::PLL1_P;
    rcc.ahb_pre = AHBPrescaler::DIV1;
    rcc.apb1_pre = APBPrescaler::DIV2;
    rcc.apb2_pre = APBPrescaler::DIV1;
}
