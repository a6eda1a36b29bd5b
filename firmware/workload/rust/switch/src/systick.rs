//! SysTick read to the microsecond: the ticks that somebody counts, and how far the counter is between two.

use cortex_m::peripheral::{SCB, SYST};

use crate::CORE_HZ;

/// Rate of the clock, in hertz. It moves by one of these ticks.
pub const HZ: u32 = 1_000_000;

/// Cycles between two ticks of a SysTick that runs at 1 kHz.
const PERIOD: u32 = CORE_HZ / 1000;

/// The time, in microseconds; it wraps after more than an hour. SysTick counts the core's cycles at 1 kHz, and
/// `milliseconds` is its ticks, those included that nobody has served yet.
pub fn microseconds(milliseconds: impl Fn() -> u32) -> u32 {
    loop {
        let before = milliseconds();
        let left = SYST::get_current();
        if milliseconds() == before {
            // The tick is due when the counter reaches 0, which is a cycle before it starts anew.
            let since = if left == 0 { 0 } else { PERIOD - left };
            return before.wrapping_mul(1000).wrapping_add(since / (CORE_HZ / HZ));
        }
    }
}

/// Ticks that are due and not served, for clocks that a handler counts: 1 at most, so that it may be masked for less
/// than a millisecond. Read it after the count.
pub fn unserved() -> u32 {
    u32::from(SCB::is_pendst_pending())
}
