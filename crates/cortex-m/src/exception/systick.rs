//! SysTick: DDI 0419E §B3.3. The counter is not stepped: its value follows from the time at which it is read.

/// The system timer.
#[derive(Clone, Debug)]
pub struct SysTick {
    /// SYST_CSR.ENABLE.
    pub enabled: bool,
    /// SYST_CSR.TICKINT.
    pub interrupt: bool,
    /// SYST_CSR.CLKSOURCE: the core's clock rather than the reference.
    pub core_clock: bool,
    /// SYST_CSR.COUNTFLAG: counted to zero since it was last read.
    pub counted: bool,
    /// SYST_RVR.
    reload: u32,
    /// SYST_CALIB.
    pub calibration: u32,
    reference: Option<u32>,
    /// The counter's value at the cycle `anchor`.
    value: u32,
    anchor: u64,
    /// The cycle since which its clock stands.
    stands: Option<u64>,
}

impl SysTick {
    /// A stopped timer. `reference` is the core cycles in a period of the reference clock.
    pub fn new(reference: Option<u32>, calibration: u32) -> Self {
        Self {
            enabled: false,
            interrupt: false,
            core_clock: reference.is_none(),
            counted: false,
            reload: 0,
            calibration,
            reference,
            value: 0,
            anchor: 0,
            stands: None,
        }
    }

    /// Its clock stands from the cycle `now` on.
    pub fn stand(&mut self, now: u64) {
        self.stands = Some(now);
    }

    /// Its clock runs again from the cycle `now` on, and the count goes on where it was.
    pub fn run_on(&mut self, now: u64) {
        if let Some(since) = self.stands.take() {
            self.anchor += now - since;
        }
    }

    /// Core cycles in one count.
    fn unit(&self) -> u64 {
        match self.reference {
            Some(cycles) if !self.core_clock => u64::from(cycles.max(1)),
            _ => 1,
        }
    }

    /// SYST_CVR at the cycle `now`.
    pub fn value(&self, now: u64) -> u32 {
        if !self.enabled {
            return self.value;
        }
        let counts = self.stands.unwrap_or(now).saturating_sub(self.anchor) / self.unit();
        let value = u64::from(self.value);
        if counts <= value {
            return (value - counts) as u32;
        }
        let reload = u64::from(self.reload);
        (reload - (counts - value - 1) % (reload + 1)) as u32
    }

    /// The next cycle at which the counter reaches zero; `u64::MAX` if it never does.
    pub fn next_expiry(&self) -> u64 {
        if !self.enabled || self.stands.is_some() {
            return u64::MAX;
        }
        let counts = match (self.value, self.reload) {
            (0, 0) => return u64::MAX,
            (0, reload) => u64::from(reload) + 1,
            (value, _) => u64::from(value),
        };
        self.anchor + counts * self.unit()
    }

    /// The next cycle at which the exception becomes pending; `u64::MAX` if it never does. A counter that only counts is
    /// nothing to wait for: its value and COUNTFLAG follow from the time at which they are read.
    #[inline]
    pub fn next_interrupt(&self) -> u64 {
        if self.interrupt { self.next_expiry() } else { u64::MAX }
    }

    /// Counts to the cycle `now`; `true` if the exception became pending.
    pub fn run_to(&mut self, now: u64) -> bool {
        let mut pend = false;
        let due = self.next_expiry();
        if due <= now {
            self.counted = true;
            pend = self.interrupt;
            // All expiries up to now count as one.
            self.anchor = due;
            self.value = 0;
            let period = (u64::from(self.reload) + 1) * self.unit();
            if self.reload > 0 && now > due {
                self.anchor = due + (now - due) / period * period;
            }
        }
        pend
    }

    /// SYST_RVR.
    pub fn reload(&self) -> u32 {
        self.reload
    }

    /// Writes SYST_RVR at the cycle `now`; it takes effect at the next reload.
    pub fn set_reload(&mut self, reload: u32, now: u64) {
        self.hold(now);
        self.reload = reload & 0x00FF_FFFF;
    }

    /// Writes SYST_CVR: any value clears the counter and COUNTFLAG.
    pub fn clear(&mut self, now: u64) {
        self.value = 0;
        self.anchor = now;
        self.counted = false;
    }

    /// Writes SYST_CSR at the cycle `now`.
    pub fn set_control(&mut self, control: u32, now: u64) {
        self.hold(now);
        self.enabled = control & 1 != 0;
        self.interrupt = control & 2 != 0;
        self.core_clock = control & 4 != 0 || self.reference.is_none();
    }

    /// SYST_CSR; reading clears COUNTFLAG.
    pub fn take_control(&mut self) -> u32 {
        u32::from(self.enabled)
            | u32::from(self.interrupt) << 1
            | u32::from(self.core_clock) << 2
            | u32::from(std::mem::take(&mut self.counted)) << 16
    }

    /// Makes `now` the anchor. What the current count has already used of its unit is dropped.
    fn hold(&mut self, now: u64) {
        self.value = self.value(now);
        self.anchor = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_down_and_wraps_after_reload_plus_one() {
        let mut timer = SysTick::new(None, 0);
        timer.set_reload(9, 100);
        timer.clear(100);
        timer.set_control(7, 100);
        assert_eq!(timer.value(100), 0);
        assert_eq!(timer.value(101), 9, "the first count loads the reload value");
        assert_eq!(timer.next_expiry(), 110);
        assert!(!timer.run_to(109));
        assert!(timer.run_to(110));
        assert_eq!(timer.value(110), 0);
        assert_eq!(timer.next_expiry(), 120);
        assert_eq!(timer.take_control(), 0x0001_0007);
        assert_eq!(timer.take_control(), 0x0000_0007, "reading clears COUNTFLAG");
    }

    #[test]
    fn it_goes_on_where_it_was_when_its_clock_stood() {
        let mut timer = SysTick::new(Some(8), 0);
        timer.set_reload(9, 0);
        timer.set_control(3, 0);
        assert_eq!((timer.value(20), timer.next_expiry()), (8, 80));
        timer.stand(20);
        assert_eq!((timer.value(500), timer.next_expiry()), (8, u64::MAX));
        assert!(!timer.run_to(1_000));
        timer.run_on(1_020);
        assert_eq!((timer.value(1_023), timer.value(1_024), timer.next_expiry()), (8, 7, 1_080));
    }

    #[test]
    fn a_reload_of_zero_stops_it() {
        let mut timer = SysTick::new(None, 0);
        timer.set_control(7, 0);
        assert_eq!(timer.next_expiry(), u64::MAX);
    }

    #[test]
    fn the_reference_clock_counts_slower() {
        let mut timer = SysTick::new(Some(8), 0);
        timer.set_reload(4, 0);
        timer.set_control(3, 0);
        assert_eq!(timer.next_expiry(), 40);
        assert_eq!(timer.value(15), 4);
        assert_eq!(timer.value(16), 3);
    }
}
