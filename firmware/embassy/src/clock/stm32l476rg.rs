//! Nucleo-L476RG: 80 MHz by the PLL from HSI16.

use embassy_stm32::rcc::{Config, Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};

/// 16 MHz * 10 / 2; no bus divided.
pub fn configure(rcc: &mut Config) {
    rcc.hsi = true;
    rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV1,
        mul: PllMul::MUL10,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    rcc.sys = Sysclk::PLL1_R;
}
