//! The samples of a span, of which only the first are kept.

use super::{SPAN_SAMPLES, Sample};

/// The samples of a span: the first by themselves, the later ones summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The first samples, in order.
    pub first: Vec<Sample>,
    /// The sums of all others.
    pub later: Later,
}

/// The samples that were not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Later {
    /// Their number.
    pub count: u64,
    cycles: Extent,
    time: Extent,
    instructions: Extent,
}

/// The least, the greatest and the sum of some values. All are 0 without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The least value.
    pub least: u64,
    /// The greatest value.
    pub greatest: u64,
    /// The sum.
    pub sum: u128,
}

impl Extent {
    /// Adds `value` to `before` others.
    fn add(&mut self, before: u64, value: u64) {
        self.least = if before == 0 { value } else { self.least.min(value) };
        self.greatest = self.greatest.max(value);
        self.sum += u128::from(value);
    }
}

impl Samples {
    /// Keeps `sample` if there is room, and sums it up if not.
    pub(super) fn push(&mut self, sample: Sample, room: &mut usize) {
        if *room > 0 || self.first.len() < SPAN_SAMPLES {
            *room = room.saturating_sub(1);
            self.first.push(sample);
            return;
        }
        let Later { count, cycles, time, instructions } = &mut self.later;
        cycles.add(*count, sample.cycles.get());
        time.add(*count, sample.time.get());
        instructions.add(*count, sample.instructions.get());
        *count += 1;
    }

    /// Returns the number of all samples.
    pub fn count(&self) -> u64 {
        self.first.len() as u64 + self.later.count
    }

    /// Returns the extent of all samples' lengths in cycles.
    pub fn cycles(&self) -> Extent {
        self.extent(self.later.cycles, |sample| sample.cycles.get())
    }

    /// Returns the extent of all samples' lengths in picoseconds.
    pub fn time(&self) -> Extent {
        self.extent(self.later.time, |sample| sample.time.get())
    }

    /// Returns the extent of all samples' instructions.
    pub fn instructions(&self) -> Extent {
        self.extent(self.later.instructions, |sample| sample.instructions.get())
    }

    fn extent(&self, later: Extent, value: impl Fn(&Sample) -> u64) -> Extent {
        let mut extent = later;
        for (before, sample) in (self.later.count..).zip(&self.first) {
            extent.add(before, value(sample));
        }
        extent
    }
}
