//! Operands and their classes.

use crate::environment::{Environment, flags};
use crate::round::Real;
use crate::{DEFAULT_NAN, SIGN};

/// The exponent of a zero: below that of any number, so that a zero never decides how a sum is aligned.
pub const EXPONENT_OF_ZERO: i32 = -10_000;

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A zero of either sign.
    Zero,
    /// A number other than zero.
    Number,
    /// An infinity of either sign.
    Infinity,
    /// A NaN whose fraction has its highest bit set.
    QuietNan,
    /// Any other NaN.
    SignallingNan,
}

/// An operand taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its kind.
    pub class: Class,
    /// The value of a zero or a number, a number's mantissa having bit 23 set; of the others only the sign counts.
    pub real: Real,
    /// The bits it was.
    pub bits: u32,
}

impl Operand {
    /// Tells whether the operand is a NaN of either kind.
    #[inline]
    pub fn is_nan(&self) -> bool {
        matches!(self.class, Class::QuietNan | Class::SignallingNan)
    }
}

/// Tells whether a single-precision value is a normal number.
#[inline(always)]
pub fn is_normal(bits: u32) -> bool {
    bits.wrapping_add(0x0080_0000) & !SIGN >= 0x0100_0000
}

/// Takes an operand apart. A subnormal number is a zero where the environment flushes to zero.
pub fn unpack<E: Environment>(bits: u32, environment: &mut E) -> Operand {
    let fraction = bits & 0x007F_FFFF;
    let zero = Real { sign: bits & SIGN, exponent: EXPONENT_OF_ZERO, mantissa: 0 };
    let (class, real) = match (bits >> 23 & 0xFF, fraction) {
        (0, 0) => (Class::Zero, zero),
        (0, _) if environment.flushes_to_zero() => {
            environment.raise(flags::INPUT_DENORMAL);
            (Class::Zero, zero)
        }
        (0, _) => {
            let subnormal = Real { exponent: -149, mantissa: u64::from(fraction), ..zero };
            (Class::Number, subnormal.scaled_up(fraction.leading_zeros() - 8))
        }
        (0xFF, 0) => (Class::Infinity, zero),
        (0xFF, _) if fraction & 1 << 22 != 0 => (Class::QuietNan, zero),
        (0xFF, _) => (Class::SignallingNan, zero),
        _ => (Class::Number, Real::normal(bits)),
    };
    Operand { class, real, bits }
}

/// The result of an operation that has none.
pub fn invalid<E: Environment>(environment: &mut E) -> u32 {
    environment.raise(flags::INVALID);
    DEFAULT_NAN
}
