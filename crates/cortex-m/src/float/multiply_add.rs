//! Multiply, negate and accumulate: chained, with two roundings, and fused, with one.
//!
//! `d` is the destination's old value. The chained forms are defined by the manual as FPMul(), FPNeg() and FPAdd() in
//! sequence, the fused ones as FPMulAdd() of operands that FPNeg() changed before; NaNs change their sign with them.

use cyclescope_float::{add, mul, multiply_add, neg};

use super::fpscr::Fpscr;

/// VNMUL: `-(a × b)`, rounded before it is negated; a NaN is negated too.
#[inline]
pub(crate) fn nmul(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    neg(mul(a, b, fpscr))
}

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
    multiply_add(d, n, m, 0, fpscr)
}

/// VFMS: `d + -n × m`, rounded once.
#[inline]
pub(crate) fn fms(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(d, neg(n), m, 0, fpscr)
}

/// VFNMA: `-d + -n × m`, rounded once.
#[inline]
pub(crate) fn fnma(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(neg(d), neg(n), m, 0, fpscr)
}

/// VFNMS: `-d + n × m`, rounded once.
#[inline]
pub(crate) fn fnms(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
    multiply_add(neg(d), n, m, 0, fpscr)
}
