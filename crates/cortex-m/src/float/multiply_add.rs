//! Multiply and accumulate: chained, with two roundings, and fused, with one.
//!
//! `d` is the destination's old value. The chained forms are defined by the manual as FPMul(), FPNeg() and FPAdd() in
//! sequence, the fused ones as FPMulAdd() of operands that FPNeg() changed before; NaNs change their sign with them.

use super::arithmetic::{add, mul, neg};
use super::fpscr::Fpscr;
use super::round::{HEADROOM, Real};
use super::unpack::{Class, invalid, is_normal, process_nans, unpack};
use super::{INFINITY, SIGN};

/// The shift that a product of 48 bits needs for a sum: see [`Real::plus`].
const PRODUCT_HEADROOM: u32 = 61 - 47;

/// VMLA: `d + n × m`, the product rounded first.
#[inline]
pub(crate) fn mla(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    add(d, mul(n, m, fpscr), fpscr)
}

/// VMLS: `d + -(n × m)`, the product rounded first.
#[inline]
pub(crate) fn mls(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    add(d, neg(mul(n, m, fpscr)), fpscr)
}

/// VNMLA: `-d + -(n × m)`, the product rounded first.
#[inline]
pub(crate) fn nmla(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    add(neg(d), neg(mul(n, m, fpscr)), fpscr)
}

/// VNMLS: `-d + n × m`, the product rounded first.
#[inline]
pub(crate) fn nmls(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    add(neg(d), mul(n, m, fpscr), fpscr)
}

/// VFMA: `d + n × m`, rounded once.
#[inline]
pub(crate) fn fma(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(d, n, m, fpscr)
}

/// VFMS: `d + -n × m`, rounded once.
#[inline]
pub(crate) fn fms(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(d, neg(n), m, fpscr)
}

/// VFNMA: `-d + -n × m`, rounded once.
#[inline]
pub(crate) fn fnma(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(neg(d), neg(n), m, fpscr)
}

/// VFNMS: `-d + n × m`, rounded once.
#[inline]
pub(crate) fn fnms(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(neg(d), n, m, fpscr)
}

/// FPMulAdd().
#[inline]
fn multiply_add(addend: u32, a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    if is_normal(addend) && is_normal(a) && is_normal(b) {
        let product = Real::normal(a).times(Real::normal(b));
        Real::normal(addend).scaled_up(HEADROOM).plus(product.scaled_up(PRODUCT_HEADROOM), fpscr)
    } else {
        multiply_add_any(addend, a, b, fpscr)
    }
}

#[inline(never)]
fn multiply_add_any(addend: u32, a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (addend, a, b) = (unpack(addend, fpscr), unpack(a, fpscr), unpack(b, fpscr));
    let nan = process_nans([&addend, &a, &b], fpscr);
    let has_no_product = matches!((a.class, b.class), (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity));
    match nan {
        // A quiet addend does not hide that the product is invalid; a signalling one comes first.
        Some(_) if has_no_product && addend.class == Class::QuietNan => return invalid(fpscr),
        Some(nan) => return nan,
        None => {}
    }
    let sign = a.real.sign ^ b.real.sign;
    let infinite = a.class == Class::Infinity || b.class == Class::Infinity;
    let zero = a.class == Class::Zero || b.class == Class::Zero;
    match addend.class {
        _ if has_no_product => invalid(fpscr),
        Class::Infinity if infinite && addend.real.sign != sign => invalid(fpscr),
        Class::Infinity => addend.real.sign | INFINITY,
        _ if infinite => sign | INFINITY,
        Class::Zero if zero && addend.real.sign == sign => sign & SIGN,
        _ => {
            let product = a.real.times(b.real).scaled_up(PRODUCT_HEADROOM);
            addend.real.scaled_up(HEADROOM).plus(product, fpscr)
        }
    }
}
