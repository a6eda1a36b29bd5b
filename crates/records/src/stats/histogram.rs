//! Counts of samples by size.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

/// The growth of a histogram's buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Zero has a bucket, and so has each range from a power of two to below the next.
    PowersOfTwo,
    /// All buckets are equally wide; the last may reach beyond the greatest sample.
    Linear,
}

/// The samples from `from` to `to`, both counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The least value that falls in it.
    pub from: u64,
    /// The greatest.
    pub to: u64,
    /// The number of samples in it.
    pub count: u64,
}

/// Adjacent buckets from the least sample's to the greatest's; none where there are no samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// The growth of the buckets.
    pub scale: Scale,
    /// The buckets, ascending.
    pub buckets: Vec<Bucket>,
}

impl Histogram {
    /// Counts in at most `buckets` equally wide ranges of whole numbers, the first beginning at the least sample.
    pub fn linear(samples: &[u64], buckets: NonZeroU16) -> Self {
        let (Some(&min), Some(&max)) = (samples.iter().min(), samples.iter().max()) else {
            return Self { scale: Scale::Linear, buckets: Vec::new() };
        };
        let values = u128::from(max - min) + 1;
        let width = values.div_ceil(u128::from(buckets.get()));
        let used = values.div_ceil(width);
        let place = |index: u128| u64::try_from(u128::from(min) + index * width).unwrap_or(u64::MAX);
        let mut all: Vec<Bucket> = (0..used)
            .map(|index| {
                let to = u64::try_from(u128::from(min) + (index + 1) * width - 1).unwrap_or(u64::MAX);
                Bucket { from: place(index), to, count: 0 }
            })
            .collect();
        for &sample in samples {
            let index = u128::from(sample - min) / width;
            all[index as usize].count += 1;
        }
        Self { scale: Scale::Linear, buckets: all }
    }

    /// Returns the number of samples that were counted.
    pub fn samples(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }
}
