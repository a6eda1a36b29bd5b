//! Nucleo-F446ZE: 180 MHz with over-drive, from the 8 MHz that the ST-LINK feeds into OSC_IN.
//!
//! Source: RM0390, "Entering Over-drive mode", "PLL configuration register" and "Flash access control register";
//! UM1974, "OSC clock": the board has no crystal X3, HSE is the ST-LINK's MCO and so bypassed.

use stm32_metapac::flash::vals::Latency;
use stm32_metapac::pwr::vals::Vos;
use stm32_metapac::rcc::vals::{Pllm, Plln, Pllp, Pllsrc, Ppre, Sw};
use stm32_metapac::{FLASH, PWR, RCC};

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 180_000_000;

/// The clock of TIM3, in hertz: twice APB1's, since APB1 is divided.
#[cfg(feature = "clock")]
pub const TIM3_CLOCK_HZ: u32 = CORE_HZ / 2;

/// The rate of TIM3 as a clock, in hertz: a prescaler of 16 bits reaches down to 1,374 Hz.
#[cfg(feature = "clock")]
pub const TIM3_HZ: u32 = 2000;

/// Over-drive while the PLL locks, as the manual orders it; five wait states, prefetch and both caches; then the PLL.
pub fn raise_clock() {
    RCC.apb1enr().modify(|w| w.set_pwren(true));
    let _ = RCC.apb1enr().read();
    // Scale 1 may be written while the PLL is off.
    PWR.cr1().modify(|w| w.set_vos(Vos::SCALE1));

    RCC.cr().modify(|w| {
        w.set_hsebyp(true);
        w.set_hseon(true);
    });
    while !RCC.cr().read().hserdy() {}

    // 8 MHz / 4 = 2 MHz, which jitters least; times 180; halved.
    RCC.pllcfgr().modify(|w| {
        w.set_pllsrc(Pllsrc::HSE);
        w.set_pllm(Pllm::DIV4);
        w.set_plln(Plln::MUL180);
        w.set_pllp(Pllp::DIV2);
    });
    RCC.cr().modify(|w| w.set_pllon(true));

    PWR.cr1().modify(|w| w.set_oden(true));
    while !PWR.csr1().read().odrdy() {}
    PWR.cr1().modify(|w| w.set_odswen(true));
    while !PWR.csr1().read().odswrdy() {}

    FLASH.acr().modify(|w| {
        w.set_latency(Latency::WS5);
        w.set_prften(true);
        w.set_icen(true);
        w.set_dcen(true);
    });
    while FLASH.acr().read().latency() != Latency::WS5 {}

    // APB1 takes 45 MHz at most, APB2 90 MHz.
    RCC.cfgr().modify(|w| {
        w.set_ppre1(Ppre::DIV4);
        w.set_ppre2(Ppre::DIV2);
    });
    while !RCC.cr().read().pllrdy() {}
    RCC.cfgr().modify(|w| w.set_sw(Sw::PLL1_P));
    while RCC.cfgr().read().sws() != Sw::PLL1_P {}
}
