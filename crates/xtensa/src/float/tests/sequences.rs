//! Division and square root as sequences of steps.

use cyclescope_float::{div, sqrt};

use super::super::steps::*;
use super::super::*;
use super::{Random, signed};

/// The division sequence of the compiler's library: `s ÷ t` and its flags.
fn divide(s: u32, t: u32, fcsr: &mut Fcsr) -> u32 {
    let y0 = div0(t);
    let bn = nexp01(t);
    let mut e = maddn(constant(1), bn, y0);
    let an = nexp01(s);
    let mut y = maddn(y0, e, y0);
    e = maddn(constant(1), bn, y);
    let mut q = maddn(constant(0), neg(an), y0);
    let adjustment = mkdadj(t, s, fcsr);
    y = maddn(y, e, y);
    let mut r = maddn(neg(an), bn, q);
    e = maddn(constant(1), bn, y);
    q = maddn(q, r, y);
    y = maddn(y, e, y);
    r = maddn(neg(an), bn, q);
    divn(addexpm(q, adjustment), r, addexp(y, adjustment), fcsr)
}

/// The square root sequence of the compiler's library.
fn root(s: u32, fcsr: &mut Fcsr) -> u32 {
    let mut y = sqrt0(s);
    let square = maddn(constant(0), y, y);
    let half = addexp(nexp01(s), constant(3));
    let error = maddn(constant(3), square, half);
    let mut r = nexp01(s);
    y = maddn(y, error, y);
    let mut q = maddn(constant(0), neg(r), y);
    let scaled = maddn(constant(0), y, half);
    let mut h = maddn(constant(0), constant(3), y);
    r = maddn(r, q, q);
    let e = maddn(constant(3), scaled, y);
    q = maddn(q, r, neg(h));
    h = maddn(h, e, h);
    let adjustment = mksadj(s, fcsr);
    r = maddn(nexp01(s), q, q);
    divn(addexpm(q, adjustment), r, addexp(neg(h), adjustment), fcsr)
}

fn is_nan(bits: u32) -> bool {
    f32::from_bits(bits).is_nan()
}

/// Checks quotient and root under each rounding mode. The NaN of the sequences is the default one, or one of the
/// operands.
fn check(a: u32, b: u32) {
    for mode in 0..4 {
        let mut fcsr = Fcsr::default();
        fcsr.set_fcr(mode);
        let (mut steps, mut once) = (fcsr, fcsr);
        let (ours, exact) = (divide(a, b, &mut steps), div(a, b, &mut once));
        assert!(
            ours == exact || is_nan(ours) && is_nan(exact),
            "{a:08x} ÷ {b:08x}, mode {mode}: {ours:08x}, not {exact:08x}"
        );
        if !is_nan(exact) {
            assert_eq!(steps.fsr(), once.fsr(), "flags of {a:08x} ÷ {b:08x}, mode {mode}");
        }
        let (mut steps, mut once) = (fcsr, fcsr);
        let (ours, exact) = (root(a, &mut steps), sqrt(a, &mut once));
        assert!(ours == exact || is_nan(ours) && is_nan(exact), "√{a:08x}, mode {mode}: {ours:08x}, not {exact:08x}");
        if !is_nan(exact) {
            assert_eq!(steps.fsr(), once.fsr(), "flags of √{a:08x}, mode {mode}");
        }
    }
}

#[test]
fn special_operands_divide_and_have_roots_as_ieee_754_says() {
    for a in signed() {
        for b in signed() {
            check(a, b);
        }
    }
}

#[test]
fn random_operands_divide_and_have_roots_correctly_rounded() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..400_000 {
        check(random.operand(), random.operand());
    }
}

#[test]
fn each_fraction_of_the_divisor_divides_correctly() {
    for fraction in (0..1 << 23).step_by(5).chain(0x7F_FF00..0x80_0000) {
        let mut fcsr = Fcsr::default();
        for dividend in [0x3F80_0000, 0x3FFF_FFFF] {
            let divisor = 0x3F80_0000 | fraction;
            assert_eq!(
                divide(dividend, divisor, &mut fcsr),
                div(dividend, divisor, &mut Fcsr::default()),
                "{divisor:08x}"
            );
        }
    }
}

#[test]
fn invalid_divisions_and_roots_give_the_default_nan_and_raise_v() {
    for (a, b) in [(0, 0), (0x7F80_0000, 0xFF80_0000), (0x8000_0000, 0)] {
        let mut fcsr = Fcsr::default();
        assert_eq!(divide(a, b, &mut fcsr), 0x7FC0_0000);
        assert_eq!(fcsr.fsr(), Fcsr::V);
    }
    let mut fcsr = Fcsr::default();
    assert_eq!(root(0xBF80_0000, &mut fcsr), 0x7FC0_0000);
    assert_eq!(fcsr.fsr(), Fcsr::V);
    let mut fcsr = Fcsr::default();
    assert_eq!(divide(0x3F80_0000, 0x8000_0000, &mut fcsr), 0xFF80_0000);
    assert_eq!(fcsr.fsr(), Fcsr::Z);
}
