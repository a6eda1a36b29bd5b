//! Times as a user writes them.

use std::fmt;
use std::str::FromStr;

use cyclescope_machine::units::{Cycles, Hertz};
use thiserror::Error;

/// A time as written, exact in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Core cycles.
    Cycles(u64),
    /// Nanoseconds at the part's clock.
    Nanoseconds(u64),
}

/// Text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` {}", why(.0), text = .0)]
pub struct TimeError(pub String);

/// Returns the reason why `text` is no time: only a number that is too great has all of a time's form.
fn why(text: &str) -> &'static str {
    let (number, unit) = parts(text);
    let is_long = number.contains(|c: char| c.is_ascii_digit()) && nanoseconds(unit).is_some();
    if is_long {
        "is longer than any run can be; the longest time is 18446744073s"
    } else {
        "is not a time; write a whole number with s, ms, us, ns, or nothing for cycles"
    }
}

/// Units by name with their nanoseconds, the largest first.
const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

impl Time {
    /// A time of length 0.
    pub const ZERO: Self = Self::Cycles(0);

    /// Converts the time to whole cycles at `clock`, at most [`Cycles::MAX`].
    pub fn cycles(self, clock: Hertz) -> Cycles {
        match self {
            Self::Cycles(cycles) => Cycles::new(cycles),
            Self::Nanoseconds(ns) => {
                let cycles = u128::from(ns) * u128::from(clock.get()) / 1_000_000_000;
                Cycles::new(u64::try_from(cycles).unwrap_or(u64::MAX))
            }
        }
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let error = || TimeError(text.to_owned());
        let (number, unit) = parts(text);
        let number: u64 = number.replace('_', "").parse().map_err(|_| error())?;
        match nanoseconds(unit).ok_or_else(error)? {
            None => Ok(Self::Cycles(number)),
            Some(unit) => number.checked_mul(unit).map(Self::Nanoseconds).ok_or_else(error),
        }
    }
}

/// Splits `text` into its digits and its unit.
fn parts(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len()))
}

/// Returns the nanoseconds of `unit`, none of them for cycles.
fn nanoseconds(unit: &str) -> Option<Option<u64>> {
    match unit {
        "" | "cycles" => Some(None),
        "µs" => Some(Some(1_000)),
        unit => UNITS.iter().find(|(name, _)| *name == unit).map(|(_, nanoseconds)| Some(*nanoseconds)),
    }
}

impl fmt::Display for Time {
    /// Writes the time in the largest unit in which it is whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cycles(cycles) => write!(f, "{cycles}"),
            Self::Nanoseconds(ns) => {
                let (name, unit) = UNITS.iter().find(|(_, unit)| ns % unit == 0).unwrap_or(&("ns", 1));
                write!(f, "{}{name}", ns / unit)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_and_read_back() {
        for (text, cycles) in
            [("4800", 4_800), ("1ms", 180_000), ("7us", 1_260), ("5ns", 0), ("6ns", 1), ("2s", 360_000_000)]
        {
            let time: Time = text.parse().unwrap();
            assert_eq!(time.cycles(Hertz::new(180_000_000)), Cycles::new(cycles), "{text}");
            assert_eq!(time.to_string(), text);
        }
        assert_eq!("1_000us".parse::<Time>().unwrap().to_string(), "1ms");
        assert_eq!("3µs".parse(), Ok(Time::Nanoseconds(3_000)));
        let long = "99999999999s".parse::<Time>().unwrap_err().to_string();
        assert!(long.contains("longer than any run"), "{long}");
        for wrong in ["", "ms", "1.5ms", "-1", "3min", "99999999999999999999", "99999999999s"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
    }
}
