//! A clock for runtimes that have none: SysTick with one interrupt a millisecond.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;

use crate::{CORE_HZ, systick};

static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

/// The clock, started.
pub struct Clock {}

impl Clock {
    /// Starts SysTick; call it after the board has started.
    pub fn start(mut syst: SYST) -> Self {
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(CORE_HZ / 1000 - 1);
        syst.clear_current();
        syst.enable_interrupt();
        syst.enable_counter();
        Self {}
    }

    /// The clock, in microseconds.
    pub fn ticks(&self) -> u32 {
        systick::microseconds(|| MILLISECONDS.load(Ordering::Relaxed).wrapping_add(systick::unserved()))
    }
}

/// The only writer of `MILLISECONDS`, so load and store are enough.
#[exception]
fn SysTick() {
    MILLISECONDS.store(MILLISECONDS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}
