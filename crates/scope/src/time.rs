//! Times as a user writes them.

use std::fmt;
use std::str::FromStr;

use cyclescope_machine::units::{Cycles, Hertz, Picoseconds};
use cyclescope_machine::{Moment, Timebase};
use thiserror::Error;

/// A time as written, exact in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Cycles of the core's clock, however fast it runs.
    Cycles(u64),
    /// Real time, in picoseconds.
    Picoseconds(u64),
}

/// Text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TimeError {
    /// Text in no form of a time.
    #[error(
        "`{0}` is not a time; write a number with s, ms, us, ns or ps, like 1.5ms, or with cy for cycles, like 1e6cy"
    )]
    Form(String),
    /// A number without a unit.
    #[error("`{0}` has no unit; write {0}s for seconds, {0}ms for milliseconds, or {0}cy for cycles")]
    Unit(String),
    /// A time before reset.
    #[error("`{0}` is negative; a time begins at reset and is 0 or more")]
    Negative(String),
    /// A time or number of cycles beyond 64 bits.
    #[error("`{0}` is too long; a time is less than 213 days, a number of cycles less than 2^64")]
    TooLong(String),
    /// A part of a picosecond or cycle.
    #[error("`{0}` is not a whole number of {1}")]
    Fraction(String, &'static str),
}

/// Units by name with their picoseconds, the largest first.
const UNITS: [(&str, u64); 5] =
    [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)];

/// Tells whether `word` is the unit of a time.
pub(crate) fn is_unit(word: &str) -> bool {
    matches!(word, "cy" | "cycles" | "µs") || UNITS.iter().any(|(name, _)| *name == word)
}

impl Time {
    /// A time of length 0.
    pub const ZERO: Self = Self::Picoseconds(0);

    /// Returns a time of so many nanoseconds, at most 213 days.
    pub const fn nanoseconds(count: u64) -> Self {
        Self::Picoseconds(count.saturating_mul(1_000))
    }

    /// Tells whether it has no length.
    pub const fn is_zero(self) -> bool {
        matches!(self, Self::Cycles(0) | Self::Picoseconds(0))
    }

    /// Returns the moment at this time after reset.
    pub const fn after_reset(self) -> Moment {
        match self {
            Self::Cycles(cycles) => Moment::Cycle(Cycles::new(cycles)),
            Self::Picoseconds(time) => Moment::Time(Picoseconds::new(time)),
        }
    }

    /// Returns the moment at this time after the cycle `at`, at which `timebase` holds.
    pub fn after(self, at: Cycles, timebase: &Timebase) -> Moment {
        match self {
            Self::Cycles(cycles) => Moment::Cycle(at.saturating_add(Cycles::new(cycles))),
            Self::Picoseconds(time) => Moment::Time(timebase.time(at).saturating_add(Picoseconds::new(time))),
        }
    }

    /// Converts the time to whole cycles of a clock that stays at `clock`, at most [`Cycles::MAX`].
    pub fn cycles(self, clock: Hertz) -> Cycles {
        match self {
            Self::Cycles(cycles) => Cycles::new(cycles),
            Self::Picoseconds(time) => {
                let cycles = u128::from(time) * u128::from(clock.get()) / 1_000_000_000_000;
                Cycles::new(u64::try_from(cycles).unwrap_or(u64::MAX))
            }
        }
    }
}

impl From<Moment> for Time {
    fn from(at: Moment) -> Self {
        match at {
            Moment::Cycle(at) => Self::Cycles(at.get()),
            Moment::Time(at) => Self::Picoseconds(at.get()),
        }
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let form = || TimeError::Form(text.to_owned());
        let too_long = || TimeError::TooLong(text.to_owned());
        if text.strip_prefix(['-', '−']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            return Err(TimeError::Negative(text.to_owned()));
        }
        // `1e6cy` has an exponent, `1cy` has none.
        let number = |c: char| c.is_ascii_digit() || matches!(c, '_' | '.');
        let mut end = text.find(|c: char| !number(c)).unwrap_or(text.len());
        if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            end += if digits > 0 { 1 + digits } else { 0 };
        }
        let (number, unit) = text.split_at(end);
        let (name, scale) = match unit.trim_start() {
            "" | "cy" | "cycles" => ("cycles", 1),
            "µs" => ("picoseconds", 1_000_000),
            unit => ("picoseconds", UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(form)?.1),
        };
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").replace('_', "");
        if whole.is_empty() || digits.is_empty() || fraction.contains('.') || mantissa.ends_with('.') {
            return Err(form());
        }
        let digits = digits.trim_start_matches('0');
        // Nothing is as long in every unit.
        if unit.is_empty() && !digits.is_empty() {
            return Err(TimeError::Unit(text.to_owned()));
        }
        if digits.len() > 38 || exponent.len() > 3 {
            return Err(too_long());
        }
        let digits: u128 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| form())? };
        let places = exponent.parse::<i32>().map_err(|_| form())? - fraction.replace('_', "").len() as i32;
        let power = 10u128.checked_pow(places.unsigned_abs()).ok_or_else(too_long)?;
        let amount = digits.checked_mul(scale.into()).ok_or_else(too_long)?;
        let amount = match places {
            0.. => amount.checked_mul(power).ok_or_else(too_long)?,
            _ if amount % power == 0 => amount / power,
            _ => return Err(TimeError::Fraction(text.to_owned(), name)),
        };
        let amount = u64::try_from(amount).map_err(|_| too_long())?;
        Ok(if name == "cycles" { Self::Cycles(amount) } else { Self::Picoseconds(amount) })
    }
}

impl fmt::Display for Time {
    /// Writes the time in the largest unit in which it is whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cycles(cycles) => write!(f, "{cycles}cy"),
            Self::Picoseconds(0) => f.write_str("0s"),
            Self::Picoseconds(time) => {
                let (name, unit) = UNITS.iter().find(|(_, unit)| time % unit == 0).unwrap_or(&("ps", 1));
                write!(f, "{}{name}", time / unit)
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
            [("4800cy", 4_800), ("1ms", 180_000), ("7us", 1_260), ("5ns", 0), ("6ns", 1), ("2s", 360_000_000)]
        {
            let time: Time = text.parse().unwrap();
            assert_eq!(time.cycles(Hertz::new(180_000_000)), Cycles::new(cycles), "{text}");
            assert_eq!(time.to_string(), text);
        }
        for (text, shown) in [
            ("1_000us", "1ms"),
            ("3µs", "3us"),
            ("1.5ms", "1500us"),
            ("1 s", "1s"),
            ("1e6cy", "1000000cy"),
            ("1.5e3 cycles", "1500cy"),
            ("0.25ns", "250ps"),
            ("0", "0cy"),
            ("0.0ms", "0s"),
            ("213d", ""),
        ] {
            assert_eq!(text.parse::<Time>().map(|time| time.to_string()).unwrap_or_default(), shown, "{text}");
        }
    }

    #[test]
    fn each_wrong_time_has_its_reason() {
        for wrong in ["", "ms", "-", "-ms", "3min", "1e", "1.", ".5ms", "1..5ms", "1e-3s", "1ms2", "s1", "1 000ms", "é"]
        {
            assert_eq!(wrong.parse::<Time>(), Err(TimeError::Form(wrong.to_owned())));
        }
        for wrong in ["99999999999999999999cy", "99999999999999999s", "1e999cy", "1e9999cy", "2e7s"] {
            assert_eq!(wrong.parse::<Time>(), Err(TimeError::TooLong(wrong.to_owned())));
        }
        for wrong in ["1", "4800", "1_000", "1.5", "1e6", "0.1"] {
            assert_eq!(wrong.parse::<Time>(), Err(TimeError::Unit(wrong.to_owned())));
        }
        for wrong in ["-5ms", "-1", "−5ms"] {
            assert_eq!(wrong.parse::<Time>(), Err(TimeError::Negative(wrong.to_owned())));
        }
        for (wrong, unit) in
            [("1.5cy", "cycles"), ("0.5 cycles", "cycles"), ("0.5ps", "picoseconds"), ("1.0001ns", "picoseconds")]
        {
            assert_eq!(wrong.parse::<Time>(), Err(TimeError::Fraction(wrong.to_owned(), unit)));
        }
    }
}
