//! Black Pill: 100 MHz from its 25 MHz crystal.
//!
//! Source: RM0383, "PLL configuration register" and "Flash access control register".

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::pwr::vals::Vos;
use stm32_metapac::rcc::vals::{Pllm, Plln, Pllp, Pllsrc, Ppre, Sw};
use stm32_metapac::{FLASH, PWR, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 100_000_000;

/// The clock of TIM3, in hertz: twice APB1's, since APB1 is divided.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ;

/// The rate of TIM3 as a clock, in hertz: a prescaler of 16 bits reaches down to 1,526 Hz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 2000;

/// Three wait states, prefetch and both caches; then the PLL on HSE, with APB1 at 50 MHz, its most.
pub fn raise_clock() {
    RCC.apb1enr().modify(|w| w.set_pwren(true));
    let _ = RCC.apb1enr().read();
    // Scale 1 may be written while the PLL is off.
    PWR.cr1().modify(|w| w.set_vos(Vos::SCALE1));

    RCC.cr().modify(|w| w.set_hseon(true));
    while !RCC.cr().read().hserdy() {}

    // 25 MHz / 25, times 200, halved.
    RCC.pllcfgr().modify(|w| {
        w.set_pllsrc(Pllsrc::HSE);
        w.set_pllm(Pllm::DIV25);
        w.set_plln(Plln::MUL200);
        w.set_pllp(Pllp::DIV2);
    });
    RCC.cr().modify(|w| w.set_pllon(true));

    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS3);
        w.set_prften(true);
        w.set_icen(true);
        w.set_dcen(true);
    });
    while FLASH.acr().read().latency() != Latency::WS3 {}

    RCC.cfgr().modify(|w| w.set_ppre1(Ppre::DIV2));
    while !RCC.cr().read().pllrdy() {}
    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_P));
    while RCC.cfgr().read().sws() != Sw::PLL1_P {}
}
