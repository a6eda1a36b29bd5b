//! A clock for runtimes that have none: the RP2040's timer, without interrupts.

use cortex_m::peripheral::SYST;

use crate::systick;

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Takes the timer, which runs since the board has started. SysTick stays off.
    pub fn start(_: SYST) -> Self {
        Self {}
    }

    /// The clock, in microseconds.
    pub fn ticks(&self) -> u32 {
        systick::microseconds(|| 0)
    }
}
