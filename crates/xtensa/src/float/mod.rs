//! The arithmetic of the single-precision coprocessor with its divide and square root steps, on bit patterns.
//!
//! Each function that rounds, or that looks at a NaN, takes the [`Fcsr`]: it obeys the rounding mode and accumulates
//! the exception flags. No function touches the host's floating-point unit. `crates/float` has what is no different on
//! other architectures; here are the registers with Xtensa's rules, the conversions, and the [`steps`] of division and
//! square root.
//!
//! Subnormal numbers are never flushed to zero, a result underflows if it is tiny after rounding, and flags are all
//! there is to see of an exception: the enable bits of FCR are stored and have no effect.
//!
//! Source: Xtensa ISA Reference Manual, RC-2010.1, §4.3.11 for the instructions it has. It has none of the steps, says
//! of the flags that an implementation may omit them, and leaves NaNs open. These follow measurements of an ESP32
//! (revision 3.1, LX6) and an ESP32-S3, which agree bit for bit: 5,630 results with their flags and all 2²³ fractions
//! of the four estimates at 15 exponents and signs (the project LightPlayer's ADR of 2026-07-31 on the floating-point
//! unit of Xtensa, and its captures).

mod arithmetic;
mod convert;
mod fcsr;
pub(crate) mod steps;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::{Predicate, compare, madd, msub};
pub(crate) use convert::{ceil, float, floor, round, trunc, ufloat, utrunc};
pub(crate) use cyclescope_float::{abs, add, mul, neg, sub};
pub use fcsr::Fcsr;
