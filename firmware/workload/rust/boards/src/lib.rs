//! The boards that Rust contenders run on where no HAL of the runtime's brings them up.
//!
//! [`Board::start`] raises the clock with the flash set as the vendor recommends for it, [`Board::finish`] reports and
//! ends the program. The runtime's own clock stays with the contender; with the feature `clock`, [`Clock`] is one for
//! contenders that have none. Programs that report nothing, or their own lines, ask for `silent` and take `raise_clock`
//! alone; the MK20DX256 has no more than that and its serial port.
//! `firmware/README.md` is the contract.

#![no_std]

const BOARDS_CHOSEN: usize = cfg!(feature = "stm32c031c6") as usize
    + cfg!(feature = "stm32f103c8") as usize
    + cfg!(feature = "stm32f446ze") as usize
    + cfg!(feature = "stm32g071rb") as usize
    + cfg!(feature = "stm32g431kb") as usize
    + cfg!(feature = "stm32l476rg") as usize
    + cfg!(feature = "stm32f411ce") as usize
    + cfg!(feature = "microbit") as usize
    + cfg!(feature = "lm3s6965evb") as usize
    + cfg!(feature = "mps2-an386") as usize
    + cfg!(feature = "mk20dx256") as usize
    + cfg!(feature = "nrf52840") as usize
    + cfg!(feature = "rp2040") as usize;
const _: () = assert!(BOARDS_CHOSEN == 1, "choose exactly one board");

#[cfg(feature = "mk20dx256")]
mod mk20dx256;
#[cfg(feature = "nrf52840")]
mod nrf52840;
#[cfg(any(feature = "nrf52840", feature = "rp2040"))]
#[path = "mk20dx256/register.rs"]
pub mod register;
#[cfg(feature = "rp2040")]
mod rp2040;
#[cfg(all(any(stm32, feature = "nrf52840", feature = "rp2040"), not(feature = "silent")))]
mod rtt;
#[cfg(any(feature = "microbit", feature = "lm3s6965evb", feature = "mps2-an386"))]
mod semihosting;
#[cfg(feature = "stm32c031c6")]
mod stm32c031c6;
#[cfg(feature = "stm32f103c8")]
mod stm32f103c8;
#[cfg(feature = "stm32f411ce")]
mod stm32f411ce;
#[cfg(feature = "stm32f446ze")]
mod stm32f446ze;
#[cfg(feature = "stm32g071rb")]
mod stm32g071rb;
#[cfg(feature = "stm32g431kb")]
mod stm32g431kb;
#[cfg(feature = "stm32l476rg")]
mod stm32l476rg;
#[cfg(all(feature = "clock", any(feature = "microbit", feature = "lm3s6965evb", feature = "mps2-an386")))]
mod systick;
#[cfg(all(feature = "clock", stm32))]
mod tim3;
#[cfg(all(feature = "clock", feature = "nrf52840"))]
mod timer0;
#[cfg(all(feature = "clock", feature = "rp2040"))]
mod timer_rp2040;

// The board under one name, where its channel is RTT.
#[cfg(feature = "nrf52840")]
use nrf52840 as board;
#[cfg(feature = "rp2040")]
use rp2040 as board;
#[cfg(feature = "stm32c031c6")]
use stm32c031c6 as board;
#[cfg(feature = "stm32f103c8")]
use stm32f103c8 as board;
#[cfg(feature = "stm32f411ce")]
use stm32f411ce as board;
#[cfg(feature = "stm32f446ze")]
use stm32f446ze as board;
#[cfg(feature = "stm32g071rb")]
use stm32g071rb as board;
#[cfg(feature = "stm32g431kb")]
use stm32g431kb as board;
#[cfg(feature = "stm32l476rg")]
use stm32l476rg as board;

#[cfg(any(stm32, feature = "nrf52840", feature = "rp2040"))]
pub use board::CORE_HZ;
#[cfg(all(any(stm32, feature = "nrf52840", feature = "rp2040"), feature = "silent"))]
pub use board::raise_clock;
#[cfg(feature = "mk20dx256")]
pub use mk20dx256::{CORE_HZ, Uart, raise_clock};
#[cfg(feature = "rp2040")]
pub use rp2040::unreset;
#[cfg(all(any(stm32, feature = "nrf52840", feature = "rp2040"), not(feature = "silent")))]
pub use rtt::Board;
#[cfg(any(feature = "microbit", feature = "lm3s6965evb", feature = "mps2-an386"))]
pub use semihosting::{Board, CORE_HZ};
#[cfg(all(feature = "clock", any(feature = "microbit", feature = "lm3s6965evb", feature = "mps2-an386")))]
pub use systick::Clock;
#[cfg(all(feature = "clock", stm32))]
pub use tim3::Clock;
#[cfg(all(feature = "clock", feature = "nrf52840"))]
pub use timer0::Clock;
#[cfg(all(feature = "clock", feature = "rp2040"))]
pub use timer_rp2040::Clock;
