//! Conversions: integers, fixed point, half precision, immediates.

use super::fpscr::{Fpscr, Rounding};
use super::round::{Real, round, round_to_half};
use super::unpack::{Class, unpack, unpack_half};
use super::{DEFAULT_NAN, INFINITY, SIGN};

/// VCVT.F32.S32, FixedToFP(): rounded as the FPSCR says.
#[inline]
pub(crate) fn from_i32(value: i32, fpscr: &mut Fpscr) -> u32 {
    from_integer(i64::from(value), 0, fpscr)
}

/// VCVT.F32.U32, FixedToFP(): rounded as the FPSCR says.
#[inline]
pub(crate) fn from_u32(value: u32, fpscr: &mut Fpscr) -> u32 {
    from_integer(i64::from(value), 0, fpscr)
}

/// VCVT.S32.F32 with `Rounding::Zero`, VCVTR with the FPSCR's mode: FPToFixed(). A NaN is 0, a value out of range
/// saturates; both are invalid operations.
#[inline]
pub(crate) fn to_i32(a: u32, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    to_integer(a, 0, rounding, i64::from(i32::MIN), i64::from(i32::MAX), fpscr) as u32
}

/// VCVT.U32.F32 with `Rounding::Zero`, VCVTR with the FPSCR's mode: FPToFixed(), as [`to_i32`].
#[inline]
pub(crate) fn to_u32(a: u32, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    to_integer(a, 0, rounding, 0, i64::from(u32::MAX), fpscr) as u32
}

/// VCVT.F32.S16 and .S32 with fraction bits: `value × 2^-fraction_bits`, to nearest whatever the FPSCR says.
///
/// `size` is 16 or 32; of `operand` its low `size` bits count. `fraction_bits` is at most 32.
pub(crate) fn from_signed_fixed(operand: u32, size: u32, fraction_bits: u32, fpscr: &mut Fpscr) -> u32 {
    let value = if size == 16 { i64::from(operand as i16) } else { i64::from(operand as i32) };
    nearest(fpscr, |fpscr| from_integer(value, fraction_bits, fpscr))
}

/// VCVT.F32.U16 and .U32 with fraction bits, as [`from_signed_fixed`].
pub(crate) fn from_unsigned_fixed(operand: u32, size: u32, fraction_bits: u32, fpscr: &mut Fpscr) -> u32 {
    let value = if size == 16 { i64::from(operand as u16) } else { i64::from(operand) };
    nearest(fpscr, |fpscr| from_integer(value, fraction_bits, fpscr))
}

/// VCVT.S16.F32 and .S32 with fraction bits: `a × 2^fraction_bits` towards zero, saturated to `size` (16 or 32) bits and
/// sign-extended to 32.
pub(crate) fn to_signed_fixed(a: u32, size: u32, fraction_bits: u32, fpscr: &mut Fpscr) -> u32 {
    let max = if size == 16 { i64::from(i16::MAX) } else { i64::from(i32::MAX) };
    to_integer(a, fraction_bits, Rounding::Zero, -max - 1, max, fpscr) as u32
}

/// VCVT.U16.F32 and .U32 with fraction bits, as [`to_signed_fixed`] but zero-extended.
pub(crate) fn to_unsigned_fixed(a: u32, size: u32, fraction_bits: u32, fpscr: &mut Fpscr) -> u32 {
    let max = if size == 16 { i64::from(u16::MAX) } else { i64::from(u32::MAX) };
    to_integer(a, fraction_bits, Rounding::Zero, 0, max, fpscr) as u32
}

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

/// VMOV (immediate), VFPExpandImm(): sign, exponent and fraction from eight bits.
#[inline]
pub(crate) fn expand_imm(imm8: u8) -> u32 {
    let imm = u32::from(imm8);
    let exponent = if imm & 0x40 != 0 { 0x1F << 25 } else { 1 << 30 };
    (imm & 0x80) << 24 | exponent | (imm & 0x3F) << 19
}

#[inline]
fn from_integer(value: i64, fraction_bits: u32, fpscr: &mut Fpscr) -> u32 {
    if value == 0 {
        return 0;
    }
    let sign = if value < 0 { SIGN } else { 0 };
    round(Real { sign, exponent: -(fraction_bits as i32), mantissa: value.unsigned_abs() }, fpscr)
}

/// Runs `convert` with the rounding mode to nearest and keeps only the flags it raises.
fn nearest(fpscr: &mut Fpscr, convert: impl FnOnce(&mut Fpscr) -> u32) -> u32 {
    let mut changed = Fpscr::from_bits(fpscr.bits() & !Fpscr::RMODE);
    let result = convert(&mut changed);
    fpscr.raise(changed.bits());
    result
}

/// FPToFixed() to an integer from `min` to `max`.
fn to_integer(a: u32, fraction_bits: u32, rounding: Rounding, min: i64, max: i64, fpscr: &mut Fpscr) -> i64 {
    let operand = unpack(a, fpscr);
    let real = operand.real;
    let negative = real.sign != 0;
    let limit = if negative { min } else { max };
    match operand.class {
        Class::Zero => return 0,
        Class::QuietNan | Class::SignallingNan => {
            fpscr.raise(Fpscr::IOC);
            return 0;
        }
        Class::Infinity => {
            fpscr.raise(Fpscr::IOC);
            return limit;
        }
        Class::Number => {}
    }
    // 24 bits of mantissa: more than 32 bits of integer are out of range in any case.
    let (kept, error) = match real.exponent + fraction_bits as i32 {
        up @ 0.. => (real.mantissa << up.min(32), 0),
        down @ -63..0 => (real.mantissa >> -down, real.mantissa << (64 + down)),
        _ => (0, 1),
    };
    let magnitude = (kept + u64::from(rounding.rounds_up(negative, kept & 1 != 0, error))) as i64;
    let value = if negative { -magnitude } else { magnitude };
    if value < min || value > max {
        fpscr.raise(Fpscr::IOC);
        return limit;
    }
    fpscr.raise_if_inexact(error != 0);
    value
}
