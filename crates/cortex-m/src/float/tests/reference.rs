//! The operations in a second formulation: arbitrary precision by `rustc_apfloat`, exact integers, exact `f64`.
//!
//! Arm's own rules, beside those of IEEE 754, are spelled out here anew: the NaN that comes out, flushing, underflow
//! before rounding. FPSCR is a bare `u32` here, its bits are literals.

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

const IOC: u32 = 1;
const DZC: u32 = 2;
const OFC: u32 = 4;
const UFC: u32 = 8;
const IXC: u32 = 16;
const IDC: u32 = 128;

fn mode(fpscr: u32) -> Round {
    [Round::NearestTiesToEven, Round::TowardPositive, Round::TowardNegative, Round::TowardZero]
        [(fpscr >> 22 & 3) as usize]
}

fn flushes(fpscr: u32) -> bool {
    fpscr >> 24 & 1 != 0
}

fn default_nan(fpscr: u32) -> bool {
    fpscr >> 25 & 1 != 0
}

fn is_nan(a: u32) -> bool {
    a & 0x7FFF_FFFF > 0x7F80_0000
}

fn is_signalling(a: u32) -> bool {
    is_nan(a) && a & 0x0040_0000 == 0
}

/// The operand as it is seen.
fn input(a: u32, fpscr: &mut u32) -> u32 {
    let magnitude = a & 0x7FFF_FFFF;
    if flushes(*fpscr) && magnitude != 0 && magnitude < 0x0080_0000 {
        *fpscr |= IDC;
        return a & 0x8000_0000;
    }
    a
}

fn nan(operands: &[u32], fpscr: &mut u32) -> Option<u32> {
    let signalling = operands.iter().copied().find(|&a| is_signalling(a));
    let quiet = operands.iter().copied().find(|&a| is_nan(a));
    if signalling.is_some() {
        *fpscr |= IOC;
    }
    let chosen = signalling.or(quiet)?;
    Some(if default_nan(*fpscr) { 0x7FC0_0000 } else { chosen | 0x0040_0000 })
}

#[derive(Clone, Copy)]
enum Exact {
    Add,
    Sub,
    Mul,
    Div,
    /// The third plus the product of the first two.
    MulAdd,
}

impl Exact {
    fn of<F: Float>(self, operands: [F; 3], round: Round) -> StatusAnd<F> {
        let [a, b, c] = operands;
        match self {
            Self::Add => a.add_r(b, round),
            Self::Sub => a.sub_r(b, round),
            Self::Mul => a.mul_r(b, round),
            Self::Div => a.div_r(b, round),
            Self::MulAdd => a.mul_add_r(b, c, round),
        }
    }
}

fn single(bits: u32) -> Single {
    Single::from_bits(u128::from(bits))
}

fn double(bits: u32) -> Double {
    single(bits).convert(&mut false).value
}

/// One operation on operands that are no NaNs.
fn exact(operation: Exact, operands: [u32; 3], fpscr: &mut u32) -> u32 {
    let singles = operands.map(single);
    let result = operation.of(singles, mode(*fpscr));
    let cut = operation.of(singles, Round::TowardZero);
    let wide = operation.of(operands.map(double), Round::TowardZero).value.to_bits() as u64;
    if result.status.contains(Status::INVALID_OP) {
        *fpscr |= IOC;
        return 0x7FC0_0000;
    }
    if result.status.contains(Status::DIV_BY_ZERO) {
        *fpscr |= DZC;
        return result.value.to_bits() as u32;
    }
    finish(
        result.value.to_bits() as u32,
        cut.value.to_bits() as u32,
        result.status.contains(Status::INEXACT),
        result.status.contains(Status::OVERFLOW) || f64::from_bits(wide).abs() >= 2f64.powi(128),
        operands.iter().any(|&a| a & 0x7FFF_FFFF == 0x7F80_0000),
        fpscr,
    )
}

/// Flags and flushing of a result. `cut` is the exact value without its fraction: it tells what was tiny before rounding.
fn finish(result: u32, cut: u32, inexact: bool, overflow: bool, infinite: bool, fpscr: &mut u32) -> u32 {
    let magnitude = cut & 0x7FFF_FFFF;
    let tiny = magnitude < 0x0080_0000 && (magnitude != 0 || inexact);
    if tiny && flushes(*fpscr) {
        *fpscr |= UFC;
        return cut & 0x8000_0000;
    }
    if tiny && inexact {
        *fpscr |= UFC;
    }
    if overflow && !infinite && inexact {
        *fpscr |= OFC;
    }
    if inexact {
        *fpscr |= IXC;
    }
    result
}

fn two(operation: Exact, a: u32, b: u32, fpscr: &mut u32) -> u32 {
    let (a, b) = (input(a, fpscr), input(b, fpscr));
    nan(&[a, b], fpscr).unwrap_or_else(|| exact(operation, [a, b, 0], fpscr))
}

pub fn add(a: u32, b: u32, fpscr: &mut u32) -> u32 {
    two(Exact::Add, a, b, fpscr)
}

pub fn sub(a: u32, b: u32, fpscr: &mut u32) -> u32 {
    two(Exact::Sub, a, b, fpscr)
}

pub fn mul(a: u32, b: u32, fpscr: &mut u32) -> u32 {
    two(Exact::Mul, a, b, fpscr)
}

pub fn div(a: u32, b: u32, fpscr: &mut u32) -> u32 {
    two(Exact::Div, a, b, fpscr)
}

pub fn mul_add(addend: u32, a: u32, b: u32, fpscr: &mut u32) -> u32 {
    let (addend, a, b) = (input(addend, fpscr), input(a, fpscr), input(b, fpscr));
    let (zero, infinity) = (|x: u32| x << 1 == 0, |x: u32| x << 1 == 0xFF00_0000);
    let chosen = nan(&[addend, a, b], fpscr);
    if is_nan(addend) && !is_signalling(addend) && (zero(a) && infinity(b) || infinity(a) && zero(b)) {
        *fpscr |= IOC;
        return 0x7FC0_0000;
    }
    chosen.unwrap_or_else(|| exact(Exact::MulAdd, [a, b, addend], fpscr))
}

/// By integers: the root's 24 bits are the greatest whose square is not above, and what is left decides.
pub fn sqrt(a: u32, fpscr: &mut u32) -> u32 {
    let a = input(a, fpscr);
    if let Some(nan) = nan(&[a], fpscr) {
        return nan;
    }
    if a << 1 == 0 || a == 0x7F80_0000 {
        return a;
    }
    if a >> 31 != 0 {
        *fpscr |= IOC;
        return 0x7FC0_0000;
    }
    let (mut mantissa, mut exponent) = match a >> 23 {
        0 => (u128::from(a), -149),
        biased => (u128::from(a & 0x007F_FFFF | 0x0080_0000), biased as i32 - 150),
    };
    while mantissa < 1 << 46 || exponent % 2 != 0 {
        (mantissa, exponent) = (mantissa << 1, exponent - 1);
    }
    assert!(mantissa < 1 << 48);
    let (mut low, mut high) = (1u128 << 23, 1u128 << 24);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle * middle <= mantissa { low = middle } else { high = middle }
    }
    let rest = mantissa - low * low;
    let up = match mode(*fpscr) {
        Round::NearestTiesToEven => rest > low,
        Round::TowardPositive => rest > 0,
        _ => false,
    };
    if rest > 0 {
        *fpscr |= IXC;
    }
    // The leading one of the root adds 1 to the exponent; 2²⁴ carries into it.
    (((exponent / 2 + 149) as u32) << 23) + low as u32 + u32::from(up)
}

/// The FPSCR is all that it writes; the result is always 0.
pub fn compare(a: u32, b: u32, quiet_raises: bool, fpscr: &mut u32) -> u32 {
    let (a, b) = (input(a, fpscr), input(b, fpscr));
    let flags = match f32::from_bits(a).partial_cmp(&f32::from_bits(b)) {
        Some(std::cmp::Ordering::Less) => 0x8000_0000,
        Some(std::cmp::Ordering::Equal) => 0x6000_0000,
        Some(std::cmp::Ordering::Greater) => 0x2000_0000,
        None => 0x3000_0000,
    };
    *fpscr = *fpscr & 0x0FFF_FFFF | flags;
    if is_signalling(a) || is_signalling(b) || (quiet_raises && (is_nan(a) || is_nan(b))) {
        *fpscr |= IOC;
    }
    0
}

/// An `f64` to an integer, exactly.
fn integral(value: f64, round: Round) -> f64 {
    match round {
        Round::NearestTiesToEven => value.round_ties_even(),
        Round::TowardPositive => value.ceil(),
        Round::TowardNegative => value.floor(),
        _ => value.trunc(),
    }
}

/// A single to fixed point; all it does in `f64` is exact. `rounding` in RMode's encoding.
pub fn to_fixed(a: u32, fraction_bits: u32, rounding: u32, min: i64, max: i64, fpscr: &mut u32) -> i64 {
    let a = input(a, fpscr);
    if is_nan(a) {
        *fpscr |= IOC;
        return 0;
    }
    let value = f64::from(f32::from_bits(a)) * 2f64.powi(fraction_bits as i32);
    let rounded = integral(value, mode(rounding << 22));
    if rounded < min as f64 || rounded > max as f64 {
        *fpscr |= IOC;
        return if value < 0.0 { min } else { max };
    }
    if rounded != value {
        *fpscr |= IXC;
    }
    rounded as i64
}

/// Fixed point to a single: exact in `f64`, then narrowed. `rounding` in RMode's encoding.
pub fn from_fixed(value: i64, fraction_bits: u32, rounding: u32, fpscr: &mut u32) -> u32 {
    let scaled = value as f64 * 2f64.powi(-(fraction_bits as i32));
    let narrowed: StatusAnd<Single> =
        Double::from_bits(u128::from(scaled.to_bits())).convert_r(mode(rounding << 22), &mut false);
    if narrowed.status.contains(Status::INEXACT) {
        *fpscr |= IXC;
    }
    narrowed.value.to_bits() as u32
}

pub fn half_to_single(half: u16, fpscr: &mut u32) -> u32 {
    let (exponent, fraction) = (i32::from(half >> 10 & 0x1F), u32::from(half & 0x3FF));
    let sign = u32::from(half >> 15) << 31;
    if exponent == 31 && *fpscr >> 26 & 1 == 0 {
        if fraction == 0 {
            return sign | 0x7F80_0000;
        }
        let wide = sign | 0x7F80_0000 | fraction << 13;
        return nan(&[wide], fpscr).expect("the fraction is not zero");
    }
    let value = if exponent == 0 {
        fraction as f32 * 2f32.powi(-24)
    } else {
        (fraction + 1024) as f32 * 2f32.powi(exponent - 25)
    };
    sign | value.to_bits()
}

pub fn single_to_half(a: u32, fpscr: &mut u32) -> u16 {
    let a = input(a, fpscr);
    let sign = (a >> 16) as u16 & 0x8000;
    let alternative = *fpscr >> 26 & 1 != 0;
    if is_nan(a) {
        if alternative {
            *fpscr |= IOC;
            return sign;
        }
        let chosen = nan(&[a], fpscr).expect("it is a NaN");
        return (chosen >> 16) as u16 & 0x8000 | 0x7C00 | (chosen >> 13) as u16 & 0x3FF;
    }
    let value = f64::from(f32::from_bits(a));
    if value.is_infinite() {
        if alternative {
            *fpscr |= IOC;
            return sign | 0x7FFF;
        }
        return sign | 0x7C00;
    }
    if value == 0.0 {
        return sign;
    }
    // In units of the last place, which the exponent before rounding decides.
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(-14);
    let tiny = value.abs() < 2f64.powi(-14);
    let round = mode(*fpscr);
    let units = integral(value * 2f64.powi(10 - exponent), round);
    let inexact = units != value * 2f64.powi(10 - exponent);
    let rounded = units.abs() * 2f64.powi(exponent - 10);
    let limit = if alternative { 131_072.0 } else { 65_536.0 };
    if rounded >= limit {
        if alternative {
            *fpscr |= IOC;
            return sign | 0x7FFF;
        }
        *fpscr |= OFC | IXC;
        let infinite = match round {
            Round::NearestTiesToEven => true,
            Round::TowardPositive => value > 0.0,
            Round::TowardNegative => value < 0.0,
            _ => false,
        };
        return sign | if infinite { 0x7C00 } else { 0x7BFF };
    }
    if inexact {
        *fpscr |= IXC | if tiny { UFC } else { 0 };
    }
    // The leading one of the units adds 1 to the exponent; where there is none, the number is subnormal.
    sign | ((((exponent + 14) as u16) << 10) + units.abs() as u16)
}
