//! The cost of a span.

use std::time::Duration;

use cyclescope_machine::units::Hertz;
use cyclescope_scope::Sample;

/// One passage through a span: from its first event to before its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    sample: Sample,
    clock: Hertz,
}

impl Measured {
    pub(super) fn new(sample: Sample, clock: Hertz) -> Self {
        Self { sample, clock }
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

    /// Returns the length as time at the chip's fastest clock ([`Board::time`](crate::Board::time)).
    pub fn time(self) -> Duration {
        time(self.cycles(), self.clock)
    }
}

/// The time that `cycles` of `clock` take, rounded down to nanoseconds.
pub(super) fn time(cycles: u64, clock: Hertz) -> Duration {
    let nanoseconds = u128::from(cycles) * 1_000_000_000 / u128::from(clock.get().max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// Names a span that a [`Board`](crate::Board) collects, among that board's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(pub(super) usize);
