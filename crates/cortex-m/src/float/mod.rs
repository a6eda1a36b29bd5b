//! The arithmetic of the floating-point extension FPv4-SP, on bit patterns.
//!
//! Single precision values are `u32`, half precision values `u16`. Each function that rounds, or that looks at a NaN, takes
//! the [`Fpscr`]: it obeys the control bits (rounding mode, flush-to-zero, default NaN, alternative half precision) and
//! accumulates the exception flags. No function touches the host's floating-point unit.
//!
//! The way through an operation is the manual's: *unpack* the operands to a class and a `Real`, let a NaN
//! decide, compute exactly (or with a sticky bit where the exact value is too long), *round* once. Operands that are all
//! normal numbers skip the first two steps, inline; all others take a call.
//!
//! Trapped exceptions do not exist on Armv7-M, so that the flags are all there is to see of an exception.
//!
//! Source: Armv7-M Architecture Reference Manual, DDI 0403E.b, §A2.5 and the pseudocode functions named at each function.

mod arithmetic;
mod convert;
mod fpscr;
mod multiply_add;
mod round;
#[cfg(test)]
mod tests;
mod unpack;

pub(crate) use arithmetic::{abs, add, compare, div, mul, neg, nmul, sqrt, sub};
pub(crate) use convert::{
    expand_imm, from_i32, from_signed_fixed, from_u32, from_unsigned_fixed, half_to_single, single_to_half, to_i32,
    to_signed_fixed, to_u32, to_unsigned_fixed,
};
pub use fpscr::{Fpscr, Rounding};
pub(crate) use multiply_add::{fma, fms, fnma, fnms, mla, mls, nmla, nmls};

/// FPDefaultNaN() for single precision.
pub(crate) const DEFAULT_NAN: u32 = 0x7FC0_0000;
/// FPInfinity() for single precision, positive.
pub(crate) const INFINITY: u32 = 0x7F80_0000;
/// The sign bit of single precision.
pub(crate) const SIGN: u32 = 1 << 31;
