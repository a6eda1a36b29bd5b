//! Parts with an AVR core: what they are, as data, and their peripherals.
//!
//! [`AvrDevices`] is to such a part what [`Devices`](crate::Devices) is to one with a bus of words: one type for all of
//! them, over the blocks of [`cyclescope_peripherals::avr`].

mod devices;
mod part;
mod parts;

pub use devices::{AvrDevices, DataSpace};
pub use part::{AvrPart, Fuses};
pub use parts::{ATMEGA32U4, ATMEGA328P};
