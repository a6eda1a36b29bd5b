//! An STM32: its interrupts, and SysTick for the clock.

pub use rtic_monotonics::systick::prelude::*;
pub use stm32_metapac as device;
