//! Nucleo-G071RB: 64 MHz by the PLL from HSI16.
//!
//! Source: RM0444, "Flash access control register" and "PLL configuration register".

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::rcc::vals::{Pllm, Plln, Pllr, Pllsrc, Sw};
use stm32_metapac::{FLASH, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 64_000_000;

/// The clock of TIM3, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 1000;

/// Two wait states, prefetch and instruction cache; then the PLL.
pub fn raise_clock() {
    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS2);
        w.set_prften(true);
        w.set_icen(true);
    });
    while FLASH.acr().read().latency() != Latency::WS2 {}

    // HSI16 runs and is selected after reset: 16 MHz times eight, halved.
    RCC.pllcfgr().write(|w| {
        w.set_pllsrc(Pllsrc::HSI);
        w.set_pllm(Pllm::DIV1);
        w.set_plln(Plln::MUL8);
        w.set_pllr(Pllr::DIV2);
        w.set_pllren(true);
    });
    RCC.cr().modify(|w| w.set_pllon(true));
    while !RCC.cr().read().pllrdy() {}

    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_R));
    while RCC.cfgr().read().sws() != Sw::PLL1_R {}
}
