//! Nucleo-G431KB: 170 MHz by the PLL from HSI16, in range 1 boost.
//!
//! Source: RM0440, "Dynamic voltage scaling management", "Flash access control register" and "PLL configuration
//! register".

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::rcc::vals::{Hpre, Pllm, Plln, Pllr, Pllsrc, Sw};
use stm32_metapac::{FLASH, PWR, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 170_000_000;

/// The clock of TIM3, in hertz.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz: a prescaler of 16 bits reaches down to 2,595 Hz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 4000;

/// PWR_CR5's bit R1MODE. stm32-metapac 21 has it at bit 0, the manual at bit 8.
const R1MODE: u32 = 1 << 8;

/// Cycles of a microsecond, at half the clock.
const MICROSECOND: u32 = CORE_HZ / 2 / 1_000_000;

/// As the manual orders the change to range 1 boost: half the clock, boost, four wait states, prefetch and both caches, the
/// PLL, a microsecond at least, then the whole clock.
pub fn raise_clock() {
    RCC.apb1enr1().modify(|w| w.set_pwren(true));
    let _ = RCC.apb1enr1().read();

    RCC.cfgr().modify(|w| w.set_hpre(Hpre::DIV2));
    PWR.cr5().modify(|w| w.0 &= !R1MODE);
    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS4);
        w.set_prften(true);
        w.set_icen(true);
        w.set_dcen(true);
    });
    while FLASH.acr().read().latency() != Latency::WS4 {}

    // HSI16 runs and is selected after reset: 16 MHz / 4 = 4 MHz, times 85, halved.
    RCC.pllcfgr().write(|w| {
        w.set_pllsrc(Pllsrc::HSI);
        w.set_pllm(Pllm::DIV4);
        w.set_plln(Plln::MUL85);
        w.set_pllr(Pllr::DIV2);
        w.set_pllren(true);
    });
    RCC.cr().modify(|w| w.set_pllon(true));
    while !RCC.cr().read().pllrdy() {}
    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_R));
    while RCC.cfgr().read().sws() != Sw::PLL1_R {}

    cortex_m::asm::delay(MICROSECOND);
    RCC.cfgr().modify(|w| w.set_hpre(Hpre::DIV1));
}
