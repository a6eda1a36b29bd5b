//! Blue Pill: 72 MHz from its 8 MHz crystal, times nine.

use embassy_stm32::rcc::{AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Pll, PllMul, PllPreDiv, PllSource, Sysclk};
use embassy_stm32::time::Hertz;

/// APB1 at 36 MHz, its most.
pub fn configure(rcc: &mut Config) {
    rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator });
    rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL9 });
    rcc.sys = Sysclk::PLL1_P;
    rcc.ahb_pre = AHBPrescaler::DIV1;
    rcc.apb1_pre = APBPrescaler::DIV2;
    rcc.apb2_pre = APBPrescaler::DIV1;
}
