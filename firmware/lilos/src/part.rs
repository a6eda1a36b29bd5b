//! An STM32 or an RP2040: its interrupts, and lilos's own clock over SysTick.

pub use lilos::time::{Millis, initialize_sys_tick, sleep_for};
#[cfg(feature = "board-rp2040")]
pub use rp_pac::{Interrupt, interrupt};
#[cfg(not(feature = "board-rp2040"))]
pub use stm32_metapac::{Interrupt, interrupt};
