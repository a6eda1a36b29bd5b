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

pub mod adc;
pub mod dmamux;
pub mod edma;
pub mod fmc;
pub mod ftfl;
pub mod gpio;
pub mod i2c;
pub mod mcg;
pub mod pdb;
pub mod pit;
pub mod port;
mod registers;
pub mod sim;
pub mod spi;
pub mod system;
pub mod uart;
pub mod wdog;

use cyclescope_machine::TimingRow;

pub use adc::Adc;
pub use dmamux::Dmamux;
pub use edma::Edma;
pub use fmc::Fmc;
pub use ftfl::Ftfl;
pub use gpio::{Gpio, PinRoles};
pub use i2c::I2c;
pub use mcg::Mcg;
pub use pdb::Pdb;
pub use pit::Pit;
pub use port::PortControl;
pub use registers::after_reset;
pub use sim::Sim;
pub use spi::Spi;
pub use system::System;
pub use uart::Uart;
pub use wdog::Wdog;

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] =
    &[adc::ROWS, edma::ROWS, fmc::ROWS, i2c::ROWS, mcg::ROWS, pdb::ROWS, sim::ROWS, spi::ROWS, uart::ROWS, wdog::ROWS];
