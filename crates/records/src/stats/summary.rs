//! The estimates of one metric.

use thiserror::Error;

use super::Number;

/// Why samples have no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StatsError {
    /// No samples at all.
    #[error("there are no samples to summarise")]
    Empty,
    /// An infinity or NaN among the samples.
    #[error("sample {index} is not a finite number")]
    NotFinite {
        /// Its place, from 0.
        index: usize,
    },
}

/// The estimates of `n` samples, in the unit of the samples. The crate's page defines each field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The number of samples.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: Number,
    /// Standard deviation of the sample.
    pub stddev: Number,
    /// The least sample.
    pub min: Number,
    /// The middle.
    pub median: Number,
    /// The 99th percentile, by nearest rank.
    pub p99: Number,
    /// The greatest sample.
    pub max: Number,
}

impl Summary {
    /// One exact value, as a deterministic simulation gives it: n = 1, no deviation.
    pub fn exact(value: impl Into<Number>) -> Self {
        let value = value.into();
        Self { n: 1, mean: value, stddev: Number::ZERO, min: value, median: value, p99: value, max: value }
    }

    /// Summarises exact samples, in any order.
    ///
    /// # Errors
    /// [`StatsError::Empty`].
    pub fn of_integers(samples: &[u64]) -> Result<Self, StatsError> {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Err(StatsError::Empty) };
        let n = sorted.len();
        let (low, high) = middle(n);
        let sum: i128 = sorted.iter().map(|&sample| i128::from(sample)).sum();
        Ok(Self {
            n: n as u64,
            mean: Number::ratio(sum, n as i128).ok_or(StatsError::Empty)?,
            stddev: stddev_of_integers(&sorted, min),
            min: min.into(),
            median: Number::ratio(i128::from(sorted[low]) + i128::from(sorted[high]), 2).ok_or(StatsError::Empty)?,
            p99: sorted[rank_p99(n)].into(),
            max: max.into(),
        })
    }

    /// Summarises measured samples, in any order.
    ///
    /// # Errors
    /// [`StatsError::Empty`], or [`StatsError::NotFinite`] for an infinity or NaN.
    pub fn of_reals(samples: &[f64]) -> Result<Self, StatsError> {
        if let Some(index) = samples.iter().position(|sample| !sample.is_finite()) {
            return Err(StatsError::NotFinite { index });
        }
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Err(StatsError::Empty) };
        let n = sorted.len();
        let (mut mean, mut squares) = (0.0, 0.0);
        for (index, &sample) in sorted.iter().enumerate() {
            let before = sample - mean;
            mean += before / (index + 1) as f64;
            squares += before * (sample - mean);
        }
        let stddev = if n == 1 { Number::ZERO } else { Number::Real((squares / (n - 1) as f64).sqrt()) };
        let (low, high) = middle(n);
        let median = sorted[low] / 2.0 + sorted[high] / 2.0;
        let finite = [mean, median, stddev.as_f64()].iter().all(|value| value.is_finite());
        if !finite {
            // Only samples near the largest float get here.
            return Err(StatsError::NotFinite { index: n - 1 });
        }
        Ok(Self {
            n: n as u64,
            mean: Number::Real(mean.clamp(min, max)),
            stddev,
            min: Number::Real(min),
            median: Number::Real(median.clamp(min, max)),
            p99: Number::Real(sorted[rank_p99(n)]),
            max: Number::Real(max),
        })
    }
}

/// The places of the one or two samples in the middle of `n` sorted ones.
const fn middle(n: usize) -> (usize, usize) {
    ((n - 1) / 2, n / 2)
}

/// The place of the nearest-rank 99th percentile among `n` sorted samples: ⌈0.99 n⌉ − 1, in integers.
const fn rank_p99(n: usize) -> usize {
    n - n / 100 - 1
}

/// √((n Σd² − (Σd)²) / (n (n − 1))), with the distances d from the least sample, so that what is under the root is
/// exact; where that does not fit 128 bits, two passes in floats.
fn stddev_of_integers(sorted: &[u64], min: u64) -> Number {
    let n = sorted.len() as u128;
    if n < 2 || sorted.last() == Some(&min) {
        return Number::ZERO;
    }
    let distances = || sorted.iter().map(|&sample| u128::from(sample - min));
    let sum: u128 = distances().sum();
    let exact = distances()
        .try_fold(0u128, |squares, d| squares.checked_add(d.checked_mul(d)?))
        .and_then(|squares| squares.checked_mul(n)?.checked_sub(sum.checked_mul(sum)?));
    let variance = match exact {
        Some(scaled) => scaled as f64 / (n * (n - 1)) as f64,
        None => {
            let mean = sum as f64 / n as f64;
            distances().map(|d| (d as f64 - mean) * (d as f64 - mean)).sum::<f64>() / (n - 1) as f64
        }
    };
    Number::Real(variance.sqrt())
}
