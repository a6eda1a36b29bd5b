//! Blue Pill: 72 MHz from its 8 MHz crystal, times nine.
//!
//! Source: RM0008, "Clocks" and "Clock configuration register"; PM0075, "Flash access control register".

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::rcc::vals::{Pllmul, Pllsrc, Pllxtpre, Ppre, Sw};
use stm32_metapac::{FLASH, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 72_000_000;

/// The clock of TIM3, in hertz: twice APB1's, since APB1 is divided.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz: a prescaler of 16 bits reaches down to 1,099 Hz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 2000;

/// Two wait states and the prefetch buffer; then the PLL on HSE, with APB1 at 36 MHz, its most.
pub fn raise_clock() {
    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS2);
        w.set_prftbe(true);
    });
    while FLASH.acr().read().latency() != Latency::WS2 {}

    RCC.cr().modify(|w| w.set_hseon(true));
    while !RCC.cr().read().hserdy() {}

    RCC.cfgr().modify(|w| {
        w.set_ppre1(Ppre::DIV2);
        w.set_pllxtpre(Pllxtpre::DIV1);
        w.set_pllsrc(Pllsrc::HSE_DIV_PREDIV);
        w.set_pllmul(Pllmul::MUL9);
    });
    RCC.cr().modify(|w| w.set_pllon(true));
    while !RCC.cr().read().pllrdy() {}

    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_P));
    while RCC.cfgr().read().sws() != Sw::PLL1_P {}
}
