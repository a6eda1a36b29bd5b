//! Operations with one rounding: addition to square root, and those with none.

use crate::environment::{Environment, flags};
use crate::round::{HEADROOM, Real, round, round_normalised};
use crate::unpack::{Class, invalid, is_normal, unpack};
use crate::{INFINITY, SIGN};

/// `a` with the other sign, NaNs too.
#[inline]
pub fn neg(a: u32) -> u32 {
    a ^ SIGN
}

/// `a` without its sign, NaNs too.
#[inline]
pub fn abs(a: u32) -> u32 {
    a & !SIGN
}

/// `a + b`.
#[inline]
pub fn add<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
    if is_normal(a) && is_normal(b) { Real::sum_of_normals(a, b, environment) } else { add_any(a, b, 0, environment) }
}

/// `a - b`. A NaN keeps its sign.
#[inline]
pub fn sub<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
    if is_normal(a) && is_normal(b) {
        Real::sum_of_normals(a, neg(b), environment)
    } else {
        add_any(a, b, SIGN, environment)
    }
}

/// `a + b` or, with the sign bit in `negate`, `a - b`.
#[inline(never)]
fn add_any<E: Environment>(a: u32, b: u32, negate: u32, environment: &mut E) -> u32 {
    let (a, mut b) = (unpack(a, environment), unpack(b, environment));
    if let Some(nan) = environment.nan([&a, &b]) {
        return nan;
    }
    b.real.sign ^= negate;
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) if a.real.sign != b.real.sign => invalid(environment),
        (Class::Infinity, _) => a.real.sign | INFINITY,
        (_, Class::Infinity) => b.real.sign | INFINITY,
        (Class::Zero, Class::Zero) if a.real.sign == b.real.sign => a.real.sign,
        _ => a.real.scaled_up(HEADROOM).plus(b.real.scaled_up(HEADROOM), environment),
    }
}

/// `a × b`.
#[inline]
pub fn mul<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
    if is_normal(a) && is_normal(b) {
        // Bit 46 or 47 is the highest.
        let product = Real::normal(a).times(Real::normal(b));
        round_normalised(product.scaled_up(16 - (product.mantissa >> 47) as u32), environment)
    } else {
        mul_any(a, b, environment)
    }
}

#[inline(never)]
fn mul_any<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
    let (a, b) = (unpack(a, environment), unpack(b, environment));
    if let Some(nan) = environment.nan([&a, &b]) {
        return nan;
    }
    let sign = a.real.sign ^ b.real.sign;
    match (a.class, b.class) {
        (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity) => invalid(environment),
        (Class::Infinity, _) | (_, Class::Infinity) => sign | INFINITY,
        (Class::Zero, _) | (_, Class::Zero) => sign,
        _ => round(a.real.times(b.real), environment),
    }
}

/// `a ÷ b`.
pub fn div<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
    let (a, b) = (unpack(a, environment), unpack(b, environment));
    if let Some(nan) = environment.nan([&a, &b]) {
        return nan;
    }
    let sign = a.real.sign ^ b.real.sign;
    match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => invalid(environment),
        (Class::Infinity, _) => sign | INFINITY,
        (_, Class::Zero) => {
            environment.raise(flags::DIVISION_BY_ZERO);
            sign | INFINITY
        }
        (Class::Zero, _) | (_, Class::Infinity) => sign,
        _ => {
            // 24 bits by 24 bits: 32 or 33 bits of quotient and a sticky one.
            let dividend = a.real.scaled_up(33);
            let quotient = dividend.mantissa / b.real.mantissa;
            let sticky = u64::from(quotient * b.real.mantissa != dividend.mantissa);
            let exponent = dividend.exponent - b.real.exponent - 1;
            round(Real { sign, exponent, mantissa: quotient << 1 | sticky }, environment)
        }
    }
}

/// The square root of `a`; minus zero's is minus zero.
pub fn sqrt<E: Environment>(a: u32, environment: &mut E) -> u32 {
    let a = unpack(a, environment);
    if let Some(nan) = environment.nan([&a]) {
        return nan;
    }
    match a.class {
        Class::Zero => a.real.sign,
        _ if a.real.sign != 0 => invalid(environment),
        Class::Infinity => INFINITY,
        _ => {
            // An even exponent, and at least 31 bits of root and a sticky one.
            let square = a.real.scaled_up(38 + (a.real.exponent & 1) as u32);
            let root = square.mantissa.isqrt();
            let sticky = u64::from(root * root != square.mantissa);
            round(Real { sign: 0, exponent: square.exponent / 2 - 1, mantissa: root << 1 | sticky }, environment)
        }
    }
}
