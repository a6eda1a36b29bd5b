//! Nucleo-L476RG: 80 MHz by the PLL from HSI16.
//!
//! Source: RM0351, "Flash access control register" and "PLL configuration register".

use stm32_metapac::rcc::vals::{Pllm, Plln, Pllr, Pllsrc, Sw};
use stm32_metapac::{FLASH, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 80_000_000;

/// The clock of TIM3, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz: a prescaler of 16 bits reaches down to 1,221 Hz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 2000;

/// Wait states for 80 MHz in voltage range 1.
const WAIT_STATES: u8 = 4;

/// Four wait states, prefetch and both caches; then the PLL.
pub fn raise_clock() {
    FLASH.acr().modify(|w| {
        w.set_latency(WAIT_STATES);
        w.set_prften(true);
        w.set_icen(true);
        w.set_dcen(true);
    });
    while FLASH.acr().read().latency() != WAIT_STATES {}

    // MSI is selected after reset. 16 MHz times ten, halved.
    RCC.cr().modify(|w| w.set_hsion(true));
    while !RCC.cr().read().hsirdy() {}
    RCC.pllcfgr().write(|w| {
        w.set_pllsrc(Pllsrc::HSI);
        w.set_pllm(Pllm::DIV1);
        w.set_plln(Plln::MUL10);
        w.set_pllr(Pllr::DIV2);
        w.set_pllren(true);
    });
    RCC.cr().modify(|w| w.set_pllon(true));
    while !RCC.cr().read().pllrdy() {}

    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_R));
    while RCC.cfgr().read().sws() != Sw::PLL1_R {}
}
