//! Operands: their classes, and which NaN a NaN operand leads to.

use super::fpscr::Fpscr;
use super::round::Real;
use super::{DEFAULT_NAN, SIGN};

/// Below the exponent of any number, so that a zero never decides how a sum is aligned.
const EXPONENT_OF_ZERO: i32 = -10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Zero,
    Number,
    Infinity,
    QuietNan,
    SignallingNan,
}

/// An operand taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub class: Class,
    /// The value of a zero or a number, a number's mantissa having bit 23 set; of the others only the sign counts.
    pub real: Real,
    pub bits: u32,
}

impl Operand {
    pub fn is_nan(&self) -> bool {
        matches!(self.class, Class::QuietNan | Class::SignallingNan)
    }
}

/// Tells whether a single-precision value is a normal number.
#[inline(always)]
pub(super) fn is_normal(bits: u32) -> bool {
    bits.wrapping_add(0x0080_0000) & !SIGN >= 0x0100_0000
}

/// FPUnpack() of single precision. A subnormal number is a zero where the FPSCR flushes to zero.
pub(super) fn unpack(bits: u32, fpscr: &mut Fpscr) -> Operand {
    let fraction = bits & 0x007F_FFFF;
    let zero = Real { sign: bits & SIGN, exponent: EXPONENT_OF_ZERO, mantissa: 0 };
    let (class, real) = match (bits >> 23 & 0xFF, fraction) {
        (0, 0) => (Class::Zero, zero),
        (0, _) if fpscr.flushes_to_zero() => {
            fpscr.raise(Fpscr::IDC);
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

/// FPUnpack() of half precision. It is never flushed to zero; the alternative format has no infinities and no NaNs.
pub(super) fn unpack_half(half: u16, fpscr: &Fpscr) -> Operand {
    let (bits, fraction) = (u32::from(half), u32::from(half & 0x03FF));
    let zero = Real { sign: bits << 16 & SIGN, exponent: EXPONENT_OF_ZERO, mantissa: 0 };
    let (class, real) = match (bits >> 10 & 0x1F, fraction) {
        (0, 0) => (Class::Zero, zero),
        (0, _) => (Class::Number, Real { exponent: -24, mantissa: u64::from(fraction), ..zero }),
        (0x1F, 0) if !fpscr.alternative_half() => (Class::Infinity, zero),
        (0x1F, _) if !fpscr.alternative_half() => {
            (if fraction & 1 << 9 != 0 { Class::QuietNan } else { Class::SignallingNan }, zero)
        }
        (exponent, _) => {
            (Class::Number, Real { exponent: exponent as i32 - 25, mantissa: u64::from(fraction | 1 << 10), ..zero })
        }
    };
    Operand { class, real, bits }
}

/// FPProcessNaNs() and FPProcessNaNs3(): the first signalling operand, else the first quiet one, else none.
pub(super) fn process_nans<const COUNT: usize>(operands: [&Operand; COUNT], fpscr: &mut Fpscr) -> Option<u32> {
    let first = |class| operands.iter().find(|operand| operand.class == class);
    if let Some(operand) = first(Class::SignallingNan) {
        fpscr.raise(Fpscr::IOC);
        Some(if fpscr.default_nan() { DEFAULT_NAN } else { operand.bits | 1 << 22 })
    } else {
        let operand = first(Class::QuietNan)?;
        Some(if fpscr.default_nan() { DEFAULT_NAN } else { operand.bits })
    }
}

/// The result of an operation that has none.
pub(super) fn invalid(fpscr: &mut Fpscr) -> u32 {
    fpscr.raise(Fpscr::IOC);
    DEFAULT_NAN
}
