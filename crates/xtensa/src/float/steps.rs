//! The steps of division and square root, from which the compiler's library makes sequences with correctly rounded
//! results.
//!
//! A sequence divides reduced numbers. NEXP01.S brings an operand into [1, 4) and leaves out an even power of two;
//! DIV0.S or SQRT0.S estimates the reciprocal, MADDN.S improves it. MKDADJ.S or MKSADJ.S makes an *adjustment*, the
//! power of two that was left out or the class of a special result, as two bytes: one that ADDEXPM.S adds to the
//! exponent of the quotient, and one that ADDEXP.S adds to that of the reciprocal. Both are multiples of 8, so that the
//! exponents of the reduced numbers can be told from them. DIVN.S puts the two together and rounds once.
//!
//! The estimates take the highest fraction bits of the operand and give seven: the reciprocal, or that of the square
//! root, of the middle of the interval, rounded.
//!
//! [`divn`] is exact for what sequences lead to. Of operands that no sequence makes, measurements agree with it in 72
//! of 100 cases, which no rule that is known explains.

use cyclescope_float::{
    Class, DEFAULT_NAN, Environment as _, HEADROOM, INFINITY, Operand, PRODUCT_HEADROOM, Real, SIGN, flags,
    multiply_add, round, unpack,
};

use super::fcsr::Fcsr;

/// The exponent's field.
const EXPONENT: u32 = 0xFF << 23;
/// The fraction's field.
const FRACTION: u32 = (1 << 23) - 1;
/// The bit that tells a quiet NaN.
const QUIET: u32 = 1 << 22;

/// Seven fraction bits of the reciprocal of 1 + (i + ½) ÷ 128, seen as a number in [1, 2).
const RECIPROCAL: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        // 256 × 256 ÷ (257 + 2i), rounded. The last one is one more than that.
        let doubled = 257 + 2 * i as u32;
        let rounded = (2 * (1 << 16) + doubled) / (2 * doubled) + (i == 127) as u32;
        table[i] = (rounded & 0x7F) as u8;
        i += 1;
    }
    table
};

/// Seven fraction bits of the reciprocal of √x, seen as a number in [1, 2): in the first half for an x in [2, 4), as is
/// an operand with an even exponent field, in the second one for an x in [1, 2).
const RECIPROCAL_ROOT: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        // The middle of the interval is `middle` ÷ 128, or twice that: the result is 256 ÷ √(middle ÷ 128), rounded.
        let middle = if i < 64 { 2 * (129 + 2 * i as u64) } else { 129 + 2 * (i as u64 - 64) };
        let square = (((1u64 << 16) * 128) << 32) / middle;
        let root = square.isqrt();
        // One is one more than that: 164.4993 is 165.
        table[i] = ((((root + (1 << 15)) >> 16) + (i == 13) as u64) & 0x7F) as u8;
        i += 1;
    }
    table
};

/// CONST.S: 0, 1, 2 or ½.
#[inline]
pub(crate) fn constant(index: u32) -> u32 {
    [0, 0x3F80_0000, 0x4000_0000, 0x3F00_0000][(index & 3) as usize]
}

/// MADDN.S: `r + s × t` to nearest, without flags.
#[inline]
pub(crate) fn maddn(r: u32, s: u32, t: u32) -> u32 {
    multiply_add(r, s, t, 0, &mut Fcsr::NEAREST.clone())
}

/// An operand without flags: class, and of a number its exponent field, continued below zero, and its fraction.
fn reduced(bits: u32) -> (Operand, i32, u32) {
    let operand = unpack(bits, &mut Fcsr::NEAREST.clone());
    (operand, operand.real.exponent + (127 + 23), operand.real.mantissa as u32 & FRACTION)
}

/// The estimate's fraction field of a reciprocal.
fn reciprocal(fraction: u32) -> u32 {
    u32::from(RECIPROCAL[(fraction >> 16) as usize]) << 16
}

/// The estimate's fraction field of a root's reciprocal.
fn reciprocal_root(exponent: i32, fraction: u32) -> u32 {
    let half = if exponent & 1 == 0 { 0 } else { 64 };
    u32::from(RECIPROCAL_ROOT[half + (fraction >> 17) as usize]) << 16
}

/// A number from sign, exponent field and fraction. Above the numbers it is an infinity; below the normal ones it is
/// shifted, and what that cuts off is lost.
fn pack(sign: u32, exponent: i32, fraction: u32) -> u32 {
    match exponent {
        255.. => sign | INFINITY,
        1..255 => sign | (exponent as u32) << 23 | fraction,
        _ => sign | (fraction | 1 << 23).checked_shr((1 - exponent) as u32).unwrap_or(0),
    }
}

/// RECIP0.S: an estimate of `1 ÷ s`. Raises no flags.
pub(crate) fn recip0(s: u32) -> u32 {
    let (operand, exponent, fraction) = reduced(s);
    let sign = s & SIGN;
    match operand.class {
        Class::Zero => sign | INFINITY,
        Class::Infinity => sign,
        Class::Number => pack(sign, 253 - exponent, reciprocal(fraction)),
        // The estimate of the fraction, shifted by one together with the leading one, which makes it quiet.
        Class::QuietNan | Class::SignallingNan => sign | INFINITY | QUIET | reciprocal(s & FRACTION) >> 1,
    }
}

/// DIV0.S: an estimate of `1 ÷ -nexp01(s)`. Infinities, NaNs and zeros pass as the numbers that their fractions are.
/// Raises no flags.
pub(crate) fn div0(s: u32) -> u32 {
    let (operand, exponent, fraction) = reduced(s);
    let (field, fraction) = match operand.class {
        Class::Number => (125 + (exponent & 1), fraction),
        _ => (126, s & FRACTION),
    };
    pack(s & SIGN, field, reciprocal(fraction))
}

/// RSQRT0.S: an estimate of `1 ÷ √s`. Raises no flags.
pub(crate) fn rsqrt0(s: u32) -> u32 {
    let (operand, exponent, fraction) = reduced(s);
    let sign = s & SIGN;
    match operand.class {
        Class::Zero => sign | INFINITY,
        Class::Infinity if sign == 0 => 0,
        Class::Number if sign == 0 => pack(0, (380 - exponent) >> 1, reciprocal_root(exponent, fraction)),
        Class::Number => sign | INFINITY | QUIET | reciprocal_root(exponent, fraction),
        _ => sign | INFINITY | QUIET | reciprocal_root(255, s & FRACTION),
    }
}

/// SQRT0.S: an estimate of `1 ÷ √-nexp01(s)`, with the sign of `s`. Infinities, NaNs and zeros pass as the numbers that
/// their fields are. Raises no flags.
pub(crate) fn sqrt0(s: u32) -> u32 {
    let (operand, exponent, fraction) = reduced(s);
    let root = match operand.class {
        Class::Number => reciprocal_root(exponent, fraction),
        Class::Zero => reciprocal_root(0, 0),
        _ => reciprocal_root(255, s & FRACTION),
    };
    pack(s & SIGN, 126, root)
}

/// NEXP01.S: `-s` with an even power of two left out, in [1, 4) but for the sign. Zeros and infinities become ones; of
/// a NaN the sign changes. Raises no flags.
pub(crate) fn nexp01(s: u32) -> u32 {
    let (operand, exponent, fraction) = reduced(s);
    let sign = s & SIGN ^ SIGN;
    match operand.class {
        Class::Number => pack(sign, 127 + ((exponent - 127) & 1), fraction),
        Class::Zero | Class::Infinity => pack(sign, 127, 0),
        Class::QuietNan | Class::SignallingNan => s ^ SIGN,
    }
}

/// A special result, as an adjustment has it.
#[derive(Clone, Copy)]
enum Special {
    Zero = 0,
    Infinity = 2,
    Nan = 4,
}

/// Above the power of two of any quotient: the adjustment of a special result.
const SPECIALS: i32 = 12 * 32;

/// An adjustment: bits 4 to 0 of the power are for the reciprocal, those above for the quotient.
fn adjustment(power: i32) -> u32 {
    let byte = |value: i32| (127 + 8 * value) as u32 & 0xFF;
    byte(power & 31) << 23 | byte(power >> 5) << 14 | 0xC000
}

fn special(class: Special, sign: u32) -> u32 {
    adjustment(SPECIALS + class as i32 + (sign >> 31) as i32)
}

/// MKSADJ.S: the adjustment of the root of `s`: half the power of two that NEXP01.S leaves out, or the class of a
/// special result. A negative number is an invalid operation, a signalling NaN too.
pub(crate) fn mksadj(s: u32, fcsr: &mut Fcsr) -> u32 {
    let (operand, exponent, _) = reduced(s);
    let sign = s & SIGN;
    match operand.class {
        Class::Zero => special(Special::Zero, sign),
        Class::QuietNan => special(Special::Nan, 0),
        Class::Infinity if sign == 0 => special(Special::Infinity, 0),
        Class::Number if sign == 0 => adjustment((exponent - 127) >> 1),
        _ => {
            fcsr.raise(flags::INVALID);
            special(Special::Nan, 0)
        }
    }
}

/// MKDADJ.S: the adjustment of the quotient `s ÷ r`: the power of two that two NEXP01.S leave out, or the class of a
/// special result. Raises the flags of a division without a finite result.
pub(crate) fn mkdadj(r: u32, s: u32, fcsr: &mut Fcsr) -> u32 {
    let ((divisor, below, _), (dividend, above, _)) = (reduced(r), reduced(s));
    let sign = (r ^ s) & SIGN;
    match (dividend.class, divisor.class) {
        (dividend, divisor) if dividend == Class::SignallingNan || divisor == Class::SignallingNan => {
            fcsr.raise(flags::INVALID);
            special(Special::Nan, sign)
        }
        (Class::QuietNan, _) | (_, Class::QuietNan) => special(Special::Nan, sign),
        (Class::Zero, Class::Zero) | (Class::Infinity, Class::Infinity) => {
            fcsr.raise(flags::INVALID);
            special(Special::Nan, sign)
        }
        (Class::Zero, _) | (_, Class::Infinity) => special(Special::Zero, sign),
        (Class::Infinity, _) => special(Special::Infinity, sign),
        (_, Class::Zero) => {
            fcsr.raise(flags::DIVISION_BY_ZERO);
            special(Special::Infinity, sign)
        }
        _ => adjustment(((above - 127) & !1) - ((below - 127) & !1)),
    }
}

/// `bits` with `by` added to the exponent's field, and another sign with `sign`.
fn with_exponent(bits: u32, by: u32, sign: u32) -> u32 {
    (bits & !EXPONENT | bits.wrapping_add(by << 23) & EXPONENT) ^ sign
}

/// ADDEXP.S: adds the exponent of `s` to that of `r`, modulo 256, and multiplies the signs.
#[inline]
pub(crate) fn addexp(r: u32, s: u32) -> u32 {
    with_exponent(r, (s >> 23).wrapping_sub(127), s & SIGN)
}

/// ADDEXPM.S: as [`addexp`], with the exponent in bits 21 to 14 of `s` and the sign in bit 22.
#[inline]
pub(crate) fn addexpm(r: u32, s: u32) -> u32 {
    with_exponent(r, (s >> 14).wrapping_sub(127), s << 9 & SIGN)
}

/// An adjusted operand: the reduced number, and what was added to its exponent, in eighths.
fn adjusted(bits: u32) -> (Real, i32) {
    let added = (bits >> 23 & 0xFF).wrapping_sub(127) as u8 as i8;
    let eighths = (i32::from(added) + 4) >> 3;
    let exponent = i32::from(added) - 8 * eighths - 23;
    (Real { sign: bits & SIGN, exponent, mantissa: u64::from(bits & FRACTION | 1 << 23) }, eighths)
}

/// DIVN.S: `r + s × t` with the power of two that their adjustments say, rounded once, or the special result that they
/// say. `r` is the quotient, `s` its error, `t` the reciprocal.
pub(crate) fn divn(r: u32, s: u32, t: u32, fcsr: &mut Fcsr) -> u32 {
    let (error, ..) = reduced(s);
    if error.is_nan() {
        return s | QUIET;
    }
    let ((quotient, high), (reciprocal, low)) = (adjusted(r), adjusted(t));
    let power = 32 * high + (low & 31);
    let sign = ((power & 1) as u32) << 31;
    match power - SPECIALS {
        0 | 1 => return sign,
        2 | 3 => return sign | INFINITY,
        4 | 5 => {
            fcsr.raise(flags::INVALID);
            return DEFAULT_NAN;
        }
        _ => {}
    }
    let product = match error.class {
        Class::Infinity => return (s ^ t) & SIGN | INFINITY,
        _ => error.real.times(reciprocal),
    };
    let sum = quotient.scaled_up(HEADROOM).sum(product.scaled_up(PRODUCT_HEADROOM));
    if sum.mantissa == 0 {
        // Equal values leave the end of the adder's window.
        return pack(0, power - 50 + 127, 0);
    }
    round(Real { exponent: sum.exponent + power, ..sum }, fcsr)
}
