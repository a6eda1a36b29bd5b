//! Operations with one rounding: addition to square root, and those with none.

use super::fpscr::Fpscr;
use super::round::{HEADROOM, Real, round, round_normalised};
use super::unpack::{Class, Operand, invalid, is_normal, process_nans, unpack};
use super::{INFINITY, SIGN};

/// VNEG, FPNeg(): the other sign, of NaNs too.
#[inline]
pub(crate) fn neg(a: u32) -> u32 {
    a ^ SIGN
}

/// VABS, FPAbs(): without the sign, NaNs too.
#[inline]
pub(crate) fn abs(a: u32) -> u32 {
    a & !SIGN
}

/// VADD, FPAdd(): `a + b`.
#[inline]
pub(crate) fn add(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    if is_normal(a) && is_normal(b) { Real::sum_of_normals(a, b, fpscr) } else { add_any(a, b, 0, fpscr) }
}

/// VSUB, FPSub(): `a - b`. A NaN keeps its sign.
#[inline]
pub(crate) fn sub(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    if is_normal(a) && is_normal(b) { Real::sum_of_normals(a, neg(b), fpscr) } else { add_any(a, b, SIGN, fpscr) }
}

/// `a + b` or, with the sign bit in `negate`, `a - b`.
#[inline(never)]
fn add_any(a: u32, b: u32, negate: u32, fpscr: &mut Fpscr) -> u32 {
    let (a, mut b) = (unpack(a, fpscr), unpack(b, fpscr));
    if let Some(nan) = process_nans([&a, &b], fpscr) {
        return nan;
    }
    b.real.sign ^= negate;
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) if a.real.sign != b.real.sign => invalid(fpscr),
        (Class::Infinity, _) => a.real.sign | INFINITY,
        (_, Class::Infinity) => b.real.sign | INFINITY,
        (Class::Zero, Class::Zero) if a.real.sign == b.real.sign => a.real.sign,
        _ => a.real.scaled_up(HEADROOM).plus(b.real.scaled_up(HEADROOM), fpscr),
    }
}

/// VMUL, FPMul(): `a × b`.
#[inline]
pub(crate) fn mul(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    if is_normal(a) && is_normal(b) {
        // Bit 46 or 47 is the highest.
        let product = Real::normal(a).times(Real::normal(b));
        round_normalised(product.scaled_up(16 - (product.mantissa >> 47) as u32), fpscr)
    } else {
        mul_any(a, b, fpscr)
    }
}

#[inline(never)]
fn mul_any(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (a, b) = (unpack(a, fpscr), unpack(b, fpscr));
    if let Some(nan) = process_nans([&a, &b], fpscr) {
        return nan;
    }
    let sign = a.real.sign ^ b.real.sign;
    match (a.class, b.class) {
        (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity) => invalid(fpscr),
        (Class::Infinity, _) | (_, Class::Infinity) => sign | INFINITY,
        (Class::Zero, _) | (_, Class::Zero) => sign,
        _ => round(a.real.times(b.real), fpscr),
    }
}

/// VNMUL: `-(a × b)`, rounded before it is negated; a NaN is negated too.
#[inline]
pub(crate) fn nmul(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    neg(mul(a, b, fpscr))
}

/// VDIV, FPDiv(): `a ÷ b`.
pub(crate) fn div(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (a, b) = (unpack(a, fpscr), unpack(b, fpscr));
    if let Some(nan) = process_nans([&a, &b], fpscr) {
        return nan;
    }
    let sign = a.real.sign ^ b.real.sign;
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => invalid(fpscr),
        (Class::Infinity, _) => sign | INFINITY,
        (_, Class::Zero) => {
            fpscr.raise(Fpscr::DZC);
            sign | INFINITY
        }
        (Class::Zero, _) | (_, Class::Infinity) => sign,
        _ => {
            // 24 bits by 24 bits: 32 or 33 bits of quotient and a sticky one.
            let dividend = a.real.scaled_up(33);
            let quotient = dividend.mantissa / b.real.mantissa;
            let sticky = u64::from(quotient * b.real.mantissa != dividend.mantissa);
            let exponent = dividend.exponent - b.real.exponent - 1;
            round(Real { sign, exponent, mantissa: quotient << 1 | sticky }, fpscr)
        }
    }
}

/// VSQRT, FPSqrt(): the square root; minus zero's is minus zero.
pub(crate) fn sqrt(a: u32, fpscr: &mut Fpscr) -> u32 {
    let a = unpack(a, fpscr);
    if let Some(nan) = process_nans([&a], fpscr) {
        return nan;
    }
    match a.class {
        Class::Zero => a.real.sign,
        _ if a.real.sign != 0 => invalid(fpscr),
        Class::Infinity => INFINITY,
        _ => {
            // An even exponent, and at least 31 bits of root and a sticky one.
            let square = a.real.scaled_up(38 + (a.real.exponent & 1) as u32);
            let root = square.mantissa.isqrt();
            let sticky = u64::from(root * root != square.mantissa);
            round(Real { sign: 0, exponent: square.exponent / 2 - 1, mantissa: root << 1 | sticky }, fpscr)
        }
    }
}

/// VCMP and VCMPE, FPCompare(): writes FPSCR's N, Z, C and V. A signalling NaN is an invalid operation; with `quiet_raises`
/// (VCMPE) a quiet one is too.
#[inline]
pub(crate) fn compare(a: u32, b: u32, quiet_raises: bool, fpscr: &mut Fpscr) {
    let nzcv =
        if is_normal(a) && is_normal(b) { order(total(a), total(b)) } else { compare_any(a, b, quiet_raises, fpscr) };
    fpscr.set_nzcv(nzcv);
}

#[inline(never)]
fn compare_any(a: u32, b: u32, quiet_raises: bool, fpscr: &mut Fpscr) -> u32 {
    let (a, b) = (unpack(a, fpscr), unpack(b, fpscr));
    if a.is_nan() || b.is_nan() {
        if quiet_raises || a.class == Class::SignallingNan || b.class == Class::SignallingNan {
            fpscr.raise(Fpscr::IOC);
        }
        return 0b0011;
    }
    let key = |operand: &Operand| if operand.class == Class::Zero { 0 } else { total(operand.bits) };
    order(key(&a), key(&b))
}

/// A number that orders as the value does, for all but NaNs and zeros.
#[inline(always)]
fn total(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN) as i32;
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

/// N, Z and C of a comparison, without a branch on what is compared.
#[inline(always)]
fn order(a: i32, b: i32) -> u32 {
    u32::from(a < b) << 3 | u32::from(a == b) << 2 | u32::from(a >= b) << 1
}
