//! Half precision: the IEEE format and Arm's alternative one.

use cyclescope_float::{
    Class, DEFAULT_NAN, EXPONENT_OF_ZERO, Environment as _, INFINITY, Operand, Real, Rounded, SIGN, round, round_to,
    round_unbounded, unpack,
};

use super::fpscr::Fpscr;

/// VCVTB and VCVTT from half precision, FPHalfToSingle(): exact.
pub(crate) fn half_to_single(half: u16, fpscr: &mut Fpscr) -> u32 {
    let operand = unpack_half(half, fpscr);
    let sign = operand.real.sign;
    if operand.class == Class::SignallingNan {
        fpscr.raise(Fpscr::IOC);
    }
    match operand.class {
        Class::Zero => sign,
        Class::Infinity => sign | INFINITY,
        Class::QuietNan | Class::SignallingNan if fpscr.default_nan() => DEFAULT_NAN,
        Class::QuietNan | Class::SignallingNan => sign | DEFAULT_NAN | (operand.bits & 0x01FF) << 13,
        Class::Number => round(operand.real, fpscr),
    }
}

/// VCVTB and VCVTT to half precision, FPSingleToHalf(). The alternative format has no NaN, which becomes a zero, and no
/// infinity, which saturates; both are invalid operations.
pub(crate) fn single_to_half(a: u32, fpscr: &mut Fpscr) -> u16 {
    let operand = unpack(a, fpscr);
    let sign = (operand.real.sign >> 16) as u16;
    let alternative = fpscr.alternative_half();
    let outside = operand.is_nan() || operand.class == Class::Infinity;
    if operand.class == Class::SignallingNan || (alternative && outside) {
        fpscr.raise(Fpscr::IOC);
    }
    match operand.class {
        Class::Zero => sign,
        Class::Infinity => sign | if alternative { 0x7FFF } else { 0x7C00 },
        Class::QuietNan | Class::SignallingNan if alternative => sign,
        Class::QuietNan | Class::SignallingNan if fpscr.default_nan() => 0x7E00,
        Class::QuietNan | Class::SignallingNan => sign | 0x7E00 | (a >> 13 & 0x01FF) as u16,
        Class::Number => round_to_half(operand.real, fpscr),
    }
}

/// FPRound() to half precision of a value that is not zero. Half precision is never flushed to zero.
fn round_to_half(value: Real, fpscr: &mut Fpscr) -> u16 {
    const MAGNITUDE: u32 = 0x7FFF;
    const INFINITY: u32 = 0x7C00;
    let negative = value.sign != 0;
    let bits = if fpscr.alternative_half() {
        alternative_half(value, fpscr)
    } else {
        match round_to::<_, 5, 10>(value, false, fpscr) {
            Rounded::Fits(bits) => bits,
            Rounded::TooLarge if fpscr.rounding().overflows_to_infinity(negative) => INFINITY,
            Rounded::TooLarge => INFINITY - 1,
        }
    };
    (u32::from(negative) << 15 | bits & MAGNITUDE) as u16
}

/// The alternative format uses the highest exponent for numbers. A value beyond them is invalid, neither overflow nor
/// inexact, and saturates.
fn alternative_half(value: Real, fpscr: &mut Fpscr) -> u32 {
    let mut rounded = *fpscr;
    let bits = round_unbounded::<_, 5, 10>(value, false, &mut rounded);
    if bits < 1 << 15 {
        *fpscr = rounded;
        return bits;
    }
    fpscr.raise(Fpscr::IOC);
    0x7FFF
}

/// FPUnpack() of half precision. It is never flushed to zero; the alternative format has no infinities and no NaNs.
fn unpack_half(half: u16, fpscr: &Fpscr) -> Operand {
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
