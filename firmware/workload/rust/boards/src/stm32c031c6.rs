//! Nucleo-C031C6: 48 MHz from HSI48.
//!
//! Source: RM0490, "Flash access control register" and "Reset and clock control".

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::rcc::vals::{Hsidiv, Sw};
use stm32_metapac::{FLASH, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 48_000_000;

/// The clock of TIM3, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 1000;

/// One wait state, prefetch and instruction cache; then HSI48 undivided.
pub fn raise_clock() {
    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS1);
        w.set_prften(true);
        w.set_icen(true);
    });
    while FLASH.acr().read().latency() != Latency::WS1 {}

    // HSI48 runs and is selected after reset, divided by four.
    RCC.cr().modify(|w| w.set_hsidiv(Hsidiv::DIV1));
    while RCC.cfgr().read().sws() != Sw::HSISYS {}
}
