//! An STM32: its interrupts, and lilos's own clock over SysTick.

pub use lilos::time::{Millis, initialize_sys_tick, sleep_for};
pub use stm32_metapac::{Interrupt, interrupt};
