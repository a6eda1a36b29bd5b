//! The RP2040's timer in the place of SysTick: it counts microseconds by itself, since the board has started.
//!
//! Source: the data sheet (RP-008371-DS), "Timer".

use cyclescope_boards::register::Register;

/// The lower half of the counter, which latches nothing.
const TIMERAWL: Register<u32> = {
    // SAFETY: the address is the manual's, and the timer touches no memory.
    unsafe { Register::at(0x4005_4028) }
};

/// Rate of the clock, in hertz. It moves by one of these ticks.
pub const HZ: u32 = 1_000_000;

/// The time, in microseconds; it wraps after more than an hour. A runtime's own count of ticks is not asked.
pub fn microseconds(_: impl Fn() -> u32) -> u32 {
    TIMERAWL.read()
}

/// Ticks that are due and not served: none are needed here.
pub fn unserved() -> u32 {
    0
}
