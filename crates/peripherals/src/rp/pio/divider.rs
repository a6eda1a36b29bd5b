//! The clock divider of a state machine (RP-008371-DS, PIO, "Clock Dividers"): 16 bits and 8 of fraction, of first order.
//!
//! A period is the integer part of the divisor long. Fractions are added up from period to period, and whenever the sum wraps,
//! the next period is a cycle longer. A divider runs whether its machine does or not.

/// A divider, by the cycle of its next pulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divider {
    /// The cycle of the next pulse.
    pub next: u64,
    /// The sum of fractions, in 256ths.
    fraction: u8,
    /// The period behind the next pulse is a cycle longer.
    longer: bool,
}

/// The integer part and the fraction of a divisor as CLKDIV has it; an integer part of 0 stands for 65536.
const fn parts(clkdiv: u32) -> (u64, u64) {
    let (whole, fraction) = (clkdiv >> 16, clkdiv >> 8 & 0xFF);
    (if whole == 0 { 65536 } else { whole as u64 }, fraction as u64)
}

impl Divider {
    /// A divider in phase 0, whose first pulse is at the cycle `next`.
    pub const fn restarted(next: u64) -> Self {
        Self { next, fraction: 0, longer: false }
    }

    /// Goes on to the pulse after [`Self::next`].
    pub fn advance(&mut self, clkdiv: u32) {
        let (whole, fraction) = parts(clkdiv);
        self.next = self.next.saturating_add(whole + u64::from(self.longer));
        let sum = u64::from(self.fraction) + fraction;
        (self.fraction, self.longer) = (sum as u8, sum > 0xFF);
    }

    /// Goes on to the first pulse at or after the cycle `to`.
    pub fn catch_up(&mut self, clkdiv: u32, to: u64) {
        if self.next >= to {
            return;
        }
        let (whole, fraction) = parts(clkdiv);
        // So many periods that cannot reach beyond `to`, at once.
        let most = (u128::from(to - self.next) * 256 / u128::from(whole * 256 + fraction)) as u64;
        let periods = most.saturating_sub(2);
        if periods > 0 {
            // Of all sums but the last each lengthens the period after it.
            let before = u128::from(self.fraction) + u128::from(fraction) * u128::from(periods - 1);
            let after = before + u128::from(fraction);
            self.next += whole * periods + u64::from(self.longer) + (before >> 8) as u64;
            (self.fraction, self.longer) = (after as u8, after >> 8 != before >> 8);
        }
        while self.next < to {
            self.advance(clkdiv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_wraps_lengthens_the_next_period() {
        let mut divider = Divider::restarted(0);
        let pulses: Vec<u64> = std::iter::repeat_with(|| {
            let pulse = divider.next;
            divider.advance(2 << 16 | 0x80 << 8);
            pulse
        })
        .take(8)
        .collect();
        assert_eq!(pulses, [0, 2, 4, 7, 9, 12, 14, 17]);
    }

    #[test]
    fn a_leap_ends_where_steps_do() {
        for clkdiv in [1 << 16, 1 << 16 | 0xFF00, 3 << 16 | 0x5500, 2 << 16 | 0x8000, 0, 300 << 16 | 0x0100] {
            for start in [0, 5] {
                let mut stepped = Divider::restarted(start);
                (0..start).for_each(|_| stepped.advance(clkdiv));
                let from = stepped;
                for to in (from.next..from.next + 3000).step_by(7).chain([from.next + 1_000_000]) {
                    let mut leapt = from;
                    leapt.catch_up(clkdiv, to);
                    while stepped.next < to {
                        stepped.advance(clkdiv);
                    }
                    assert_eq!(leapt, stepped, "{clkdiv:#x} to {to}");
                }
            }
        }
    }
}
