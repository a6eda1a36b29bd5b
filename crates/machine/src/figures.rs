//! Numbers as people read them: digits in groups of three, times in the unit that fits.

use crate::units::Picoseconds;

/// Returns an integer with a comma between thousands: `101,234,567`.
pub fn integer(value: i128) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A unit of time that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl TimeUnit {
    /// All units, the largest first.
    const ALL: [Self; 4] = [Self::Seconds, Self::Milliseconds, Self::Microseconds, Self::Nanoseconds];

    /// Returns the largest unit of which `time` has at least one, or nanoseconds.
    pub fn of(time: Picoseconds) -> Self {
        Self::ALL.into_iter().find(|unit| time >= unit.length()).unwrap_or(Self::Nanoseconds)
    }

    /// Returns one of the unit.
    pub const fn length(self) -> Picoseconds {
        Picoseconds::new(match self {
            Self::Nanoseconds => 1_000,
            Self::Microseconds => 1_000_000,
            Self::Milliseconds => 1_000_000_000,
            Self::Seconds => 1_000_000_000_000,
        })
    }

    /// Returns the unit's symbol: `ns`, `µs`, `ms` or `s`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }
}

/// Returns a time in the unit that fits, to four digits, rounded half up: `10.25 µs`, `22.54 ms`, `1.500 s`.
///
/// Whole seconds beyond that keep all their digits, and less than a nanosecond has three decimals.
pub fn time(time: Picoseconds) -> String {
    let unit = TimeUnit::of(time);
    let one = u128::from(unit.length().get());
    let places = match u128::from(time.get()) / one {
        0..10 => 3,
        10..100 => 2,
        100..1000 => 1,
        _ => 0,
    };
    let scale = 10u128.pow(places);
    let rounded = (u128::from(time.get()) * scale + one / 2) / one;
    if rounded == 1_000 * scale && unit != TimeUnit::Seconds {
        // 999.96 µs is a millisecond.
        return self::time(Picoseconds::new(unit.length().get() * 1_000));
    }
    // 9.9996 is 10.00.
    let extra = places > 0 && rounded >= 10_000;
    let (rounded, places, scale) =
        if extra { (rounded / 10, places - 1, scale / 10) } else { (rounded, places, scale) };
    let whole = integer(i128::try_from(rounded / scale).unwrap_or(i128::MAX));
    let symbol = unit.symbol();
    match places {
        0 => format!("{whole} {symbol}"),
        _ => format!("{whole}.{:0width$} {symbol}", rounded % scale, width = places as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (value, expect) in [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")] {
            assert_eq!(integer(value), expect);
        }
    }

    #[test]
    fn times_have_the_unit_that_fits_and_four_digits() {
        for (picoseconds, expect) in [
            (0, "0.000 ns"),
            (250, "0.250 ns"),
            (20_833, "20.83 ns"),
            (999_949, "999.9 ns"),
            (999_950, "1.000 µs"),
            (9_999_600, "10.00 µs"),
            (10_250_000, "10.25 µs"),
            (2_254_000_000, "2.254 ms"),
            (22_540_000_000, "22.54 ms"),
            (999_999_999_999, "1.000 s"),
            (1_500_000_000_000, "1.500 s"),
            (208_333_333_333_333, "208.3 s"),
            (999_960_000_000_000, "1,000 s"),
            (12_345_600_000_000_000, "12,346 s"),
        ] {
            assert_eq!(time(Picoseconds::new(picoseconds)), expect, "{picoseconds}");
        }
        assert_eq!(time(Picoseconds::MAX), "18,446,744 s");
    }

    #[test]
    fn a_unit_is_the_largest_that_is_there_once() {
        assert_eq!(TimeUnit::of(Picoseconds::new(999_999)), TimeUnit::Nanoseconds);
        assert_eq!(TimeUnit::of(Picoseconds::new(1_000_000)), TimeUnit::Microseconds);
        assert_eq!(TimeUnit::of(Picoseconds::MAX), TimeUnit::Seconds);
    }
}
