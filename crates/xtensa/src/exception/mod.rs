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

/// In signals, the number of an interrupt is its number in INTERRUPT with this added; that of an exception is EXCCAUSE, or one
/// of [`WINDOW_EXCEPTIONS`] and [`DEBUG_EXCEPTION`].
pub const INTERRUPT: u16 = 0x8000;

/// In signals, the window exceptions: overflow and underflow of 4 registers, of 8 and of 12.
pub const WINDOW_EXCEPTIONS: std::ops::RangeInclusive<u16> = 0x40..=0x45;

/// In signals, the debug exception.
pub const DEBUG_EXCEPTION: u16 = 0x46;
