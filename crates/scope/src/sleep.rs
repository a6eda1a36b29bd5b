//! Time awake and asleep.

use cyclescope_machine::Signal;
use cyclescope_units::Cycles;

/// How long a core slept, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepTime {
    /// Cycles asleep.
    pub asleep: Cycles,
    /// How often it went to sleep.
    pub sleeps: u64,
    /// How often it woke.
    pub wakes: u64,
    /// Since when it sleeps.
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

    /// The same with the sleep that goes on at `now` counted up to there.
    #[must_use]
    pub(crate) fn until(mut self, now: Cycles) -> Self {
        if let Some(since) = &mut self.since {
            self.asleep += now.saturating_sub(*since);
            *since = now;
        }
        self
    }
}
