//! Conversions. Each has a scale: the integer stands for itself times 2⁻ˢᶜᵃˡᵉ.

use cyclescope_float::{Environment as _, Integers, Rounding, flags, from_integer, to_integer};

use super::fcsr::Fcsr;

/// The integers of the signed conversions.
const SIGNED: Integers = Integers { min: i32::MIN as i64, max: i32::MAX as i64, nan: i32::MAX as i64 };

/// FLOAT.S: a signed integer times 2⁻ˢᶜᵃˡᵉ.
#[inline]
pub(crate) fn float(value: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    from_integer(i64::from(value as i32), scale, fcsr)
}

/// UFLOAT.S: an unsigned integer times 2⁻ˢᶜᵃˡᵉ.
#[inline]
pub(crate) fn ufloat(value: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    from_integer(i64::from(value), scale, fcsr)
}

/// ROUND.S: `s × 2ˢᶜᵃˡᵉ` to the nearest signed integer, ties to even. The greatest one is the result for a NaN, the
/// next one for a value out of range; both are invalid operations.
#[inline]
pub(crate) fn round(s: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    signed(s, scale, Rounding::Nearest, fcsr)
}

/// TRUNC.S: towards zero, else as [`round`].
#[inline]
pub(crate) fn trunc(s: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    signed(s, scale, Rounding::Zero, fcsr)
}

/// FLOOR.S: towards minus infinity, else as [`round`].
#[inline]
pub(crate) fn floor(s: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    signed(s, scale, Rounding::MinusInfinity, fcsr)
}

/// CEIL.S: towards plus infinity, else as [`round`].
#[inline]
pub(crate) fn ceil(s: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    signed(s, scale, Rounding::PlusInfinity, fcsr)
}

fn signed(s: u32, scale: u32, rounding: Rounding, fcsr: &mut Fcsr) -> u32 {
    to_integer(s, scale, rounding, SIGNED, fcsr) as u32
}

/// UTRUNC.S: `s × 2ˢᶜᵃˡᵉ` towards zero, to an unsigned integer. The greatest one is the result for a NaN and for a
/// value above all. A negative value that is no zero when truncated becomes the signed integer's bits, at least
/// `i32::MIN`. All these are invalid operations and not inexact ones.
///
/// The manual gives 0x8000_0000 for all negative values; hardware does not.
pub(crate) fn utrunc(s: u32, scale: u32, fcsr: &mut Fcsr) -> u32 {
    const INTEGERS: Integers = Integers { min: i32::MIN as i64, max: u32::MAX as i64, nan: u32::MAX as i64 };
    let mut own = fcsr.without_flags();
    let value = to_integer(s, scale, Rounding::Zero, INTEGERS, &mut own);
    fcsr.raise(if value < 0 { flags::INVALID } else { own.flags() });
    value as u32
}
