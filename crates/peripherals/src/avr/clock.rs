//! The time base of a part, and the clock of its I/O modules.

use cyclescope_machine::Timebase;
use cyclescope_machine::units::{Cycles, Hertz};

/// The relation of the core's cycles to time. Time counts in the oscillator's periods ("ticks") since power-on; the
/// prescaler CLKPR divides them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    source: Hertz,
    shift: u8,
    since_cycle: u64,
    since_tick: u64,
}

impl Clock {
    /// The clock of a part that runs from an oscillator of `source` hertz, undivided since cycle 0.
    pub const fn new(source: Hertz) -> Self {
        Self { source, shift: 0, since_cycle: 0, since_tick: 0 }
    }

    /// The frequency of the core and of the I/O modules, in hertz.
    pub const fn frequency(&self) -> Hertz {
        Hertz::new(self.source.get() >> self.shift)
    }

    /// The oscillator's frequency.
    pub const fn source(&self) -> Hertz {
        self.source
    }

    /// The binary logarithm of the division factor (CLKPR.CLKPS), 0 to 8.
    pub const fn shift(&self) -> u8 {
        self.shift
    }

    /// Returns the relation of cycles to real time since the last change.
    pub fn timebase(&self) -> Timebase {
        Timebase::new(Cycles::new(self.since_cycle), self.since_tick, 1 << self.shift, self.source.get())
    }

    /// Divides by 2 to the power of `shift` from the cycle `now` on.
    pub fn divide(&mut self, now: Cycles, shift: u8) {
        self.since_tick = self.tick(now);
        self.since_cycle = now.get();
        self.shift = shift.min(8);
    }

    /// The tick at which the cycle `at` begins.
    pub fn tick(&self, at: Cycles) -> u64 {
        self.since_tick.saturating_add(at.get().saturating_sub(self.since_cycle) << self.shift)
    }

    /// The first cycle that begins at or after `tick`.
    pub fn cycle(&self, tick: u64) -> Cycles {
        let mask = (1 << self.shift) - 1;
        let ahead = tick.saturating_sub(self.since_tick).saturating_add(mask) >> self.shift;
        Cycles::new(self.since_cycle.saturating_add(ahead))
    }

    /// Returns the ticks that `periods` of another oscillator of `frequency` hertz take, rounded up.
    pub fn ticks_of(&self, periods: u64, frequency: Hertz) -> u64 {
        let ticks = u128::from(periods) * u128::from(self.source.get());
        u64::try_from(ticks.div_ceil(u128::from(frequency.get().max(1)))).unwrap_or(u64::MAX)
    }
}

/// clkI/O: the core's cycles less those for which a sleep mode stopped it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoClock {
    lost: u64,
    stopped_at: Option<u64>,
}

impl IoClock {
    /// Returns the count of clkI/O at the core's cycle `now`.
    pub fn at(&self, now: Cycles) -> u64 {
        self.stopped_at.unwrap_or(now.get()).saturating_sub(self.lost)
    }

    /// Tells if clkI/O is stopped.
    pub const fn is_stopped(&self) -> bool {
        self.stopped_at.is_some()
    }

    /// The core's cycle at which it shows `at`, if it runs on from now.
    pub fn cycle(&self, at: u64) -> Cycles {
        Cycles::new(at.saturating_add(self.lost))
    }

    /// It stops at the cycle `now`.
    pub fn stop(&mut self, now: Cycles) {
        self.stopped_at.get_or_insert(now.get());
    }

    /// It goes on at the cycle `now`; the cycles for which it stood still.
    pub fn resume(&mut self, now: Cycles) -> u64 {
        let stood = self.stopped_at.take().map_or(0, |since| now.get().saturating_sub(since));
        self.lost += stood;
        stood
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_the_clock_keeps_time_in_one_piece() {
        let mut clock = Clock::new(Hertz::new(16_000_000));
        assert_eq!(clock.tick(Cycles::new(100)), 100);
        clock.divide(Cycles::new(100), 3);
        assert_eq!(clock.frequency(), Hertz::new(2_000_000));
        assert_eq!(
            (clock.tick(Cycles::new(101)), clock.cycle(108), clock.cycle(109)),
            (108, Cycles::new(101), Cycles::new(102))
        );
        clock.divide(Cycles::new(110), 0);
        assert_eq!(clock.tick(Cycles::new(111)), 181);
        assert_eq!(clock.cycle(181), Cycles::new(111));
        assert_eq!(clock.ticks_of(1, Hertz::new(128_000)), 125);
    }

    #[test]
    fn the_clock_of_the_modules_stands_still_while_stopped() {
        let mut io = IoClock::default();
        io.stop(Cycles::new(10));
        assert_eq!(io.at(Cycles::new(50)), 10);
        assert_eq!(io.resume(Cycles::new(60)), 50);
        assert_eq!((io.at(Cycles::new(61)), io.cycle(11)), (11, Cycles::new(61)));
    }
}
