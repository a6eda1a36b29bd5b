//! Nucleo-F446ZE: 180 MHz from the 8 MHz that the ST-LINK feeds into OSC_IN. The HAL turns over-drive on by itself.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

/// 8 MHz / 4 * 180 / 2; APB1 at 45 MHz and APB2 at 90 MHz, their most.
pub fn configure(rcc: &mut Config) {
    rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });
    rcc.pll_src = PllSource::HSE;
    rcc.pll =
        Some(Pll { prediv: PllPreDiv::DIV4, mul: PllMul::MUL180, divp: Some(PllPDiv::DIV2), divq: None, divr: None });
    rcc.sys = Sysclk::PLL1_P;
    rcc.ahb_pre = AHBPrescaler::DIV1;
    rcc.apb1_pre = APBPrescaler::DIV4;
    rcc.apb2_pre = APBPrescaler::DIV2;
}
