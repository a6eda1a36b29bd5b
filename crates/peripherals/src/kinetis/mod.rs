//! Blocks of Freescale's (NXP's) Kinetis K20, 72 MHz family (K20P64M72SF1RM, the reference manual; K20P64M72SF1, the
//! data sheet).
//!
//! The bus sees words; registers of 8 and 16 bits lie several to a word, and the maps in [`generated`] name their
//! fields `C2.TE`. A part passes reads on with the byte's own offset, since reading one byte of a word may have an
//! effect that reading its neighbour has not.
//!
//! The system integration module has the part of STM32's RCC: it gates the clocks and divides what the clock generator
//! makes.

#[allow(missing_docs)]
pub mod generated;

pub mod fmc;
pub mod ftfl;
pub mod gpio;
pub mod mcg;
pub mod pit;
pub mod port;
pub mod sim;
pub mod system;
pub mod uart;
pub mod wdog;

use cyclescope_machine::TimingRow;

use crate::{Bank, Map, Modelled, Write};

pub use fmc::Fmc;
pub use ftfl::Ftfl;
pub use gpio::{Gpio, PinRoles};
pub use mcg::Mcg;
pub use pit::Pit;
pub use port::PortControl;
pub use sim::Sim;
pub use system::System;
pub use uart::Uart;
pub use wdog::Wdog;

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] = &[fmc::ROWS, mcg::ROWS, sim::ROWS, uart::ROWS, wdog::ROWS];

/// Returns the values of the registers of `map` after reset, from the vendor's description.
pub fn after_reset(map: &'static Map) -> &'static [Modelled] {
    generated::ALL.iter().find(|(known, _)| *known == map).map_or(&[], |(_, values)| values)
}

/// Returns a bank over `map` that models `model`. All other registers hold the description's values after reset.
pub(crate) fn bank(map: &'static Map, model: &[Modelled]) -> Bank {
    let all: Vec<Modelled> = model.iter().chain(after_reset(map)).copied().collect();
    Bank::new(map, &all)
}

/// Returns the byte that a write puts into `lane` (0 to 3) of its word, or `None` if it does not write the whole byte.
pub(crate) fn byte(write: Write, lane: u32) -> Option<u8> {
    let shift = lane * 8;
    (write.lanes >> shift & 0xFF == 0xFF).then_some((write.value >> shift) as u8)
}

/// Returns the half-word that a write puts into `lane` (0 or 1) of its word, or `None` if it does not write the whole
/// half-word.
pub(crate) fn half(write: Write, lane: u32) -> Option<u16> {
    let shift = lane * 16;
    (write.lanes >> shift & 0xFFFF == 0xFFFF).then_some((write.value >> shift) as u16)
}
