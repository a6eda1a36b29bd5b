//! Firmware on a simulated chip, for a program or a test: [`Firmware`] is an ELF, [`Setup`] says on which chip it runs and
//! how, a [`Board`] runs it and is asked.

mod board;
mod error;
mod firmware;
mod look;
mod measured;
mod setup;
mod worst;
mod written;

pub use board::Board;
pub use error::BoardError;
pub use firmware::Firmware;
pub use measured::{Measured, SpanId};
pub use setup::Setup;
pub use worst::Worst;
pub use written::{Place, Written};
