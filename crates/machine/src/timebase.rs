//! Cycles and real time.

use crate::units::{Cycles, Hertz, Picoseconds};

const PICOSECONDS_A_SECOND: u128 = 1_000_000_000_000;

/// A point in simulated time, counted from reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The beginning of a cycle of the core's clock.
    Cycle(Cycles),
    /// A point in real time.
    Time(Picoseconds),
}

impl From<Cycles> for Moment {
    fn from(cycle: Cycles) -> Self {
        Self::Cycle(cycle)
    }
}

impl From<Picoseconds> for Moment {
    fn from(time: Picoseconds) -> Self {
        Self::Time(time)
    }
}

/// The relation of core cycles to real time since the last change of the core's clock.
///
/// It counts in units of which a period of the clock has a whole number, so a run through any changes of the clock
/// rounds nothing but the picoseconds that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    /// The cycle at which the clock changed.
    cycle: Cycles,
    /// The time at that cycle, in units since reset.
    start: u64,
    /// The period of the clock, in units; at least 1.
    period: u64,
    /// Units in a second; at least 1.
    units_a_second: u64,
}

impl Timebase {
    /// Returns the time base of a clock that never changes.
    pub fn fixed(clock: Hertz) -> Self {
        Self::new(Cycles::ZERO, 0, 1, clock.get())
    }

    /// Returns the time base of a clock that changed at `cycle`, `start` units after reset, to a period of `period` units.
    pub fn new(cycle: Cycles, start: u64, period: u64, units_a_second: u64) -> Self {
        Self { cycle, start, period: period.max(1), units_a_second: units_a_second.max(1) }
    }

    /// Returns the cycle from which on this time base holds.
    pub const fn since(&self) -> Cycles {
        self.cycle
    }

    /// Returns the core's clock in hertz, rounded down.
    pub const fn clock(&self) -> Hertz {
        Hertz::new(self.units_a_second / self.period)
    }

    /// Returns the time at which the cycle `at` begins, rounded down. A cycle before [`Timebase::since`] counts as that one.
    pub fn time(&self, at: Cycles) -> Picoseconds {
        let cycles = u128::from(at.saturating_sub(self.cycle).get());
        let units = (u128::from(self.start) + cycles * u128::from(self.period)).min(u128::from(u64::MAX));
        let time = units * PICOSECONDS_A_SECOND / u128::from(self.units_a_second);
        Picoseconds::new(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// Returns the first cycle that begins at or after `moment`, if the clock does not change before. It is at least
    /// [`Timebase::since`] for a time.
    pub fn cycle(&self, moment: Moment) -> Cycles {
        let time = match moment {
            Moment::Cycle(cycle) => return cycle,
            Moment::Time(time) => time,
        };
        let units = (u128::from(time.get()) * u128::from(self.units_a_second)).div_ceil(PICOSECONDS_A_SECOND);
        let ahead = units.saturating_sub(u128::from(self.start)).div_ceil(u128::from(self.period));
        self.cycle.saturating_add(Cycles::new(u64::try_from(ahead).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_begins_at_its_time() {
        let base = Timebase::fixed(Hertz::new(180_000_000));
        assert_eq!(base.time(Cycles::new(180)), Picoseconds::new(1_000_000));
        assert_eq!(base.time(Cycles::new(1)), Picoseconds::new(5_555));
        assert_eq!(base.cycle(Picoseconds::new(1_000_000).into()), Cycles::new(180));
        assert_eq!(base.cycle(Picoseconds::new(1_000_001).into()), Cycles::new(181));
        assert_eq!(base.cycle(Cycles::new(7).into()), Cycles::new(7));
        assert_eq!(base.cycle(Picoseconds::MAX.into()).get(), 3_320_413_933_267_720, "213 days");
        assert_eq!(base.time(Cycles::MAX), Picoseconds::MAX);
        for cycle in (0..10_000).chain(u64::MAX / 100_000 - 5..u64::MAX / 100_000) {
            let cycle = Cycles::new(cycle);
            assert_eq!(base.cycle(base.time(cycle).into()), cycle);
        }
    }

    #[test]
    fn a_change_of_the_clock_continues_time() {
        // 16 MHz for 160 cycles, then 180 MHz, in units of both: 720 MHz.
        let slow = Timebase::new(Cycles::ZERO, 0, 45, 720_000_000);
        let fast = Timebase::new(Cycles::new(160), 160 * 45, 4, 720_000_000);
        assert_eq!((slow.clock(), fast.clock()), (Hertz::new(16_000_000), Hertz::new(180_000_000)));
        assert_eq!(slow.time(Cycles::new(160)), fast.time(Cycles::new(160)));
        assert_eq!(fast.cycle(Picoseconds::new(11_000_000).into()), Cycles::new(160 + 180));
        assert_eq!(fast.cycle(Picoseconds::new(1).into()), Cycles::new(160), "passed");
    }
}
