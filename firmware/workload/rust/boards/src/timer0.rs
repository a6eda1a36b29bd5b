//! TIMER0 of the nRF52840 as a clock, without interrupts.
//!
//! Source: the product specification (4413_417), "TIMER — Timer/counter".

use crate::register::Register;

const TASKS_START: Register<u32> = register(0x000);
const TASKS_CLEAR: Register<u32> = register(0x00C);
const TASKS_CAPTURE: Register<u32> = register(0x040);
const BITMODE: Register<u32> = register(0x508);
const PRESCALER: Register<u32> = register(0x510);
const CC: Register<u32> = register(0x540);

/// The register of the timer at `offset`.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and the timer touches no memory.
    unsafe { Register::at(0x4000_8000 + offset) }
}

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Rate of the clock, in hertz: 16 MHz over the largest divisor.
    pub const HZ: u32 = 16_000_000 >> Self::PRESCALER;

    const PRESCALER: u32 = 9;

    /// Starts TIMER0; call it after the board has started.
    pub fn start() -> Self {
        const BITS_32: u32 = 3;
        BITMODE.write(BITS_32);
        PRESCALER.write(Self::PRESCALER);
        TASKS_CLEAR.write(1);
        TASKS_START.write(1);
        Self {}
    }

    /// The clock, in its ticks; it wraps after more than a day. The counter has no register, a task copies it to one.
    pub fn ticks(&self) -> u32 {
        TASKS_CAPTURE.write(1);
        CC.read()
    }

    /// Ticks from one reading of the clock to a later one.
    pub fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before)
    }
}
