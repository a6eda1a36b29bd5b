//! Conversions between integers and single precision.

use crate::SIGN;
use crate::environment::{Environment, flags};
use crate::round::{Real, round};
use crate::rounding::Rounding;
use crate::unpack::{Class, unpack};

/// The integers that a conversion may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// The lowest.
    pub min: i64,
    /// The highest.
    pub max: i64,
    /// That of a NaN.
    pub nan: i64,
}

/// `value × 2^-fraction_bits`, rounded by the environment's mode.
#[inline]
pub fn from_integer<E: Environment>(value: i64, fraction_bits: u32, environment: &mut E) -> u32 {
    if value == 0 {
        return 0;
    }
    let sign = if value < 0 { SIGN } else { 0 };
    round(Real { sign, exponent: -(fraction_bits as i32), mantissa: value.unsigned_abs() }, environment)
}

/// `a × 2^fraction_bits`, rounded by `rounding`. A NaN, and a value that rounds to no number of `integers`, is an
/// invalid operation; such a value saturates.
pub fn to_integer<E: Environment>(
    a: u32,
    fraction_bits: u32,
    rounding: Rounding,
    integers: Integers,
    environment: &mut E,
) -> i64 {
    let Integers { min, max, nan } = integers;
    let operand = unpack(a, environment);
    let real = operand.real;
    let negative = real.sign != 0;
    let limit = if negative { min } else { max };
    match operand.class {
        Class::Zero => return 0,
        Class::QuietNan | Class::SignallingNan => {
            environment.raise(flags::INVALID);
            return nan;
        }
        Class::Infinity => {
            environment.raise(flags::INVALID);
            return limit;
        }
        Class::Number => {}
    }
    // 24 bits of mantissa: more than 32 bits of integer are out of range in any case.
    let (kept, error) = match real.exponent + fraction_bits as i32 {
        up @ 0.. => (real.mantissa << up.min(32), 0),
        down @ -63..0 => (real.mantissa >> -down, real.mantissa << (64 + down)),
        _ => (0, 1),
    };
    let magnitude = (kept + u64::from(rounding.rounds_up(negative, kept & 1 != 0, error))) as i64;
    let value = if negative { -magnitude } else { magnitude };
    if value < min || value > max {
        environment.raise(flags::INVALID);
        return limit;
    }
    environment.raise_if_inexact(error != 0);
    value
}
