//! Values on their way through flip-flops.

use std::collections::VecDeque;

/// Values in the order in which they arrive, each with its time in periods of clkI/O.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delayed {
    pending: VecDeque<(u64, u32)>,
}

impl Delayed {
    /// `value` arrives at `at`, in the place of another that arrives then.
    pub(crate) fn push(&mut self, at: u64, value: u32) {
        self.pending.retain(|(other, _)| *other != at);
        self.pending.push_back((at, value));
    }

    /// Tells if no value is on its way.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// When the next one arrives; `u64::MAX` if none is on its way.
    pub(crate) fn next(&self) -> u64 {
        self.pending.front().map_or(u64::MAX, |(at, _)| *at)
    }

    /// The next one that has arrived by `now`.
    pub(crate) fn arrived(&mut self, now: u64) -> Option<u32> {
        self.pending.pop_front_if(|(at, _)| *at <= now).map(|(_, value)| value)
    }
}
