//! Nucleo-C031C6: 48 MHz from HSI48.

use embassy_stm32::rcc::{Config, Hsi, HsiKerDiv, HsiSysDiv, Sysclk};

/// HSI48 undivided; it is divided by four after reset and by default.
pub fn configure(rcc: &mut Config) {
    rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV1, ker_div: HsiKerDiv::DIV3 });
    rcc.sys = Sysclk::HSISYS;
}
