//! TIM3 as a clock, without interrupts.

use stm32_metapac::{RCC, TIM3};

use crate::board::{TIM3_CLOCK_HZ, TIM3_HZ};

/// Divides the timer's clock to its rate.
const PRESCALER: u16 = {
    let divisor = TIM3_CLOCK_HZ / TIM3_HZ;
    assert!(TIM3_CLOCK_HZ.is_multiple_of(TIM3_HZ) && divisor <= 65_536, "the prescaler has 16 bits");
    (divisor - 1) as u16
};

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Rate of the clock, in hertz.
    pub const HZ: u32 = TIM3_HZ;

    /// Starts TIM3; call it after the board has started.
    pub fn start() -> Self {
        #[cfg(any(feature = "stm32c031c6", feature = "stm32g071rb"))]
        let enable = RCC.apbenr1();
        #[cfg(any(feature = "stm32g431kb", feature = "stm32l476rg"))]
        let enable = RCC.apb1enr1();
        #[cfg(any(feature = "stm32f103c8", feature = "stm32f446ze", feature = "stm32f411ce"))]
        let enable = RCC.apb1enr();
        enable.modify(|w| w.set_tim3en(true));
        // The bus needs a moment before the timer answers; reading the register back gives it.
        let _ = enable.read();
        TIM3.psc().write_value(PRESCALER);
        // The prescaler is loaded by an update event.
        TIM3.egr().write(|w| w.set_ug(true));
        TIM3.cr1().modify(|w| w.set_cen(true));
        Self {}
    }

    /// The clock, in its ticks; it wraps after 65,536.
    pub fn ticks(&self) -> u32 {
        u32::from(TIM3.cnt().read().cnt())
    }

    /// Ticks from one reading of the clock to a later one, less than one wrap apart.
    pub fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before) & 0xFFFF
    }
}
