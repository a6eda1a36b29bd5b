//! From the clock to the calendar: calibrations, two prescalers, seconds.

use super::calendar::{Alarm, DateTime};
use super::ticks::{Calibration, Pulses, Ticks};

/// A moment of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The tick of the clock.
    pub tick: u64,
    /// The time.
    pub time: DateTime,
    /// SSR: counts down to zero in each second.
    pub sub: u32,
    /// The seconds that have begun since power-on.
    pub seconds: u64,
}

/// The chain of counters, as it was at an anchor; all else follows.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The clock.
    pub ticks: Ticks,
    calibration: Calibration,
    at: Moment,
    /// The calibrated count at which ck_apre last came; in the future while the chain starts, [`u64::MAX`] while it is stopped.
    reloaded: u64,
    /// PREDIV_A and PREDIV_S.
    prescalers: (u32, u32),
    /// CALIBR: steps of the coarse calibration, and whether it slows the clock.
    coarse: (u32, bool),
    /// Periods of ck_apre since the coarse calibration began.
    coarse_count: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            ticks: Ticks::default(),
            calibration: Calibration::default(),
            at: Moment { tick: 0, time: DateTime::START, sub: 0xFF, seconds: 0 },
            reloaded: 0,
            prescalers: (0x7F, 0xFF),
            coarse: (0, false),
            coarse_count: 0,
        }
    }
}

impl Chain {
    /// The moment up to which everything has been worked out.
    pub fn anchor(&self) -> &Moment {
        &self.at
    }

    /// Tells if the calendar counts, or will.
    pub fn runs(&self) -> bool {
        self.reloaded != u64::MAX
    }

    fn second(&self) -> u64 {
        u64::from(self.prescalers.1) + 1
    }

    /// Periods of ck_apre from the anchor to `tick`.
    fn periods(&self, tick: u64) -> u64 {
        self.calibration.count(tick).saturating_sub(self.reloaded) / (u64::from(self.prescalers.0) + 1)
    }

    /// Periods that the coarse calibration has added by its count `count`, or taken: two of each minute, or one, of the first
    /// 2 DC minutes of each 64 (RM0390, "RTC coarse digital calibration").
    fn corrections(&self, count: u64) -> u64 {
        let (steps, slower) = self.coarse;
        let minute = 60 * self.second();
        let minutes =
            count / (64 * minute) * u64::from(2 * steps) + (count % (64 * minute) / minute).min(u64::from(2 * steps));
        if slower { minutes } else { 2 * minutes }
    }

    /// Steps of SSR from the anchor after `periods` of ck_apre.
    fn steps(&self, periods: u64) -> u64 {
        if self.coarse.0 == 0 {
            return periods;
        }
        let corrections = self.corrections(self.coarse_count + periods) - self.corrections(self.coarse_count);
        if self.coarse.1 { periods - corrections.min(periods) } else { periods + corrections }
    }

    /// The moment at `tick`, at the anchor or later.
    pub fn now(&self, tick: u64) -> Moment {
        let steps = self.steps(self.periods(tick));
        let Moment { time, sub, seconds, .. } = self.at;
        let Some(past) = steps.checked_sub(u64::from(sub) + 1) else {
            return Moment { tick, sub: sub - steps as u32, time, seconds };
        };
        let whole = past / self.second() + 1;
        let sub = self.prescalers.1 - (past % self.second()) as u32;
        Moment { tick, time: time.after(whole), sub, seconds: seconds + whole }
    }

    /// Moves the anchor to `tick`.
    pub fn advance(&mut self, tick: u64) {
        if tick <= self.at.tick {
            return;
        }
        let periods = self.periods(tick);
        self.at = self.now(tick);
        self.coarse_count += periods;
        if self.runs() {
            self.reloaded = self.reloaded.saturating_add(periods * (u64::from(self.prescalers.0) + 1));
        }
    }

    /// Stops at `tick`.
    pub fn stop(&mut self, tick: u64) {
        self.advance(tick);
        self.reloaded = u64::MAX;
    }

    /// Counts from `tick` on, beginning a second at `time`.
    pub fn start(&mut self, tick: u64, time: DateTime) {
        self.at = Moment { time, sub: self.prescalers.1, ..self.at };
        self.reloaded = self.calibration.count(tick);
        self.coarse_count = 0;
    }

    /// Sets the prescalers and the coarse calibration, while it is stopped.
    pub fn set(&mut self, asynchronous: u32, synchronous: u32, coarse: (u32, bool)) {
        (self.prescalers, self.coarse) = ((asynchronous, synchronous), coarse);
    }

    /// The smooth calibration CALR holds from `tick` on.
    pub fn calibrate(&mut self, tick: u64, calr: u32) {
        self.advance(tick);
        let added = calr & 1 << 15 != 0;
        // RM0390, RTC_CALR: windows of 8 and 16 seconds leave the lowest bits out.
        let masked = calr & 0x1FF & !(if calr & 1 << 14 != 0 { 3 } else { 0 } | calr >> 13 & 1);
        let pulses = if added || masked != 0 { Pulses::Smooth { added, masked } } else { Pulses::All };
        self.calibration.set(pulses, tick);
    }

    /// Adds `steps` to SSR, and a second (RM0390, RM0490, "RTC synchronization").
    pub fn shift(&mut self, tick: u64, steps: u32, second: bool) {
        self.advance(tick);
        self.at.sub = (self.at.sub + steps) & 0xFFFF;
        if second {
            self.at.time = self.at.time.after(1);
            self.at.seconds += 1;
        }
    }

    /// One hour more or less; less only behind the day's first (RM0390, RM0490, RTC_CR.SUB1H).
    pub fn change_hour(&mut self, tick: u64, more: bool) {
        self.advance(tick);
        if more {
            self.at.time = self.at.time.after(3600);
        } else if self.at.time.second >= 3600 {
            self.at.time.second -= 3600;
        }
    }

    /// The first tick at which SSR has made `steps` more than at the anchor.
    fn tick_of(&self, steps: u64) -> u64 {
        if !self.runs() || !self.ticks.runs() {
            return u64::MAX;
        }
        if self.coarse.0 == 0 {
            let count = self.reloaded.saturating_add(steps.saturating_mul(u64::from(self.prescalers.0) + 1));
            return self.calibration.tick(count);
        }
        // Less than one period in 1,000 goes or comes.
        let (mut low, mut high) = (steps - steps / 1_000 - steps.min(4), steps.saturating_add(steps / 1_000 + 4));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.steps(middle) < steps { low = middle + 1 } else { high = middle }
        }
        let count = self.reloaded.saturating_add(low.saturating_mul(u64::from(self.prescalers.0) + 1));
        self.calibration.tick(count)
    }

    /// The tick at which `periods` of ck_apre have come after the anchor.
    pub fn tick_after(&self, periods: u64) -> u64 {
        self.tick_of(periods)
    }

    /// Steps of SSR from the anchor to the beginning of the second `ahead` seconds on, at least 1.
    fn steps_to(&self, ahead: u64) -> u64 {
        (u64::from(self.at.sub) + 1).saturating_add((ahead - 1).saturating_mul(self.second()))
    }

    /// The tick at which the second `number` begins.
    pub fn tick_of_second(&self, number: u64) -> u64 {
        match number.saturating_sub(self.at.seconds) {
            0 => u64::MAX,
            ahead => self.tick_of(self.steps_to(ahead)),
        }
    }

    /// The next tick at which an alarm matches: `word` is its register, `sub` what the lowest `bits` bits of SSR are compared
    /// with. With no bits it comes when the second begins. [`u64::MAX`] for one that never comes.
    pub fn next_alarm(&self, word: u32, half: bool, sub: u32, bits: u32) -> u64 {
        if !self.runs() || !self.ticks.runs() {
            return u64::MAX;
        }
        let Some(alarm) = Alarm::new(word, half) else { return u64::MAX };
        let mask = (1 << bits) - 1;
        let wanted = sub & mask;
        // The greatest value at `most` or below that matches.
        let below = |most: u32| (most >= wanted).then(|| most - ((most - wanted) & mask));
        if bits != 0
            && alarm.is_at(&self.at.time)
            && let Some(found) = self.at.sub.checked_sub(1).and_then(below)
        {
            return self.tick_of(u64::from(self.at.sub - found));
        }
        let in_second = match (bits, below(self.prescalers.1)) {
            (0, _) => 0,
            (_, Some(found)) => u64::from(self.prescalers.1 - found),
            (_, None) => return u64::MAX,
        };
        let Some(ahead) = alarm.next(&self.at.time) else { return u64::MAX };
        self.tick_of(self.steps_to(ahead).saturating_add(in_second))
    }

    /// The level of a wave of one period a second at `tick`, high in the second's first half, and the tick of its next edge.
    pub fn second_wave(&self, tick: u64) -> (bool, u64) {
        let now = self.now(tick);
        let half = self.prescalers.1.div_ceil(2);
        let high = now.sub >= half && now.sub != 0;
        let left = u64::from(now.sub) + 1 - if high { u64::from(half) } else { 0 };
        let mut from = self.clone();
        from.advance(tick);
        (high, from.tick_of(left).max(tick + 1))
    }
}
