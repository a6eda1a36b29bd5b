//! TIMER of the RP2040 as a clock, without interrupts.
//!
//! Source: the data sheet (RP-008371-DS), "Timer".

use crate::register::Register;

/// The lower half of the counter, which latches nothing.
const TIMERAWL: Register<u32> = {
    // SAFETY: the address is the manual's, and the timer touches no memory.
    unsafe { Register::at(0x4005_4028) }
};

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Rate of the clock, in hertz: the timer counts microseconds, of which 32 are a tick.
    pub const HZ: u32 = 1_000_000 >> Self::SHIFT;

    const SHIFT: u32 = 5;

    /// Takes the timer, which runs since the board has started.
    pub fn start() -> Self {
        Self {}
    }

    /// The clock, in its ticks; it wraps after 71 minutes.
    pub fn ticks(&self) -> u32 {
        TIMERAWL.read() >> Self::SHIFT
    }

    /// Ticks from one reading of the clock to a later one.
    pub fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before) & u32::MAX >> Self::SHIFT
    }
}
