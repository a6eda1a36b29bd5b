//! Drivers: a console, and a tally that does next to nothing, to measure the way to it.
#![no_std]

mod console;
mod tally;

pub use console::{Console, Port};
pub use tally::Tally;
