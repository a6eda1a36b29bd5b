//! A pacing timer (RP-008371-DS, DMA, "Pacing Timers"): X requests in Y cycles, at most one a cycle.

/// A timer by its register and the cycle at which it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    x: u32,
    y: u32,
    start: u64,
}

impl Timer {
    /// The timer whose register holds `value` from the cycle `start` on.
    pub const fn new(value: u32, start: u64) -> Self {
        Self { x: value >> 16, y: value & 0xFFFF, start }
    }

    /// The number of requests up to the cycle `now`. One without divisor makes none.
    pub fn requests(&self, now: u64) -> u64 {
        let x = self.x.min(self.y);
        let cycles = u128::from(now.saturating_sub(self.start));
        (cycles * u128::from(x)).checked_div(u128::from(self.y)).unwrap_or(0) as u64
    }

    /// The cycle of the first request after `now`, if there is one.
    pub fn next(&self, now: u64) -> Option<u64> {
        let x = self.x.min(self.y);
        let wanted = u128::from(self.requests(now)) + 1;
        let cycles = (wanted * u128::from(self.y)).checked_add(u128::from(x).checked_sub(1)?)?.checked_div(x.into())?;
        self.start.checked_add(u64::try_from(cycles).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_where_the_fraction_wraps() {
        let timer = Timer::new(2 << 16 | 5, 100);
        let mut at = 100;
        let cycles: Vec<u64> = std::iter::repeat_with(|| {
            at = timer.next(at).unwrap();
            at
        })
        .take(5)
        .collect();
        assert_eq!(cycles, [103, 105, 108, 110, 113]);
        for now in 100..200 {
            let next = timer.next(now).unwrap();
            assert_eq!(timer.requests(next), timer.requests(now) + 1);
            assert_eq!(timer.requests(next - 1), timer.requests(now));
        }
    }

    #[test]
    fn a_timer_makes_one_request_a_cycle_at_most_and_none_without_numbers() {
        assert_eq!(Timer::new(9 << 16 | 3, 0).next(50), Some(51));
        for value in [0, 7, 7 << 16] {
            assert_eq!((Timer::new(value, 0).next(5), Timer::new(value, 0).requests(1 << 40)), (None, 0));
        }
    }
}
