//! The button program's hardware and text, for contenders whose runtime brings no HAL.
//!
//! `firmware/README.md` is the contract. [`start`] raises the clock and sets up pins, external interrupt and UART;
//! [`button`], [`led`] and [`sender`] are what a handler or a task does with them; [`probe`] marks T1 to T4. There is no
//! runtime in it: priorities, masks and waiting stay with the contender.

#![no_std]

const BOARDS_CHOSEN: usize = cfg!(feature = "stm32c031c6") as usize + cfg!(feature = "stm32f446ze") as usize;
const _: () = assert!(BOARDS_CHOSEN == 1, "choose exactly one board");

const SENDERS_CHOSEN: usize =
    cfg!(feature = "interrupt") as usize + cfg!(feature = "dma") as usize + cfg!(feature = "blocking") as usize;
const _: () = assert!(SENDERS_CHOSEN == 1, "choose exactly one way of sending");

#[cfg_attr(feature = "stm32c031c6", path = "board/stm32c031c6.rs")]
#[cfg_attr(feature = "stm32f446ze", path = "board/stm32f446ze.rs")]
mod board;
mod message;
mod pin;
pub mod probe;
#[cfg_attr(feature = "interrupt", path = "sender/interrupt.rs")]
#[cfg_attr(feature = "dma", path = "sender/dma.rs")]
#[cfg_attr(feature = "blocking", path = "sender/blocking.rs")]
pub mod sender;

pub use cyclescope_boards::CORE_HZ;

pub use crate::board::start;
pub use crate::message::{MESSAGES, Message, message};

/// The button and its external interrupt.
pub mod button {
    pub use crate::board::{acknowledge, is_up};
}

/// The LED.
pub mod led {
    use crate::board::LED;

    /// Switches it on.
    pub fn on() {
        LED.rise();
    }

    /// Switches it off.
    pub fn off() {
        LED.fall();
    }
}
