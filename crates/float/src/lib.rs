//! IEEE 754 single precision on bit patterns: the arithmetic that floating-point units of several architectures share.
//!
//! A value is a `u32`. An [`Environment`] is the unit's status and control register: it says how to round, accumulates
//! the exception [`flags`], and holds the architecture's own rules (the NaN that a NaN operand leads to, flush-to-zero,
//! when a result counts as tiny). No function touches the host's floating-point unit.
//!
//! The way through an operation: *unpack* the operands to a class and a [`Real`], let a NaN decide, compute exactly (or
//! with a sticky bit where the exact value is too long), *round* once. Operands that are all normal numbers skip the
//! first two steps, inline; all others take a call.
#![forbid(unsafe_code)]

mod arithmetic;
mod compare;
mod convert;
mod environment;
mod multiply_add;
mod round;
mod rounding;
mod unpack;

pub use arithmetic::{abs, add, div, mul, neg, sqrt, sub};
pub use compare::{Relation, compare};
pub use convert::{Integers, from_integer, to_integer};
pub use environment::{Environment, flags};
pub use multiply_add::{PRODUCT_HEADROOM, multiply_add};
pub use round::{HEADROOM, Real, Rounded, round, round_to, round_unbounded};
pub use rounding::Rounding;
pub use unpack::{Class, EXPONENT_OF_ZERO, Operand, invalid, unpack};

/// The quiet NaN that an operation without a result gives.
pub const DEFAULT_NAN: u32 = 0x7FC0_0000;
/// Positive infinity.
pub const INFINITY: u32 = 0x7F80_0000;
/// The sign bit.
pub const SIGN: u32 = 1 << 31;
