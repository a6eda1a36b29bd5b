//! The certainty of a ratio of two means.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A ratio of means and the interval in which it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The mean of the numerators over the mean of the denominators.
    pub estimate: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The way in which the interval is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// The share of such intervals that should hold the true ratio: 0.95.
    pub confidence: f64,
    /// The number of times that the samples are drawn anew; a thousand or more.
    pub resamples: usize,
    /// The generator's seed: the same samples and seed give the same interval.
    pub seed: u64,
}

impl Bootstrap {
    /// The ratio of the means of `pairs`, numerator first, each pair measured under the same conditions, and its percentile
    /// interval.
    ///
    /// Pairs are drawn whole: what a round of measurements did to both stays with both. `None` for no pairs, for values
    /// that are not positive and finite, and for settings out of range.
    pub fn ratio_of_means(self, pairs: &[(f64, f64)]) -> Option<Ratio> {
        let usable = |value: f64| value.is_finite() && value > 0.0;
        let in_range = self.confidence > 0.0 && self.confidence < 1.0 && self.resamples > 0;
        if pairs.is_empty() || !in_range || pairs.iter().any(|(a, b)| !usable(*a) || !usable(*b)) {
            return None;
        }
        // The counts of both means are the same and cancel.
        let estimate = ratio(pairs.iter().copied());
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut drawn: Vec<f64> = (0..self.resamples)
            .map(|_| ratio((0..pairs.len()).map(|_| pairs[random.random_range(0..pairs.len())])))
            .collect();
        drawn.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - self.confidence) / 2.0;
        // Nearest rank, as the crate's other quantiles.
        let at = |share: f64| drawn[((share * drawn.len() as f64).ceil() as usize).clamp(1, drawn.len()) - 1];
        Some(Ratio { estimate, low: at(tail), high: at(1.0 - tail) })
    }
}

fn ratio(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (above, below) = pairs.fold((0.0, 0.0), |(above, below), (a, b)| (above + a, below + b));
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTSTRAP: Bootstrap = Bootstrap { confidence: 0.95, resamples: 2000, seed: 1 };

    #[test]
    fn a_constant_ratio_has_no_width() {
        // What disturbs a round disturbs both; powers of two keep the arithmetic exact.
        let pairs: Vec<(f64, f64)> = (0..20).map(|n| f64::from(1 << (n % 5))).map(|x| (4.0 * x, x)).collect();
        assert_eq!(BOOTSTRAP.ratio_of_means(&pairs), Some(Ratio { estimate: 4.0, low: 4.0, high: 4.0 }));
    }

    #[test]
    fn the_interval_holds_the_estimate_and_narrows_with_samples() {
        let pairs = |n: u32| -> Vec<(f64, f64)> {
            (0..n).map(|i| (20.0 + f64::from(i * 7 % 11), 10.0 + f64::from(i * 5 % 7))).collect()
        };
        let (few, many) =
            (BOOTSTRAP.ratio_of_means(&pairs(10)).unwrap(), BOOTSTRAP.ratio_of_means(&pairs(1000)).unwrap());
        for ratio in [few, many] {
            assert!(ratio.low < ratio.estimate && ratio.estimate < ratio.high, "{ratio:?}");
        }
        assert!(many.high - many.low < (few.high - few.low) / 3.0, "{few:?} {many:?}");
        assert_eq!(BOOTSTRAP.ratio_of_means(&pairs(10)), Some(few), "the seed decides");
    }

    #[test]
    fn it_covers_as_often_as_it_says() {
        // Denominators 1; numerators uniform on [1, 3), whose mean is 2.
        let mut random = Pcg64::seed_from_u64(3);
        let covered = (0..200)
            .filter(|&seed| {
                let pairs: Vec<(f64, f64)> = (0..30).map(|_| (random.random_range(1.0..3.0), 1.0)).collect();
                let ratio = Bootstrap { resamples: 400, seed, ..BOOTSTRAP }.ratio_of_means(&pairs).unwrap();
                ratio.low <= 2.0 && 2.0 <= ratio.high
            })
            .count();
        // 190 expected; percentile intervals of 30 samples cover a little less.
        assert!((176..=198).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn what_has_no_ratio_has_none() {
        assert_eq!(BOOTSTRAP.ratio_of_means(&[]), None);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(BOOTSTRAP.ratio_of_means(&[(1.0, 1.0), (bad, 1.0)]), None);
            assert_eq!(BOOTSTRAP.ratio_of_means(&[(1.0, bad)]), None);
        }
        assert_eq!(Bootstrap { confidence: 1.0, ..BOOTSTRAP }.ratio_of_means(&[(1.0, 1.0)]), None);
    }
}
