//! Flags, NaNs, comparisons and conversions.

use super::super::*;
use super::Random;

const ONE: u32 = 0x3F80_0000;
const QUIET: u32 = 0x7FC0_0111;
const QUIET_TOO: u32 = 0xFFC0_0222;
const SIGNALLING: u32 = 0x7F80_0333;
const INFINITE: u32 = 0x7F80_0000;

fn check(mode: u32, operation: impl FnOnce(&mut Fcsr) -> u32, result: u32, fsr: u32) {
    let mut fcsr = Fcsr::default();
    fcsr.set_fcr(mode);
    assert_eq!(operation(&mut fcsr), result);
    assert_eq!(fcsr.fsr(), fsr);
}

#[test]
fn registers_keep_the_bits_they_have() {
    let mut fcsr = Fcsr::default();
    fcsr.set_fcr(u32::MAX);
    fcsr.set_fsr(u32::MAX);
    assert_eq!((fcsr.fcr(), fcsr.fsr()), (0x7F, 0xF80));
    for bit in [Fcsr::I, Fcsr::U, Fcsr::O, Fcsr::Z, Fcsr::V] {
        fcsr.set_fsr(bit);
        assert_eq!(fcsr.fsr(), bit);
    }
}

#[test]
fn the_second_nan_goes_before_the_first_and_the_addend_before_both() {
    check(0, |f| add(QUIET, QUIET_TOO, f), QUIET_TOO, 0);
    check(0, |f| add(SIGNALLING, QUIET, f), QUIET, Fcsr::V);
    check(0, |f| mul(QUIET, SIGNALLING, f), SIGNALLING | 1 << 22, Fcsr::V);
    check(0, |f| sub(ONE, QUIET, f), QUIET, 0);
    check(0, |f| madd(QUIET, QUIET_TOO, SIGNALLING, f), QUIET, Fcsr::V);
    check(0, |f| madd(ONE, QUIET_TOO, QUIET, f), QUIET, 0);
    check(0, |f| msub(ONE, QUIET, ONE, f), QUIET, 0);
}

#[test]
fn an_invalid_product_leaves_a_quiet_addend_and_raises_v() {
    check(0, |f| madd(QUIET, 0, INFINITE, f), QUIET, Fcsr::V);
    check(0, |f| madd(ONE, 0, INFINITE, f), 0x7FC0_0000, Fcsr::V);
    check(0, |f| add(INFINITE, INFINITE | 1 << 31, f), 0x7FC0_0000, Fcsr::V);
}

#[test]
fn a_result_is_tiny_after_it_is_rounded() {
    // (1 - 2⁻²⁵) × 2⁻¹²⁶ is the smallest normal number when rounded; (1 - 2⁻²⁴) × 2⁻¹²⁶ needs no rounding to be below
    // it.
    let most = |f: &mut Fcsr| madd(0x0080_0000, 0x8080_0000, 0x3300_0000, f);
    check(0, most, 0x0080_0000, Fcsr::I);
    let less = |f: &mut Fcsr| madd(0x0080_0000, 0x8080_0000, 0x3380_0000, f);
    check(0, less, 0x0080_0000, Fcsr::I | Fcsr::U);
    check(1, most, 0x007F_FFFF, Fcsr::I | Fcsr::U);
}

#[test]
fn overflow_goes_where_the_mode_points() {
    let huge = 0x7F7F_FFFF;
    for (mode, positive, negative) in
        [(0, INFINITE, INFINITE), (1, huge, huge), (2, INFINITE, huge), (3, huge, INFINITE)]
    {
        check(mode, |f| add(huge, huge, f), positive, Fcsr::O | Fcsr::I);
        check(mode, |f| add(neg(huge), neg(huge), f), negative | 1 << 31, Fcsr::O | Fcsr::I);
    }
}

#[test]
fn comparisons_of_nans() {
    use Predicate::{Oeq, Ole, Olt, Ueq, Ule, Ult, Un};
    for (predicate, holds, fsr) in [
        (Un, true, 0),
        (Oeq, false, 0),
        (Ueq, true, 0),
        (Olt, false, Fcsr::V),
        (Ult, true, 0),
        (Ole, false, Fcsr::V),
        (Ule, true, 0),
    ] {
        check(0, |f| compare(predicate, ONE, QUIET, f).into(), u32::from(holds), fsr);
        check(0, |f| compare(predicate, SIGNALLING, ONE, f).into(), u32::from(holds), Fcsr::V);
    }
}

#[test]
fn comparisons_are_the_hosts() {
    let mut random = Random(3);
    let pairs: Vec<_> = super::signed().flat_map(|a| super::signed().map(move |b| (a, b))).collect();
    let random = (0..10_000).map(|_| (random.operand(), random.operand()));
    for (a, b) in pairs.into_iter().chain(random) {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let un = x.is_nan() || y.is_nan();
        for (predicate, expected) in [
            (Predicate::Un, un),
            (Predicate::Oeq, x == y),
            (Predicate::Ueq, un || x == y),
            (Predicate::Olt, x < y),
            (Predicate::Ult, un || x < y),
            (Predicate::Ole, x <= y),
            (Predicate::Ule, un || x <= y),
        ] {
            assert_eq!(compare(predicate, a, b, &mut Fcsr::default()), expected, "{predicate:?} {a:08x} {b:08x}");
        }
    }
}

#[test]
fn arithmetic_to_nearest_is_the_hosts() {
    let mut random = Random(7);
    let same = |ours: u32, host: f32| ours == host.to_bits() || (host.is_nan() && f32::from_bits(ours).is_nan());
    let mut fcsr = Fcsr::default();
    for _ in 0..300_000 {
        let (a, b, c) = (random.operand(), random.operand(), random.operand());
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        assert!(same(add(a, b, &mut fcsr), x + y), "{a:08x} + {b:08x}");
        assert!(same(sub(a, b, &mut fcsr), x - y), "{a:08x} - {b:08x}");
        assert!(same(mul(a, b, &mut fcsr), x * y), "{a:08x} × {b:08x}");
        assert!(same(madd(a, b, c, &mut fcsr), y.mul_add(z, x)), "{a:08x} + {b:08x} × {c:08x}");
        assert!(same(msub(a, b, c, &mut fcsr), (-y).mul_add(z, x)), "{a:08x} - {b:08x} × {c:08x}");
    }
}

#[test]
fn conversions_from_integers_scale_down() {
    check(0, |f| float(0xFFFF_FFFF, 0, f), 0xBF80_0000, 0);
    check(0, |f| float(3, 15, f), 0x38C0_0000, 0);
    check(0, |f| ufloat(0xFFFF_FFFF, 0, f), 0x4F80_0000, Fcsr::I);
    check(1, |f| ufloat(0xFFFF_FFFF, 4, f), 0x4D7F_FFFF, Fcsr::I);
}

#[test]
fn conversions_to_integers_round_each_its_way() {
    let half = |n: f32| n.to_bits();
    for (value, rounded, truncated, below, above) in
        [(0.5, 0, 0, 0, 1), (1.5, 2, 1, 1, 2), (2.5, 2, 2, 2, 3), (-0.5, 0, 0, -1, 0), (-1.5, -2, -1, -2, -1)]
    {
        // FCR's mode has no say.
        for mode in 0..4 {
            check(mode, |f| round(half(value), 0, f), rounded as u32, Fcsr::I);
            check(mode, |f| trunc(half(value), 0, f), truncated as u32, Fcsr::I);
            check(mode, |f| floor(half(value), 0, f), below as u32, Fcsr::I);
            check(mode, |f| ceil(half(value), 0, f), above as u32, Fcsr::I);
        }
    }
    check(0, |f| trunc(half(1.5), 1, f), 3, 0);
}

#[test]
fn conversions_out_of_range_are_invalid() {
    let minus = |bits: u32| bits | 1 << 31;
    check(0, |f| trunc(0x4F00_0000, 0, f), 0x7FFF_FFFF, Fcsr::V);
    check(0, |f| trunc(minus(0x4F00_0000), 0, f), 0x8000_0000, 0);
    check(0, |f| trunc(minus(0x4F00_0001), 0, f), 0x8000_0000, Fcsr::V);
    check(0, |f| trunc(0x7F7F_FFFF, 15, f), 0x7FFF_FFFF, Fcsr::V);
    check(0, |f| round(minus(QUIET), 0, f), 0x7FFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(QUIET, 0, f), 0xFFFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(minus(QUIET), 0, f), 0xFFFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(0x4F80_0000, 0, f), 0xFFFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(INFINITE, 0, f), 0xFFFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(minus(0x3FC0_0000), 0, f), 0xFFFF_FFFF, Fcsr::V);
    check(0, |f| utrunc(minus(0x3F00_0000), 0, f), 0, Fcsr::I);
    check(0, |f| utrunc(minus(0x4F80_0000), 0, f), 0x8000_0000, Fcsr::V);
}
