//! The part under the button program: its interrupts and its clock, and what becomes of panics.

#[cfg(feature = "board-nrf52840")]
mod nrf52840;

use panic_halt as _;
#[cfg(feature = "board-rp2040")]
pub use rp_pac as device;
#[cfg(not(feature = "board-nrf52840"))]
pub use rtic_monotonics::systick::prelude::*;
#[cfg(stm32)]
pub use stm32_metapac as device;

#[cfg(feature = "board-nrf52840")]
pub use self::nrf52840::*;
