//! Exact values, and their rounding.

use crate::environment::{Environment, flags};
use crate::rounding::Rounding;
use crate::{INFINITY, SIGN};

/// The shift that a mantissa with bit 23 as its highest needs for a sum: see [`Real::plus`].
pub const HEADROOM: u32 = 61 - 23;

/// A real number: ± `mantissa` × 2^`exponent`.
///
/// The lowest bit of the mantissa is sticky if the exact value is longer than 64 bits: it is set if anything was lost
/// below it. That changes no rounding as long as at least two more bits lie between it and the result's last place.
#[derive(Clone, Copy, Debug)]
pub struct Real {
    /// The sign at bit 31, or 0.
    pub sign: u32,
    /// The weight of the mantissa's bit 0.
    pub exponent: i32,
    /// The magnitude.
    pub mantissa: u64,
}

impl Real {
    /// A normal number of single precision; its mantissa has bit 23 set.
    #[inline(always)]
    pub fn normal(bits: u32) -> Self {
        let exponent = (bits >> 23 & 0xFF) as i32 - (127 + 23);
        Self { sign: bits & SIGN, exponent, mantissa: u64::from(bits & 0x007F_FFFF | 0x0080_0000) }
    }

    /// The same value with `by` zeros appended to its mantissa.
    #[inline(always)]
    pub fn scaled_up(self, by: u32) -> Self {
        Self { exponent: self.exponent - by as i32, mantissa: self.mantissa << by, ..self }
    }

    /// The exact product of two mantissas of at most 32 bits.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Self {
            sign: self.sign ^ other.sign,
            exponent: self.exponent + other.exponent,
            mantissa: self.mantissa * other.mantissa,
        }
    }

    /// The signed mantissa with its last `by` bits cut off, what they held kept as a sticky bit. No branches: the
    /// distance between two operands is not to be predicted.
    #[inline(always)]
    fn lowered_by(self, by: u32) -> i64 {
        let by = by.min(63);
        let kept = self.mantissa >> by;
        let magnitude = (kept | u64::from(kept << by != self.mantissa)) as i64;
        let mask = i64::from(self.sign as i32 >> 31);
        (magnitude ^ mask) - mask
    }

    /// The sum of two normal numbers, rounded, as [`plus`](Self::plus) has it. Which magnitude is the greater shows in
    /// the bits, and knowing it saves an alignment and a change of sign.
    #[inline(always)]
    pub fn sum_of_normals<E: Environment>(a: u32, b: u32, environment: &mut E) -> u32 {
        let (high, low) = if a & !SIGN >= b & !SIGN { (a, b) } else { (b, a) };
        let distance = (high >> 23 & 0xFF) - (low >> 23 & 0xFF);
        let high = Self::normal(high).scaled_up(HEADROOM);
        // The low one with the sign it has as seen from the high one.
        let low = Self { sign: high.sign ^ low & SIGN, ..Self::normal(low).scaled_up(HEADROOM) };
        let magnitude = high.mantissa as i64 + low.lowered_by(distance);
        if magnitude == 0 {
            return exact_zero(environment);
        }
        round(Self { mantissa: magnitude as u64, ..high }, environment)
    }

    /// The sum, rounded. Mantissas are zero, or have bit 60 or 61 as their highest; of a mantissa the lowest 14 bits
    /// are zero, so that what the alignment loses it loses only where no more than one leading bit can cancel.
    ///
    /// An exact zero that is not the sum of two zeros of one sign takes its sign from the rounding mode.
    #[inline(always)]
    pub fn plus<E: Environment>(self, other: Self, environment: &mut E) -> u32 {
        let sum = self.sum(other);
        if sum.mantissa == 0 {
            return exact_zero(environment);
        }
        round(sum, environment)
    }

    /// The sum with what the alignment lost as a sticky bit, of mantissas as [`plus`](Self::plus) takes them.
    #[inline(always)]
    pub fn sum(self, other: Self) -> Self {
        let distance = self.exponent - other.exponent;
        let sum = self.lowered_by((-distance).max(0) as u32) + other.lowered_by(distance.max(0) as u32);
        let sign = (sum >> 63) as u32 & SIGN;
        Self { sign, exponent: self.exponent.max(other.exponent), mantissa: sum.unsigned_abs() }
    }
}

/// The zero that a difference of equal values is: negative only when rounding towards minus infinity.
#[inline]
fn exact_zero<E: Environment>(environment: &E) -> u32 {
    if environment.rounding() == Rounding::MinusInfinity { SIGN } else { 0 }
}

/// Single precision of a value that is not zero; its mantissa is below 2⁶³.
#[inline(always)]
pub fn round<E: Environment>(value: Real, environment: &mut E) -> u32 {
    round_normalised(value.scaled_up(value.mantissa.leading_zeros() - 1), environment)
}

/// Single precision of a value whose mantissa has bit 62 as its highest.
#[inline(always)]
pub fn round_normalised<E: Environment>(value: Real, environment: &mut E) -> u32 {
    /// The bits that single precision has no place for.
    const CUT: u32 = 62 - 23;
    let biased = value.exponent + (62 + 127);
    // Up to 253: rounding up can carry into the exponent, and does not reach infinity.
    if (biased - 1) as u32 >= 253 {
        return round_at_the_edge(value, environment);
    }
    let mantissa = value.mantissa;
    // What carries out of the cut bits where the magnitude is to grow: no branch, since nobody could predict it.
    let carry = match environment.rounding() {
        Rounding::Nearest => (1 << (CUT - 1)) - 1 + (mantissa >> CUT & 1),
        Rounding::PlusInfinity if value.sign == 0 => (1 << CUT) - 1,
        Rounding::MinusInfinity if value.sign != 0 => (1 << CUT) - 1,
        _ => 0,
    };
    environment.raise_if_inexact(mantissa & ((1 << CUT) - 1) != 0);
    // The mantissa's leading one adds the last 1 to the exponent.
    value.sign | (((biased as u32 - 1) << 23) + ((mantissa + carry) >> CUT) as u32)
}

#[cold]
fn round_at_the_edge<E: Environment>(value: Real, environment: &mut E) -> u32 {
    match round_to::<E, 8, 23>(value, environment.flushes_to_zero(), environment) {
        Rounded::Fits(bits) => value.sign | bits,
        Rounded::TooLarge if environment.rounding().overflows_to_infinity(value.sign != 0) => value.sign | INFINITY,
        Rounded::TooLarge => value.sign | (INFINITY - 1),
    }
}

/// A rounded magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounded {
    /// Exponent and fraction, without the sign.
    Fits(u32),
    /// The exponent is that of an infinity, or more; the flags are set.
    TooLarge,
}

/// Exponent and fraction of a format with EXPONENT and FRACTION bits of them, for a value that is not zero. With
/// `flush`, a tiny result is zero.
pub fn round_to<E: Environment, const EXPONENT: u32, const FRACTION: u32>(
    value: Real,
    flush: bool,
    environment: &mut E,
) -> Rounded {
    let bits = round_unbounded::<E, EXPONENT, FRACTION>(value, flush, environment);
    if bits >> FRACTION < (1 << EXPONENT) - 1 {
        return Rounded::Fits(bits);
    }
    environment.raise(flags::OVERFLOW | flags::INEXACT);
    Rounded::TooLarge
}

/// As [`round_to`], but as if the format's exponent had no upper end.
pub fn round_unbounded<E: Environment, const EXPONENT: u32, const FRACTION: u32>(
    value: Real,
    flush: bool,
    environment: &mut E,
) -> u32 {
    let bias = (1 << (EXPONENT - 1)) - 1;
    let shift = value.mantissa.leading_zeros();
    let mantissa = value.mantissa << shift;
    let exponent = value.exponent + 63 - shift as i32 + bias;
    if exponent < 1 && flush {
        environment.raise(flags::UNDERFLOW);
        return 0;
    }
    let rounding = environment.rounding();
    let negative = value.sign != 0;
    // Below the normal numbers the mantissa goes down by as much as the exponent lacks.
    let cut = 63 - FRACTION + (1 - exponent).max(0) as u32;
    let (kept, error) = match cut {
        0..64 => (mantissa >> cut, mantissa << (64 - cut)),
        64 => (0, mantissa),
        _ => (0, 1),
    };
    let up = rounding.rounds_up(negative, kept & 1 != 0, error);
    if exponent < 1 && error != 0 {
        // With an exponent below, the mantissa keeps one bit more. It can round up to the smallest normal number there.
        let full = 63 - FRACTION;
        let grows = || rounding.rounds_up(negative, mantissa >> full & 1 != 0, mantissa << (64 - full));
        let becomes_normal = exponent == 0 && mantissa >> full == (2 << FRACTION) - 1 && grows();
        if !(E::TINY_AFTER_ROUNDING && becomes_normal) {
            environment.raise(flags::UNDERFLOW);
        }
    }
    environment.raise_if_inexact(error != 0);
    let below = (exponent.clamp(1, 1 << 9) - 1) as u32;
    (below << FRACTION) + kept as u32 + u32::from(up)
}
