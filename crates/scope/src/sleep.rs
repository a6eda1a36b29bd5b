//! Counts sleep.

use cyclescope_machine::Signal;
use cyclescope_machine::units::Cycles;

/// Time asleep, and the number of sleeps and wake-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepTime {
    /// Cycles asleep.
    pub asleep: Cycles,
    /// The number of times the core went to sleep.
    pub sleeps: u64,
    /// The number of times the core woke.
    pub wakes: u64,
    /// The cycle at which the current sleep began.
    since: Option<Cycles>,
}

impl SleepTime {
    pub(crate) fn saw(&mut self, at: Cycles, signal: Signal) {
        match signal {
            Signal::Sleep => {
                self.sleeps += 1;
                self.since.get_or_insert(at);
            }
            Signal::Wake => {
                self.wakes += 1;
                if let Some(since) = self.since.take() {
                    self.asleep += at.saturating_sub(since);
                }
            }
            _ => {}
        }
    }

    /// Returns the same with the current sleep counted up to `now`.
    #[must_use]
    pub(crate) fn until(mut self, now: Cycles) -> Self {
        if let Some(since) = &mut self.since {
            self.asleep += now.saturating_sub(*since);
            *since = now;
        }
        self
    }
}
