//! Numbers as tables show them: digits in groups of three, exact where the quantity is.

pub use cyclescope_machine::figures::{TimeUnit, integer, time};
use cyclescope_machine::units::{Cycles, Hertz};
use cyclescope_records::stats::Number;

/// A float with `places` decimals, rounded to nearest, thousands grouped.
pub fn decimal(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{value:.places$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let grouped = match whole.parse::<i128>() {
        // The sign of -0.4 would be lost with its whole part.
        Ok(0) if whole.starts_with('-') => "-0".to_owned(),
        Ok(whole) => integer(whole),
        Err(_) => whole.to_owned(),
    };
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// An estimate: exact integers whole, the rest with `places` decimals.
pub fn number(value: Number, places: usize) -> String {
    match value {
        Number::Integer(value) => integer(value.into()),
        Number::Real(value) => decimal(value, places),
    }
}

/// A span in milliseconds at `clock` with `places` (at most 9) decimals, rounded half up in integers; `None` at 0 Hz.
pub fn milliseconds(span: Cycles, clock: Hertz, places: u32) -> Option<String> {
    let places = places.min(9);
    let scale = 10u128.pow(places);
    let hz = u128::from(clock.get());
    if hz == 0 {
        return None;
    }
    let scaled = (u128::from(span.get()) * 1000 * scale + hz / 2) / hz;
    let whole = integer(i128::try_from(scaled / scale).unwrap_or(i128::MAX));
    Some(match places {
        0 => whole,
        places => format!("{whole}.{:0width$}", scaled % scale, width = places as usize),
    })
}

/// A change of `delta` units with its sign: `+12`, `-4`, `0`.
pub fn signed(delta: i64) -> String {
    let text = integer(delta.into());
    if delta > 0 { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(decimal(1234.567, 2), "1,234.57");
        assert_eq!(decimal(-0.4, 1), "-0.4");
        assert_eq!(decimal(1.5, 0), "2");
        assert_eq!(number(Number::Real(0.25), 1), "0.2", "ties go to even");
        assert_eq!((signed(12), signed(-4), signed(0)), ("+12".into(), "-4".into(), "0".into()));
    }

    #[test]
    fn milliseconds_are_exact() {
        let at = |cycles, places| milliseconds(Cycles::new(cycles), Hertz::new(48_000_000), places).unwrap();
        assert_eq!(at(101_234_567, 3), "2,109.053");
        assert_eq!(at(24_000, 0), "1");
        assert_eq!(at(23_999, 0), "0");
        assert_eq!(at(u64::MAX, 2), "384,307,168,202,282.33");
        assert_eq!(milliseconds(Cycles::new(1), Hertz::ZERO, 1), None);
    }
}
