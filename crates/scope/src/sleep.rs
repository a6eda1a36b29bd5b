//! Counts sleep.

use cyclescope_machine::Signal;
use cyclescope_machine::units::Cycles;

/// Time asleep, and the number of sleeps and wake-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepTime {
    /// Cycles in which all cores were asleep.
    pub asleep: Cycles,
    /// The number of times a core went to sleep.
    pub sleeps: u64,
    /// The number of times a core woke.
    pub wakes: u64,
    /// There is a second core.
    several: bool,
    /// The cycle at which the current sleep of each core began.
    since: [Option<Cycles>; 2],
}

impl SleepTime {
    /// Returns no sleep, of `cores` cores.
    pub(crate) fn of(cores: usize) -> Self {
        Self { several: cores > 1, ..Self::default() }
    }

    /// Returns the cycle from which on all cores sleep.
    fn all_since(&self) -> Option<Cycles> {
        let [first, second] = self.since;
        if self.several { first.zip(second).map(|(first, second)| first.max(second)) } else { first }
    }

    pub(crate) fn saw(&mut self, at: Cycles, core: u8, signal: Signal) {
        let core = usize::from(core) % self.since.len();
        match signal {
            Signal::Sleep => {
                self.sleeps += 1;
                self.since[core].get_or_insert(at);
            }
            Signal::Wake => {
                self.wakes += 1;
                if let Some(since) = self.all_since().filter(|_| self.since[core].is_some()) {
                    self.asleep += at.saturating_sub(since);
                }
                self.since[core] = None;
            }
            _ => {}
        }
    }

    /// Returns the same with the current sleep counted up to `now`.
    #[must_use]
    pub(crate) fn until(mut self, now: Cycles) -> Self {
        if let Some(since) = self.all_since() {
            self.asleep += now.saturating_sub(since);
            self.since = self.since.map(|since| since.map(|since| since.max(now)));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_sleeps_while_all_of_its_cores_do() {
        let seen = [(10, 0, Signal::Sleep), (20, 1, Signal::Sleep), (50, 0, Signal::Wake), (60, 0, Signal::Sleep)];
        let sleep = |cores| {
            let mut sleep = SleepTime::of(cores);
            seen.iter().for_each(|(at, core, signal)| sleep.saw(Cycles::new(*at), *core, *signal));
            sleep.until(Cycles::new(70))
        };
        assert_eq!((sleep(2).asleep.get(), sleep(2).sleeps, sleep(2).wakes), (30 + 10, 3, 1));
        assert_eq!(sleep(1).asleep.get(), 40 + 10, "as if there were no other");
        assert_eq!(sleep(2).until(Cycles::new(75)).asleep.get(), 45);
    }
}
