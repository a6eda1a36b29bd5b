//! The arithmetic of the floating-point extension FPv4-SP, on bit patterns.
//!
//! Single precision values are `u32`, half precision values `u16`. Each function that rounds, or that looks at a NaN, takes
//! the [`Fpscr`]: it obeys the control bits (rounding mode, flush-to-zero, default NaN, alternative half precision) and
//! accumulates the exception flags. No function touches the host's floating-point unit.
//!
//! `crates/float` has what is no different on other architectures; here are the register with Armv7-M's rules, and what only
//! Armv7-M has.
//!
//! Trapped exceptions do not exist on Armv7-M, so that the flags are all there is to see of an exception.
//!
//! Source: Armv7-M Architecture Reference Manual, DDI 0403E.b, §A2.5 and the pseudocode functions named at each function.

mod compare;
mod convert;
mod fpscr;
mod half;
mod multiply_add;
#[cfg(test)]
mod tests;

pub(crate) use compare::compare;
pub(crate) use convert::{
    expand_imm, from_i32, from_signed_fixed, from_u32, from_unsigned_fixed, to_i32, to_signed_fixed, to_u32,
    to_unsigned_fixed,
};
pub use cyclescope_float::Rounding;
pub(crate) use cyclescope_float::{abs, add, div, mul, neg, sqrt, sub};
pub use fpscr::Fpscr;
pub(crate) use half::{half_to_single, single_to_half};
pub(crate) use multiply_add::{fma, fms, fnma, fnms, mla, mls, nmla, nmls, nmul};
