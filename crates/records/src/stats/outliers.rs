//! Samples that lie far from the others.

/// The number of samples outside of Tukey's fences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outliers {
    /// Outside of the inner fences, 1.5 times the distance of the quartiles beyond them, and not of the outer.
    pub mild: usize,
    /// Outside of the outer fences, three times that distance beyond them.
    pub severe: usize,
}

impl Outliers {
    /// Counts them among `samples`, in any order. They are flagged and stay in all estimates: on a machine that does other
    /// things too, they are part of what one gets.
    pub fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        if sorted.len() < 4 {
            // Quartiles of so few are the extremes.
            return Self::default();
        }
        let (low, high) = (hinge(&sorted, 1), hinge(&sorted, 3));
        let outside = |times: f64| {
            let reach = times * (high - low);
            sorted.iter().filter(|sample| **sample < low - reach || **sample > high + reach).count()
        };
        let severe = outside(3.0);
        Self { mild: outside(1.5) - severe, severe }
    }
}

/// The quartile of this number, linear between the samples around it (definition 7 of Hyndman and Fan).
fn hinge(sorted: &[f64], quarter: usize) -> f64 {
    let (whole, rest) = ((sorted.len() - 1) * quarter / 4, (sorted.len() - 1) * quarter % 4);
    let next = sorted.get(whole + 1).copied().unwrap_or(sorted[whole]);
    sorted[whole] + (next - sorted[whole]) * rest as f64 / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_tukeys() {
        // Quartiles 3 and 7 of 1 to 9: inner fences -3 and 13, outer -9 and 19.
        let nine: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(Outliers::of(&nine), Outliers::default());
        let with = |last: f64| Outliers::of(&[&nine[..8], &[last]].concat());
        assert_eq!(with(13.0), Outliers::default());
        assert_eq!(with(13.5), Outliers { mild: 1, severe: 0 });
        assert_eq!(with(19.0), Outliers { mild: 1, severe: 0 });
        assert_eq!(with(19.5), Outliers { mild: 0, severe: 1 });
        assert_eq!(Outliers::of(&[-20.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).severe, 1);
    }

    #[test]
    fn the_same_all_over_has_none_and_few_have_no_quartiles() {
        assert_eq!(Outliers::of(&[5.0; 10]), Outliers::default());
        assert_eq!(Outliers::of(&[5.0, 5.0, 1e9]), Outliers::default());
        assert_eq!(Outliers::of(&[]), Outliers::default());
    }
}
