//! The nRF52840: its interrupts, and TIMER0 for the clock, since SysTick stands while the core sleeps.

use cortex_m::peripheral::SYST;
pub use nrf_pac as device;
use nrf52840_pac::Peripherals;
pub use rtic_monotonics::nrf::timer::prelude::ExtU64;
use rtic_monotonics::nrf::timer::prelude::*;

nrf_timer0_monotonic!(Timer, 1_000_000);

/// The clock, with the face of one over SysTick.
pub struct Mono;

impl Mono {
    /// Starts it at 1 MHz. SysTick stays off.
    pub fn start(_: SYST, _: u32) {
        // SAFETY: nobody else has TIMER0.
        let timer = unsafe { Peripherals::steal() }.TIMER0;
        Timer::start(timer, Priority::rtic_default());
    }

    /// The time.
    pub fn now() -> <Timer as Timebase>::Instant {
        Timer::now()
    }

    /// Waits until `instant`.
    pub fn delay_until(instant: <Timer as Timebase>::Instant) -> impl Future<Output = ()> {
        Timer::delay_until(instant)
    }
}
