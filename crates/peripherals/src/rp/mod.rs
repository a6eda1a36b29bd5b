//! Blocks of Raspberry Pi's RP2040 (RP-008371-DS, its data sheet).
//!
//! A write reaches a register as it is, or through one of three further addresses that invert, set or clear bits: such a
//! [`Write`](crate::Write) covers the bits that the program names ([`aliased`]), and [`ones`] gives them for flags that writing
//! clears, whichever way. Narrow writes cover the whole word.

#[allow(missing_docs)]
pub mod generated;

pub mod clocks;
pub mod oscillators;
mod registers;
pub mod resets;
pub mod spi;
pub mod uart;

use cyclescope_machine::TimingRow;

pub use clocks::ClockGenerators;
pub use oscillators::Oscillator;
pub use registers::{after_reset, aliased, ones};
pub use resets::Resets;
pub use spi::Spi;

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] = &[oscillators::ROWS, spi::ROWS, uart::ROWS];
