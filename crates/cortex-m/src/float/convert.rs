//! Conversions: integers, fixed point, immediates.

use cyclescope_float::{Environment as _, Integers, Rounding, from_integer};

use super::fpscr::Fpscr;

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

/// VMOV (immediate), VFPExpandImm(): sign, exponent and fraction from eight bits.
#[inline]
pub(crate) fn expand_imm(imm8: u8) -> u32 {
    let imm = u32::from(imm8);
    let exponent = if imm & 0x40 != 0 { 0x1F << 25 } else { 1 << 30 };
    (imm & 0x80) << 24 | exponent | (imm & 0x3F) << 19
}

/// Runs `convert` with the rounding mode to nearest and keeps only the flags it raises.
fn nearest(fpscr: &mut Fpscr, convert: impl FnOnce(&mut Fpscr) -> u32) -> u32 {
    let mut changed = Fpscr::from_bits(fpscr.bits() & !Fpscr::RMODE);
    let result = convert(&mut changed);
    fpscr.raise(changed.bits());
    result
}

/// FPToFixed() to an integer from `min` to `max`; a NaN is 0.
fn to_integer(a: u32, fraction_bits: u32, rounding: Rounding, min: i64, max: i64, fpscr: &mut Fpscr) -> i64 {
    cyclescope_float::to_integer(a, fraction_bits, rounding, Integers { min, max, nan: 0 }, fpscr)
}
