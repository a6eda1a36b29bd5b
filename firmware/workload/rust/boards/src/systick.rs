//! SysTick as a clock: one interrupt a millisecond.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::Peripherals;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;

use crate::CORE_HZ;

static TICKS: AtomicU32 = AtomicU32::new(0);

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Rate of the clock, in hertz.
    pub const HZ: u32 = 1000;

    /// Starts SysTick; call it once.
    pub fn start() -> Self {
        let mut syst = Peripherals::take().expect("the peripherals are taken once, here").SYST;
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(CORE_HZ / Self::HZ - 1);
        syst.clear_current();
        syst.enable_interrupt();
        syst.enable_counter();
        Self {}
    }

    /// The clock, in its ticks.
    pub fn ticks(&self) -> u32 {
        TICKS.load(Ordering::Relaxed)
    }

    /// Ticks from one reading of the clock to a later one.
    pub fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before)
    }
}

/// The only writer of `TICKS`, so load and store are enough.
#[exception]
fn SysTick() {
    TICKS.store(TICKS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}
