//! Cases whose result and flags are read from the manual's pseudocode.

use cyclescope_float::{DEFAULT_NAN, INFINITY, SIGN};

use super::super::*;

const ONE: u32 = 0x3F80_0000;
const TWO: u32 = 0x4000_0000;
const MAX: u32 = 0x7F7F_FFFF;
const MIN_NORMAL: u32 = 0x0080_0000;
const SUBNORMAL: u32 = 0x0000_0123;
const QUIET: u32 = 0x7FC0_0011;
const QUIET_TOO: u32 = 0xFFC0_0022;
const SIGNALLING: u32 = 0x7F80_0033;

const RP: u32 = 1 << 22;
const RM: u32 = 2 << 22;
const RZ: u32 = 3 << 22;

/// Runs an operation under the given control bits: its result, and the exception flags it raised.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(control: u32, operation: impl FnOnce(&mut Fpscr) -> T, result: T, flags: u32) {
    let mut fpscr = Fpscr::from_bits(control);
    assert_eq!(operation(&mut fpscr), result);
    assert_eq!(fpscr.bits(), control | flags, "FPSCR");
}

#[test]
fn the_register_has_the_bits_it_has() {
    assert_eq!(Fpscr::from_bits(u32::MAX).bits(), 0xF7C0_009F);
    assert_eq!(Fpscr::CONTROL, 0x07C0_0000);
    assert_eq!(Fpscr::from_bits(0xA000_0000).nzcv(), 0b1010);
    let modes = [0, RP, RM, RZ].map(|bits| Fpscr::from_bits(bits).rounding());
    assert_eq!(modes, [Rounding::Nearest, Rounding::PlusInfinity, Rounding::MinusInfinity, Rounding::Zero]);
}

#[test]
fn what_is_exact_raises_nothing() {
    check(0, |s| add(ONE, ONE, s), TWO, 0);
    check(0, |s| mul(0x4040_0000, TWO, s), 0x40C0_0000, 0);
    check(0, |s| div(0x4040_0000, TWO, s), 0x3FC0_0000, 0);
    check(0, |s| sqrt(0x4110_0000, s), 0x4040_0000, 0);
    check(0, |s| fma(ONE, TWO, 0x4040_0000, s), 0x40E0_0000, 0);
    check(0, |s| mls(ONE, TWO, 0x4040_0000, s), 0xC0A0_0000, 0);
    check(0, |s| div(SUBNORMAL, ONE, s), SUBNORMAL, 0);
    check(0, |s| mul(ONE, 0x0000_0001, s), 0x0000_0001, 0);
}

#[test]
fn flags_accumulate_beside_what_was_there() {
    check(Fpscr::NZCV | Fpscr::IOC | Fpscr::OFC, |s| div(ONE, 0, s), INFINITY, Fpscr::DZC);
    check(Fpscr::N | Fpscr::IDC, |s| div(ONE, 0x4040_0000, s), 0x3EAA_AAAB, Fpscr::IXC);
}

#[test]
fn a_signalling_nan_goes_before_a_quiet_one_and_the_first_before_the_second() {
    check(0, |s| add(QUIET, QUIET_TOO, s), QUIET, 0);
    check(0, |s| add(QUIET_TOO, QUIET, s), QUIET_TOO, 0);
    check(0, |s| mul(QUIET, SIGNALLING, s), 0x7FC0_0033, Fpscr::IOC);
    check(0, |s| div(SIGNALLING, QUIET, s), 0x7FC0_0033, Fpscr::IOC);
    check(0, |s| fma(QUIET, QUIET_TOO, ONE, s), QUIET, 0);
    check(0, |s| fma(ONE, QUIET_TOO, QUIET, s), QUIET_TOO, 0);
    check(0, |s| fma(QUIET, ONE, SIGNALLING, s), 0x7FC0_0033, Fpscr::IOC);
    check(Fpscr::DN, |s| add(ONE, QUIET_TOO, s), DEFAULT_NAN, 0);
    check(Fpscr::DN, |s| sqrt(SIGNALLING, s), DEFAULT_NAN, Fpscr::IOC);
}

#[test]
fn negation_changes_the_sign_of_nans_and_subtraction_does_not() {
    assert_eq!([neg(SIGNALLING), abs(QUIET_TOO)], [0xFF80_0033, 0x7FC0_0022]);
    check(0, |s| sub(ONE, QUIET, s), QUIET, 0);
    check(0, |s| nmul(ONE, QUIET, s), QUIET | SIGN, 0);
    check(Fpscr::DN, |s| nmul(ONE, QUIET, s), DEFAULT_NAN | SIGN, 0);
    check(0, |s| nmla(QUIET, ONE, ONE, s), QUIET | SIGN, 0);
    check(0, |s| mls(ONE, QUIET, ONE, s), QUIET | SIGN, 0);
    check(0, |s| fnms(QUIET, ONE, ONE, s), QUIET | SIGN, 0);
    check(0, |s| fms(ONE, QUIET, ONE, s), QUIET | SIGN, 0);
    check(0, |s| fms(ONE, ONE, QUIET, s), QUIET, 0);
}

#[test]
fn a_quiet_addend_does_not_hide_an_invalid_product() {
    check(0, |s| fma(QUIET, INFINITY, 0, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| fma(SIGNALLING, 0, INFINITY, s), 0x7FC0_0033, Fpscr::IOC);
    check(0, |s| mla(QUIET, INFINITY, 0, s), QUIET, Fpscr::IOC);
    // A flushed operand is a zero.
    check(Fpscr::FZ, |s| fma(QUIET, INFINITY, SUBNORMAL, s), DEFAULT_NAN, Fpscr::IOC | Fpscr::IDC);
    check(0, |s| fma(QUIET, INFINITY, SUBNORMAL, s), QUIET, 0);
}

#[test]
fn invalid_operations_give_the_default_nan() {
    let minus_infinity = INFINITY | SIGN;
    check(0, |s| add(INFINITY, minus_infinity, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| sub(INFINITY, INFINITY, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| mul(minus_infinity, 0, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| div(0, 0, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| div(INFINITY, INFINITY, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| sqrt(ONE | SIGN, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| sqrt(minus_infinity, s), DEFAULT_NAN, Fpscr::IOC);
    check(0, |s| fma(minus_infinity, INFINITY, ONE, s), DEFAULT_NAN, Fpscr::IOC);
}

#[test]
fn zeros_have_signs() {
    check(0, |s| sub(ONE, ONE, s), 0, 0);
    check(RM, |s| sub(ONE, ONE, s), SIGN, 0);
    check(0, |s| add(SIGN, SIGN, s), SIGN, 0);
    check(RM, |s| add(0, SIGN, s), SIGN, 0);
    check(RP, |s| add(0, SIGN, s), 0, 0);
    check(0, |s| sqrt(SIGN, s), SIGN, 0);
    check(0, |s| div(SIGN, INFINITY, s), SIGN, 0);
    check(0, |s| fma(SIGN, SIGN, ONE, s), SIGN, 0);
    check(0, |s| fma(0, SIGN, ONE, s), 0, 0);
    check(0, |s| div(ONE, SIGN, s), SIGN | INFINITY, Fpscr::DZC);
}

#[test]
fn operands_and_results_are_flushed_to_zero() {
    check(Fpscr::FZ, |s| add(SUBNORMAL | SIGN, SIGN, s), SIGN, Fpscr::IDC);
    check(Fpscr::FZ, |s| add(ONE, SUBNORMAL, s), ONE, Fpscr::IDC);
    check(Fpscr::FZ, |s| div(ONE, SUBNORMAL, s), INFINITY, Fpscr::IDC | Fpscr::DZC);
    // A flushed result is not inexact.
    check(Fpscr::FZ, |s| mul(MIN_NORMAL, 0xBF00_0000, s), SIGN, Fpscr::UFC);
    check(Fpscr::FZ, |s| mul(MIN_NORMAL, MIN_NORMAL, s), 0, Fpscr::UFC);
    check(Fpscr::FZ, |s| sub(MIN_NORMAL, MIN_NORMAL + 1, s), SIGN, Fpscr::UFC);
}

#[test]
fn a_result_is_tiny_before_it_is_rounded() {
    // The greatest number below 1 times the least normal number rounds up to the latter.
    let below_one = 0x3F7F_FFFF;
    check(0, |s| mul(below_one, MIN_NORMAL, s), MIN_NORMAL, Fpscr::UFC | Fpscr::IXC);
    check(RZ, |s| mul(below_one, MIN_NORMAL, s), MIN_NORMAL - 1, Fpscr::UFC | Fpscr::IXC);
    check(Fpscr::FZ, |s| mul(below_one, MIN_NORMAL, s), 0, Fpscr::UFC);
    // Exact and subnormal is no underflow.
    check(0, |s| mul(0x3F00_0000, MIN_NORMAL, s), MIN_NORMAL / 2, 0);
}

#[test]
fn overflow_goes_where_the_mode_points() {
    let flags = Fpscr::OFC | Fpscr::IXC;
    check(0, |s| mul(MAX, TWO, s), INFINITY, flags);
    check(RP, |s| mul(MAX | SIGN, TWO, s), MAX | SIGN, flags);
    check(RM, |s| mul(MAX | SIGN, TWO, s), INFINITY | SIGN, flags);
    check(RZ, |s| mul(MAX, TWO, s), MAX, flags);
    check(RZ, |s| add(MAX, ONE, s), MAX, Fpscr::IXC);
    check(RP, |s| add(MAX, ONE, s), INFINITY, flags);
}

#[test]
fn a_fused_product_is_not_rounded_and_a_chained_one_is() {
    // (1 + 2⁻²³)² - 1 - 2⁻²² = 2⁻⁴⁶.
    let (n, d) = (0x3F80_0001, 0xBF80_0002);
    check(0, |s| fma(d, n, n, s), 0x2880_0000, 0);
    check(0, |s| mla(d, n, n, s), 0, Fpscr::IXC);
    check(0, |s| fnms(neg(d), n, n, s), 0x2880_0000, 0);
    check(0, |s| fnma(neg(d), neg(n), n, s), 0x2880_0000, 0);
    check(0, |s| fms(d, neg(n), n, s), 0x2880_0000, 0);
}

#[test]
fn comparisons_write_only_the_condition_flags() {
    let compared = |control, a, b, quiet_raises| {
        let mut fpscr = Fpscr::from_bits(control);
        compare(a, b, quiet_raises, &mut fpscr);
        (fpscr.nzcv(), fpscr.bits() & !Fpscr::NZCV)
    };
    assert_eq!(compared(Fpscr::NZCV, ONE, TWO, false), (0b1000, 0));
    assert_eq!(compared(RZ | Fpscr::IXC, TWO, ONE, false), (0b0010, RZ | Fpscr::IXC));
    assert_eq!(compared(0, 0, SIGN, true), (0b0110, 0));
    assert_eq!(compared(0, ONE | SIGN, TWO | SIGN, true), (0b0010, 0));
    assert_eq!(compared(0, INFINITY | SIGN, SUBNORMAL, true), (0b1000, 0));
    assert_eq!(compared(Fpscr::FZ, SUBNORMAL, SIGN, true), (0b0110, Fpscr::FZ | Fpscr::IDC));
    assert_eq!(compared(0, ONE, QUIET, false), (0b0011, 0));
    assert_eq!(compared(0, ONE, QUIET, true), (0b0011, Fpscr::IOC));
    assert_eq!(compared(0, SIGNALLING, ONE, false), (0b0011, Fpscr::IOC));
}

#[test]
fn conversions_to_integers_saturate_and_are_invalid() {
    let towards_zero = |a| move |s: &mut Fpscr| to_i32(a, Rounding::Zero, s);
    check(0, towards_zero(QUIET), 0, Fpscr::IOC);
    check(0, towards_zero(0x4F00_0000), 0x7FFF_FFFF, Fpscr::IOC);
    check(0, towards_zero(0xCF00_0000), 0x8000_0000, 0);
    check(0, towards_zero(0xCF00_0001), 0x8000_0000, Fpscr::IOC);
    check(0, towards_zero(INFINITY | SIGN), 0x8000_0000, Fpscr::IOC);
    check(0, towards_zero(0xBFC0_0000), 0xFFFF_FFFF, Fpscr::IXC);
    check(Fpscr::FZ, towards_zero(SUBNORMAL), 0, Fpscr::IDC);
    check(0, towards_zero(SUBNORMAL), 0, Fpscr::IXC);
    let (half, one_and_half, two_and_half) = (0x3F00_0000, 0x3FC0_0000, 0x4020_0000);
    check(0, |s| [half, one_and_half, two_and_half].map(|a| to_u32(a, Rounding::Nearest, s)), [0, 2, 2], Fpscr::IXC);
    check(0, |s| to_u32(neg(half), Rounding::Zero, s), 0, Fpscr::IXC);
    check(0, |s| to_u32(neg(half), Rounding::MinusInfinity, s), 0, Fpscr::IOC);
    check(0, |s| to_u32(half, Rounding::PlusInfinity, s), 1, Fpscr::IXC);
}

#[test]
fn integers_are_rounded_by_the_mode_and_fixed_point_to_nearest() {
    check(RZ, |s| from_u32(u32::MAX, s), 0x4F7F_FFFF, Fpscr::IXC);
    check(0, |s| from_u32(u32::MAX, s), 0x4F80_0000, Fpscr::IXC);
    check(0, |s| from_i32(i32::MIN, s), 0xCF00_0000, 0);
    check(RZ, |s| from_unsigned_fixed(u32::MAX, 32, 32, s), ONE, Fpscr::IXC);
    check(RM, |s| from_signed_fixed(0x1234_FFFF, 16, 15, s), 0xB800_0000, 0);
    check(0, |s| to_signed_fixed(0xBF80_0000, 16, 15, s), 0xFFFF_8000, 0);
    check(0, |s| to_signed_fixed(ONE, 16, 15, s), 0x7FFF, Fpscr::IOC);
    check(RP, |s| to_unsigned_fixed(0x3F00_0001, 16, 16, s), 0x8000, Fpscr::IXC);
}

#[test]
fn half_precision_is_never_flushed_and_the_alternative_format_has_only_numbers() {
    check(Fpscr::FZ, |s| half_to_single(0x0001, s), 0x3380_0000, 0);
    check(Fpscr::FZ, |s| single_to_half(0x3380_0000, s), 0x0001, 0);
    check(Fpscr::FZ, |s| single_to_half(0x3380_0001, s), 0x0001, Fpscr::UFC | Fpscr::IXC);
    check(Fpscr::FZ, |s| single_to_half(SUBNORMAL, s), 0, Fpscr::IDC);
    check(0, |s| single_to_half(0x477F_F000, s), 0x7C00, Fpscr::OFC | Fpscr::IXC);
    check(RZ, |s| single_to_half(0x477F_F000, s), 0x7BFF, Fpscr::IXC);
    check(0, |s| half_to_single(0xFC01, s), 0xFFC0_2000, Fpscr::IOC);
    check(Fpscr::DN, |s| half_to_single(0xFE01, s), DEFAULT_NAN, 0);
    check(0, |s| single_to_half(SIGNALLING | 1 << 13, s), 0x7E01, Fpscr::IOC);

    check(Fpscr::AHP, |s| half_to_single(0xFFFF, s), 0xC7FF_E000, 0);
    check(Fpscr::AHP, |s| single_to_half(QUIET_TOO, s), 0x8000, Fpscr::IOC);
    check(Fpscr::AHP, |s| single_to_half(INFINITY, s), 0x7FFF, Fpscr::IOC);
    check(Fpscr::AHP, |s| single_to_half(0x47FF_F000, s), 0x7FFF, Fpscr::IOC);
    check(Fpscr::AHP | RZ, |s| single_to_half(0x47FF_F000, s), 0x7FFF, Fpscr::IXC);
}

/// Checks the values that VMOV can load: ± n/16 × 2^r with n from 16 to 31 and r from -3 to 4.
#[test]
fn immediates() {
    assert_eq!([0x70, 0x00, 0xF0, 0x3F, 0x40].map(expand_imm), [1.0f32, 2.0, -1.0, 31.0, 0.125].map(f32::to_bits));
    for imm in 0..=u8::MAX {
        let r = i32::from(imm >> 4 & 7 ^ 4) - 3;
        let magnitude = f32::from(16 + (imm & 15)) / 16.0 * 2f32.powi(r);
        assert_eq!(expand_imm(imm), magnitude.to_bits() | u32::from(imm >> 7) << 31, "{imm:02x}");
    }
}
