//! The places of values on an axis, and its marks.

use super::{Axis, Scale};
use crate::format::decimal;

/// The margin of an axis beyond its outermost values, in parts of their distance.
const MARGIN: f64 = 0.04;

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// The text beside it.
    pub label: String,
}

/// The part of an axis that is shown.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    axis: &'a Axis,
    /// Both ends, as they lie on the scale.
    low: f64,
    high: f64,
}

impl<'a> Frame<'a> {
    /// Returns the part of `axis` that shows `values`; none if none of them can be shown on it.
    pub fn of(axis: &'a Axis, values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let shown = values.into_iter().filter_map(|value| on(axis.scale, value));
        let (low, high) =
            shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        // A scale that could begin at zero without losing much of its length does.
        let zero = axis.scale == Scale::Linear && low >= 0.0 && low <= high / 2.0;
        let beyond = if high > low { (high - low) * MARGIN } else { (low.abs() * MARGIN).max(0.1) };
        Some(Self { axis, low: if zero { 0.0 } else { low - beyond }, high: high + beyond })
    }

    /// Both ends as they lie on the scale: values, or their decimal logarithms.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Both ends as values.
    pub(super) fn values(&self) -> [f64; 2] {
        match self.axis.scale {
            Scale::Linear => self.ends(),
            Scale::Logarithmic => self.ends().map(|end| 10f64.powf(end)),
        }
    }

    /// Returns the place of `value` on the scale; none if it cannot be shown.
    pub(super) fn on(&self, value: f64) -> Option<f64> {
        on(self.axis.scale, value)
    }

    /// Returns the place of `value`: 0 at the lower end of the axis, 1 at the upper; none if it cannot be shown.
    pub fn place(&self, value: f64) -> Option<f64> {
        Some((self.on(value)? - self.low) / (self.high - self.low))
    }

    /// The marks within what is shown: the axis's own, its places, or round values, about `most` of them.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let values = match (self.axis.marks.is_empty(), self.axis.scale) {
            (false, _) => self.axis.marks.clone(),
            (true, Scale::Linear) => linear(self.low, self.high, most),
            (true, Scale::Logarithmic) => logarithmic(self.low, self.high, most),
        };
        let inside = |value: &f64| self.place(*value).is_some_and(|place| (-1e-9..=1.0 + 1e-9).contains(&place));
        values.into_iter().filter(inside).map(|value| Tick { value, label: label(value) }).collect()
    }
}

/// Returns the place of `value` on `scale`.
fn on(scale: Scale, value: f64) -> Option<f64> {
    let place = match scale {
        Scale::Linear => value,
        Scale::Logarithmic if value > 0.0 => value.log10(),
        Scale::Logarithmic => return None,
    };
    place.is_finite().then_some(place)
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|times| times * power)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    // No more than a few: the step was chosen so.
    (0..=(last - first).max(0.0) as u32).map(|index| (first + f64::from(index)) * step).collect()
}

/// 1, 2 and 5 times the powers of ten, or 1 alone, or some of those, as there is room; within less than that, round values.
fn logarithmic(low: f64, high: f64, most: usize) -> Vec<f64> {
    let powers = low.floor() as i32..=high.floor() as i32;
    let fine = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * 10f64.powi(power)));
    let fine: Vec<f64> = fine.filter(|value| (low..=high).contains(&value.log10())).collect();
    if fine.len() < 3 {
        return linear(10f64.powf(low), 10f64.powf(high), most.min(5));
    }
    if fine.len() <= most {
        return fine;
    }
    let powers = low.ceil() as i32..=high.floor() as i32;
    let every = powers.clone().count().div_ceil(most.max(2)).max(1);
    powers.step_by(every).map(|power| 10f64.powi(power)).collect()
}

/// A value beside its mark: three digits after the point at most, none that say nothing.
pub(super) fn label(value: f64) -> String {
    let text = decimal(value, 3);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    // What three digits cannot show.
    if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e9) { format!("{value:e}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis, values: &[f64], most: usize) -> Vec<String> {
        let frame = Frame::of(axis, values.iter().copied()).unwrap();
        frame.ticks(most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn marks_are_round_and_few() {
        let linear = Axis::number("n");
        assert_eq!(ticks(&linear, &[0.0, 100.0], 5), ["0", "50", "100"]);
        assert_eq!(ticks(&linear, &[0.0, 0.7], 4), ["0", "0.2", "0.4", "0.6"]);
        assert_eq!(ticks(&linear, &[1_000.0, 1_100.0], 4), ["1,000", "1,050", "1,100"]);
        assert_eq!(ticks(&linear, &[-3.0, 3.0], 4), ["-2", "0", "2"]);
        let log = Axis::number("n").on(Scale::Logarithmic);
        assert_eq!(ticks(&log, &[1.0, 100.0], 8), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(ticks(&log, &[1.0, 1e6], 5), ["1", "100", "10,000", "1,000,000"]);
        assert_eq!(
            ticks(&log, &[130.0, 150.0], 8),
            ["130", "135", "140", "145", "150"],
            "less than a third of a decade"
        );
    }

    #[test]
    fn places_are_shares_of_the_scale() {
        let log = Axis::number("n").on(Scale::Logarithmic);
        let frame = Frame::of(&log, [1.0, 4.0]).unwrap();
        let middle = frame.place(2.0).unwrap();
        assert!((middle - 0.5).abs() < 1e-9, "{middle}");
        assert_eq!((frame.place(0.0), frame.place(-1.0), frame.place(f64::NAN)), (None, None, None));
        assert!(Frame::of(&log, [0.0, -1.0, f64::INFINITY]).is_none(), "nothing to show");
        let one = Axis::number("n");
        assert!(Frame::of(&one, [5.0]).unwrap().place(5.0).is_some_and(|place| (place - 0.5).abs() < 1e-9));
    }

    #[test]
    fn an_axis_has_its_own_marks_and_names() {
        let marked = Axis::number("n").on(Scale::Logarithmic).marked([1.0, 8.0, 512.0]);
        assert_eq!(ticks(&marked, &[1.0, 512.0], 3), ["1", "8", "512"]);
        assert_eq!(ticks(&marked, &[1.0, 8.0], 3), ["1", "8"], "within what is shown");
        assert_eq!((label(0.25), label(1e-6), label(2e9)), ("0.25".into(), "1e-6".into(), "2e9".into()));
    }
}
