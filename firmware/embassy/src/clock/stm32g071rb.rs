//! Nucleo-G071RB: 64 MHz by the PLL from HSI16.

use embassy_stm32::rcc::{Config, Hsi, HsiSysDiv, Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};

/// 16 MHz * 8 / 2; neither bus divided.
pub fn configure(rcc: &mut Config) {
    rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV1 });
    rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV1,
        mul: PllMul::MUL8,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    rcc.sys = Sysclk::PLL1_R;
}
