//! micro:bit (nRF51822, Cortex-M0): SysTick as the clock, semihosting as the channel.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::Peripherals;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use cortex_m_semihosting::{debug, hio};
use cyclescope_workload::Report;
use panic_halt as _;

/// The nRF51's processor clock, in hertz.
const CORE_HZ: u32 = 16_000_000;

static TICKS: AtomicU32 = AtomicU32::new(0);

/// The board, started.
pub struct Board {}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = 1000;

    /// Starts SysTick with one interrupt a millisecond.
    pub fn start() -> Self {
        let mut syst = Peripherals::take().expect("the peripherals are taken once, here").SYST;
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(CORE_HZ / Self::CLOCK_HZ - 1);
        syst.clear_current();
        syst.enable_interrupt();
        syst.enable_counter();
        Self {}
    }

    /// The clock, in its ticks.
    pub fn ticks(&self) -> u32 {
        TICKS.load(Ordering::Relaxed)
    }

    /// Reports and exits with 0, or with a failure if the host's console refused the text.
    pub fn finish(self, report: &Report<'_>) -> ! {
        cortex_m::interrupt::disable();
        let written = hio::hstdout().is_ok_and(|mut console| report.write_to(&mut console).is_ok());
        debug::exit(if written { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
        loop {
            cortex_m::asm::wfi();
        }
    }
}

/// The only writer of `TICKS`, so load and store are enough.
#[exception]
fn SysTick() {
    TICKS.store(TICKS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}
