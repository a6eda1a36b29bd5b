//! Periods of the RTC's clock, counted by time, and the calibration that leaves some of them out or adds some.

use crate::{Instant, Span};

/// A clock that is counted by the time that passes: nothing happens at its edges.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// The edges up to `at`.
    count: u64,
    at: Instant,
    /// Zero while the clock stands.
    period: Span,
}

impl Ticks {
    /// Returns the edges up to `now`.
    pub fn now(&self, now: Instant) -> u64 {
        self.count + now.since(self.at).divide(self.period).0
    }

    /// Returns the time of edge `count`; [`Instant::NEVER`] if the clock stands, and for [`u64::MAX`].
    pub fn when(&self, count: u64) -> Instant {
        if self.period == Span::ZERO || count == u64::MAX {
            return Instant::NEVER;
        }
        self.at.after(self.period.times(count.saturating_sub(self.count)))
    }

    /// Tells if the clock runs.
    pub fn runs(&self) -> bool {
        self.period != Span::ZERO
    }

    /// The clock has the period `period` from `now` on, zero if it stands. A new clock begins with a whole period.
    pub fn follow(&mut self, now: Instant, period: Span) {
        if period != self.period {
            *self = Self { count: self.now(now), at: now, period };
        }
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        (self.at, self.period) = (self.at.refined(times), self.period.times(times));
    }
}

/// The pulses in a window of calibration.
const WINDOW_BITS: u32 = 20;

/// The pulses that a calibration adds and leaves out of each 2^20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pulses {
    /// None.
    #[default]
    All,
    /// So many are left out, spread evenly (STM32F1).
    Without(u32),
    /// One more each 2^11 if `added`, and `masked` are left out (RM0390, RM0490, "RTC smooth digital calibration").
    Smooth {
        /// CALP.
        added: bool,
        /// CALM.
        masked: u32,
    },
}

impl Pulses {
    /// Returns the pulses behind the calibration of the first `count` before it.
    fn of(self, count: u64) -> u64 {
        match self {
            Self::All => count,
            Self::Without(pulses) => count - ((u128::from(count) * u128::from(pulses)) >> WINDOW_BITS) as u64,
            Self::Smooth { added, masked } => {
                // Bit k of CALM leaves out 2^k pulses a window, at odd multiples of 2^(19 - k).
                let gone = (0..9).filter(|bit| masked & 1 << bit != 0).map(|bit| {
                    let half = 1 << (WINDOW_BITS - 1 - bit);
                    (count + half) >> (WINDOW_BITS - bit)
                });
                count + if added { count >> 11 } else { 0 } - gone.sum::<u64>()
            }
        }
    }
}

/// A calibration, and the count behind it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calibration {
    pulses: Pulses,
    /// The tick from which it holds, and the count then.
    from: u64,
    counted: u64,
}

impl Calibration {
    /// Returns the pulses behind the calibration up to `tick`.
    pub fn count(&self, tick: u64) -> u64 {
        match self.pulses {
            Pulses::All => self.counted + (tick - self.from.min(tick)),
            pulses => self.counted + (pulses.of(tick) - pulses.of(self.from.min(tick))),
        }
    }

    /// Returns the first tick up to which `count` pulses have come; [`u64::MAX`] stays.
    pub fn tick(&self, count: u64) -> u64 {
        let wanted = count.saturating_sub(self.counted);
        if self.pulses == Pulses::All || count == u64::MAX {
            return self.from.saturating_add(wanted);
        }
        // Less than one pulse in 1,000 goes or comes.
        let spread = wanted / 1_000 + 2;
        let around = self.from.saturating_add(wanted);
        let (mut low, mut high) = (around.saturating_sub(spread).max(self.from), around.saturating_add(spread));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.count(middle) < count { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// `pulses` hold from `tick` on.
    pub fn set(&mut self, pulses: Pulses, tick: u64) {
        *self = Self { pulses, from: tick, counted: self.count(tick) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_the_pulses_that_the_manual_gives() {
        for (pulses, expected) in [
            (Pulses::All, 1 << 20),
            (Pulses::Without(127), (1 << 20) - 127),
            (Pulses::Smooth { added: false, masked: 511 }, (1 << 20) - 511),
            (Pulses::Smooth { added: true, masked: 0 }, (1 << 20) + 512),
            (Pulses::Smooth { added: true, masked: 100 }, (1 << 20) + 412),
        ] {
            let mut calibration = Calibration::default();
            calibration.set(pulses, 0);
            assert_eq!(calibration.count(1 << 20), expected, "{pulses:?}");
            assert_eq!(calibration.count(5 << 20), 5 * expected, "{pulses:?}");
        }
    }

    #[test]
    fn the_tick_of_a_count_is_the_first_that_has_it() {
        for pulses in [Pulses::All, Pulses::Without(127), Pulses::Smooth { added: true, masked: 333 }] {
            let mut calibration = Calibration::default();
            calibration.set(Pulses::Smooth { added: false, masked: 511 }, 77);
            calibration.set(pulses, 1_234_567);
            for count in (calibration.counted + 1..calibration.counted + 5_000).chain([10_000_000, 1 << 40]) {
                let tick = calibration.tick(count);
                assert!(calibration.count(tick) >= count && calibration.count(tick - 1) < count, "{pulses:?} {count}");
            }
        }
    }
}
