//! Nucleo-G431KB: 170 MHz by the PLL from HSI16.

use embassy_stm32::rcc::{Config, Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};

/// 16 MHz / 4 * 85 / 2; no bus divided; boost, as the HAL recommends above 150 MHz.
pub fn configure(rcc: &mut Config) {
    rcc.hsi = true;
    rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV4,
        mul: PllMul::MUL85,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    rcc.sys = Sysclk::PLL1_R;
    rcc.boost = true;
}
