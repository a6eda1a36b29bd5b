//! A number that knows whether it is exact.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// An estimate: an exact integer where the quantity is one, else a finite float.
///
/// Serialised as a plain JSON number: an integer without a decimal point, a float with one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// Exact.
    Integer(i64),
    /// Rounded to the nearest float; finite.
    Real(f64),
}

impl Number {
    /// Zero, exact.
    pub const ZERO: Self = Self::Integer(0);

    /// A float that is finite; `None` for infinities and NaN, which no quantity is.
    pub fn real(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self::Real(value))
    }

    /// `numerator / denominator`: exact where it divides evenly, else rounded once; `None` where the denominator is 0.
    pub fn ratio(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (whole, rest) = (numerator.checked_div_euclid(denominator)?, numerator.checked_rem_euclid(denominator)?);
        match i64::try_from(whole) {
            Ok(whole) if rest == 0 => Some(Self::Integer(whole)),
            _ => Self::real(whole as f64 + rest as f64 / denominator as f64),
        }
    }

    /// The value as a float, rounded where an integer exceeds 53 bits.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The value if it is exact.
    pub const fn as_integer(self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(value),
            Self::Real(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    /// Goes through serde_json's own number: a build in which some other crate turns on `arbitrary_precision` hands
    /// numbers of unknown type over in a form that only that type understands.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let real = || number.as_f64().and_then(Self::real);
        number.as_i64().map(Self::Integer).or_else(real).ok_or_else(|| serde::de::Error::custom("not a finite number"))
    }
}

impl From<u64> for Number {
    /// Exact up to `i64::MAX`, rounded above.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Self::Real(value as f64), Self::Integer)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => fmt::Display::fmt(value, f),
            Self::Real(value) => fmt::Display::fmt(value, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn a_ratio_is_exact_where_it_divides() {
        assert_eq!(Number::ratio(12, 4), Some(Number::Integer(3)));
        assert_eq!(Number::ratio(-7, 2), Some(Number::Real(-3.5)));
        assert_eq!(Number::ratio(1, 0), None);
        assert_eq!(Number::ratio(i128::MIN, -1), None, "does not fit");
    }

    #[test]
    fn json_tells_exact_from_rounded() {
        let json = |number: Number| serde_json::to_string(&number).unwrap();
        assert_eq!(json(Number::Integer(3)), "3");
        assert_eq!(json(Number::Real(3.0)), "3.0");
        assert_eq!(serde_json::from_str::<Number>("3.0").unwrap(), Number::Real(3.0));
        assert_eq!(serde_json::from_str::<Number>("-3").unwrap(), Number::Integer(-3));
    }
}
