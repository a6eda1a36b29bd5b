//! Exceptions and interrupts: `lines` what arrives from outside, `interrupts` what is pending and when it may be taken, `entry` how
//! an exception begins, `hooks` what the engine asks between instructions.
//!
//! A line of [`InterruptLines`](cyclescope_machine::InterruptLines) is the input of the interrupt of its number.

mod entry;
mod hooks;
mod interrupts;
mod lines;

pub(crate) use interrupts::Kinds;
pub(crate) use lines::Lines;

/// In signals, the number of an interrupt is its number in INTERRUPT with this added; that of an exception is EXCCAUSE, and
/// 0x40 to 0x45 are window overflows and underflows, 0x46 the debug exception.
pub const INTERRUPT: u16 = 0x8000;
