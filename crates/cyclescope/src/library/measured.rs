//! The cost of a span.

use std::time::Duration;

use cyclescope_machine::units::Picoseconds;
use cyclescope_scope::Sample;

/// One passage through a span: from its first event to before its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    sample: Sample,
}

impl Measured {
    pub(super) fn new(sample: Sample) -> Self {
        Self { sample }
    }

    /// Returns the length in cycles of the core.
    pub fn cycles(self) -> u64 {
        self.sample.cycles.get()
    }

    /// Returns the instructions that retired in it.
    pub fn instructions(self) -> u64 {
        self.sample.instructions.get()
    }

    /// The cycle after reset at which it began.
    pub fn start(self) -> u64 {
        self.sample.start.get()
    }

    /// The cycle after reset at which it ended.
    pub fn end(self) -> u64 {
        self.sample.start.get().saturating_add(self.sample.cycles.get())
    }

    /// Returns the length in simulated time, rounded down to nanoseconds.
    pub fn time(self) -> Duration {
        duration(self.sample.time)
    }
}

/// Converts a time, rounded down to nanoseconds.
pub(super) fn duration(time: Picoseconds) -> Duration {
    Duration::from_nanos(time.get() / 1_000)
}

/// Names a span that a [`Board`](crate::Board) collects, among that board's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(pub(super) usize);
