//! Interrupts and exceptions: `privileged` has those of the privileged architecture, `pico` PicoRV32's.
//!
//! A line of [`InterruptLines`](cyclescope_machine::InterruptLines) is a bit of mip, or one of PicoRV32's inputs.

mod hooks;
mod lines;
mod pico;
mod pico_irq;
mod privileged;
mod stage;

pub(crate) use lines::Lines;
pub use pico_irq::PicoIrq;

/// In signals, the number of an interrupt is its number in mcause with this added; that of an exception is its cause.
pub const INTERRUPT: u16 = 0x8000;
