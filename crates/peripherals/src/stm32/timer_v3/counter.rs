//! The counter of a timer as a function of time: nothing runs between accesses and events.
//!
//! A run of the counter is cut into segments: up to the overflow, down to the underflow. Inside a segment the value
//! follows from the ticks passed; at its end the overflow is handled, and where whole periods have passed without
//! anything to change, they are skipped at once.

/// The events in a run of the counter, for the flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Channels whose compare value was met, one bit each.
    pub matches: u32,
    /// Those whose compare value was met an odd number of times.
    pub odd: u32,
    /// `true` if an update event happened.
    pub update: bool,
}

impl Passed {
    /// The compare values of the channels `bits` were met once more.
    fn meet(&mut self, bits: u32) {
        self.matches |= bits;
        self.odd ^= bits;
    }
}

/// The counting direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// From 0 to ARR and again.
    #[default]
    Up,
    /// From ARR to 0 and again.
    Down,
    /// Up to ARR and down to 0; compare matches count on the way down (1), up (2) or both (3).
    Centre(u8),
}

/// Channels of a timer, at most.
pub const CHANNELS: usize = 6;

/// The counter with its active (shadow) registers.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// The value.
    pub value: u32,
    /// `true` if it counts down now.
    pub down: bool,
    /// The counting mode.
    pub mode: Mode,
    /// Active prescaler, less one.
    pub psc: u32,
    /// Active reload value.
    pub arr: u32,
    /// Active compare values.
    pub ccr: [u32; CHANNELS],
    /// Overflows left before the next update event.
    pub repetition: u32,
    /// Preloaded values, which become active at the next update event.
    pub preload: Preload,
    /// No update events (CR1.UDIS).
    pub update_disabled: bool,
    /// Stop at the next update event (CR1.OPM).
    pub one_pulse: bool,
    /// `true` if it counts.
    pub running: bool,
    /// The largest value: that of 16 or 32 bits.
    pub max: u32,
}

/// The values that software wrote, before they are active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preload {
    /// PSC.
    pub psc: u32,
    /// ARR.
    pub arr: u32,
    /// CCR1 to CCR6.
    pub ccr: [u32; CHANNELS],
    /// RCR.
    pub repetition: u32,
}

impl Counter {
    /// Periods of the timer's clock per step.
    pub fn scale(&self) -> u64 {
        u64::from(self.psc) + 1
    }

    /// Steps to the end of the segment; `None` while ARR = 0 blocks the counter (RM0490, "Counter modes").
    pub fn steps_to_end(&self) -> Option<u64> {
        if self.arr == 0 {
            return None;
        }
        let (value, arr, range) = (u64::from(self.value), u64::from(self.arr), u64::from(self.max) + 1);
        Some(match (self.mode, self.down) {
            // Beyond ARR the counter runs through its whole range.
            (Mode::Up, _) if value > arr => range - value,
            (Mode::Up, _) => arr - value + 1,
            (Mode::Down, _) => value + 1,
            (Mode::Centre(_), false) if value >= arr => range - value,
            (Mode::Centre(_), false) => arr - value,
            (Mode::Centre(_), true) => value.max(1),
        })
    }

    /// Steps until the compare value `ccr` is met inside this segment.
    pub fn steps_to_match(&self, ccr: u32) -> Option<u64> {
        let counted = match (self.mode, self.down) {
            (Mode::Up | Mode::Down, _) => true,
            (Mode::Centre(flags), down) => flags & if down { 1 } else { 2 } != 0,
        };
        if counted { self.steps_to_value(ccr) } else { None }
    }

    /// Steps until the counter has the value `ccr` inside this segment, flagged as a match or not.
    pub fn steps_to_value(&self, ccr: u32) -> Option<u64> {
        let end = self.steps_to_end()?;
        let up = match self.mode {
            Mode::Up => true,
            Mode::Down => false,
            Mode::Centre(_) => !self.down,
        };
        let steps = u64::from(if up { ccr.checked_sub(self.value)? } else { self.value.checked_sub(ccr)? });
        let last = if matches!(self.mode, Mode::Centre(_)) && !self.is_beyond() { end } else { end - 1 };
        (1..=last).contains(&steps).then_some(steps)
    }

    /// True if the counter, on its way up, is past its reload value and runs through its whole range.
    const fn is_beyond(&self) -> bool {
        match self.mode {
            Mode::Up => self.value > self.arr,
            Mode::Down => false,
            Mode::Centre(_) => !self.down && self.value >= self.arr,
        }
    }

    fn matches_within(&self, steps: u64) -> u32 {
        (0..CHANNELS)
            .filter(|channel| self.steps_to_match(self.ccr[*channel]).is_some_and(|at| at <= steps))
            .fold(0, |bits, channel| bits | 1 << channel)
    }

    /// Advances by `ticks` periods of the timer's clock; gives what was passed and the ticks left in the prescaler.
    pub fn advance(&mut self, mut ticks: u64) -> (Passed, u64) {
        let mut passed = Passed::default();
        while self.running {
            let steps = ticks / self.scale();
            let Some(end) = self.steps_to_end() else { return (passed, ticks % self.scale()) };
            if steps < end {
                passed.meet(self.matches_within(steps));
                self.move_by(steps as u32);
                return (passed, ticks - steps * self.scale());
            }
            passed.meet(self.matches_within(end));
            ticks -= end * self.scale();
            self.end_segment(&mut passed);
            if self.running {
                ticks -= self.skip(ticks / self.scale(), &mut passed) * self.scale();
            }
        }
        (passed, 0)
    }

    fn move_by(&mut self, steps: u32) {
        self.value = if self.down { self.value.saturating_sub(steps) } else { self.value + steps };
    }

    /// The counter wraps or turns round.
    fn end_segment(&mut self, passed: &mut Passed) {
        let beyond = self.is_beyond();
        match self.mode {
            Mode::Up => self.value = 0,
            Mode::Down => self.value = self.arr,
            Mode::Centre(_) => {
                self.value = if self.down || beyond { 0 } else { self.arr };
                self.down = !self.down && !beyond;
            }
        }
        // Where the reload value lies below a compare value, the overflow is the match (RM0490, TIMx_SR.CC1IF).
        let met = |ccr: u32| match self.mode {
            Mode::Up => ccr == 0 || (ccr > self.arr && !beyond),
            Mode::Down => ccr >= self.arr,
            Mode::Centre(flags) if beyond => ccr == 0 && flags & 2 != 0,
            Mode::Centre(flags) => self.down && ccr > self.arr && flags & 2 != 0,
        };
        passed.meet((0..CHANNELS).fold(0, |bits, channel| bits | u32::from(met(self.ccr[channel])) << channel));
        if beyond {
            return;
        }
        if self.repetition > 0 {
            self.repetition -= 1;
        } else {
            self.update(passed);
        }
    }

    /// An update event: preloaded values become active.
    pub fn update(&mut self, passed: &mut Passed) {
        if self.update_disabled {
            return;
        }
        self.psc = self.preload.psc;
        self.arr = self.preload.arr;
        self.ccr = self.preload.ccr;
        self.repetition = self.preload.repetition;
        if self.mode == Mode::Down && self.value != 0 {
            self.value = self.arr;
        }
        passed.update = true;
        self.running &= !self.one_pulse;
    }

    /// Skips whole periods out of `steps` during which nothing becomes active; gives the steps skipped.
    fn skip(&mut self, steps: u64, passed: &mut Passed) -> u64 {
        let centre = matches!(self.mode, Mode::Centre(_));
        let at_start = match self.mode {
            Mode::Up => self.value == 0,
            Mode::Down => self.value == self.arr,
            Mode::Centre(_) => self.value == 0 && !self.down,
        };
        let settled = self.preload.psc == self.psc && self.preload.arr == self.arr && self.preload.ccr == self.ccr;
        if !at_start || self.arr == 0 || (self.one_pulse && !self.update_disabled) || !(settled || self.update_disabled)
        {
            return 0;
        }
        let period = if centre { 2 * u64::from(self.arr) } else { u64::from(self.arr) + 1 };
        let periods = steps / period;
        if periods == 0 {
            return 0;
        }
        for channel in 0..CHANNELS {
            let ccr = self.ccr[channel];
            let times = match self.mode {
                Mode::Up | Mode::Down => 1,
                Mode::Centre(flags) => match ccr {
                    0 => flags & 1,
                    ccr if ccr >= self.arr => flags >> 1,
                    _ => (flags & 1) + (flags >> 1),
                },
            };
            passed.matches |= u32::from(times > 0) << channel;
            passed.odd ^= (u32::from(times) & periods as u32 & 1) << channel;
        }
        let overflows = periods * if centre { 2 } else { 1 };
        let left = u64::from(self.repetition);
        if overflows <= left {
            self.repetition -= overflows as u32;
        } else if !self.update_disabled {
            passed.update = true;
            let cycle = u64::from(self.preload.repetition) + 1;
            self.repetition = (cycle - 1 - (overflows - left - 1) % cycle) as u32;
        } else {
            self.repetition = 0;
        }
        periods * period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(mode: Mode, psc: u32, arr: u32, ccr: [u32; CHANNELS]) -> Counter {
        let preload = Preload { psc, arr, ccr, repetition: 0 };
        let value = if mode == Mode::Down { arr } else { 0 };
        Counter {
            mode,
            psc,
            arr,
            ccr,
            preload,
            value,
            down: mode == Mode::Down,
            running: true,
            max: 0xFFFF,
            ..Counter::default()
        }
    }

    /// Ticks one by one, which the shortcuts must agree with.
    fn slowly(counter: &mut Counter, ticks: u64) -> (Passed, u64) {
        let mut passed = Passed::default();
        let mut rest = 0;
        for _ in 0..ticks {
            let (one, left) = counter.advance(rest + 1);
            rest = left;
            passed.matches |= one.matches;
            passed.odd ^= one.odd;
            passed.update |= one.update;
        }
        (passed, rest)
    }

    #[test]
    fn any_stride_gives_what_single_ticks_give() {
        for mode in [Mode::Up, Mode::Down, Mode::Centre(1), Mode::Centre(2), Mode::Centre(3)] {
            for (psc, arr, ccr) in [(0, 1, [0, 1, 2, 3, 4, 5]), (2, 5, [5, 4, 0, 9, 1, 6]), (1, 9, [3, 9, 10, 0, 8, 1])]
            {
                for repetition in [0, 2] {
                    for ticks in [1, 2, 3, 5, 17, 36, 37, 60, 119, 120, 121, 500] {
                        let mut fast = counter(mode, psc, arr, ccr);
                        fast.preload.repetition = repetition;
                        let mut slow = fast.clone();
                        let (a, b) = (fast.advance(ticks), slowly(&mut slow, ticks));
                        let context = format!("{mode:?} psc {psc} arr {arr} {ccr:?} rep {repetition} ticks {ticks}");
                        assert_eq!(a, b, "{context}");
                        assert_eq!(
                            (fast.value, fast.down, fast.repetition),
                            (slow.value, slow.down, slow.repetition),
                            "{context}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn up_counting_overflows_every_arr_plus_one_steps() {
        let mut counter = counter(Mode::Up, 3, 9, [u32::MAX; CHANNELS]);
        assert!(!counter.advance(39).0.update);
        let (passed, rest) = counter.advance(39 % 4 + 1);
        assert!(passed.update, "(psc 3 + 1) * (arr 9 + 1) = 40 ticks");
        assert_eq!((counter.value, rest), (0, 0));
    }

    #[test]
    fn a_new_prescaler_waits_for_the_update_event() {
        let mut counter = counter(Mode::Up, 0, 9, [u32::MAX; CHANNELS]);
        counter.preload.psc = 9;
        counter.advance(12);
        assert_eq!(counter.value, 0, "10 fast steps, then 2 of 10 ticks of the next");
        counter.advance(8 + 2);
        assert_eq!(counter.value, 1);
    }

    #[test]
    fn one_pulse_stops_at_the_overflow() {
        let mut counter = counter(Mode::Up, 0, 9, [u32::MAX; CHANNELS]);
        counter.one_pulse = true;
        counter.advance(1000);
        assert_eq!((counter.running, counter.value), (false, 0));
    }

    #[test]
    fn a_reload_value_of_zero_blocks() {
        let mut counter = counter(Mode::Up, 0, 0, [0; CHANNELS]);
        assert_eq!(counter.advance(u64::MAX / 2).0, Passed::default());
    }

    #[test]
    fn a_very_long_time_takes_no_time() {
        let mut counter = counter(Mode::Centre(3), 0, 1, [1, 0, 1, 0, 1, 0]);
        let (passed, _) = counter.advance(u64::MAX / 4);
        assert!(passed.update);
    }
}
