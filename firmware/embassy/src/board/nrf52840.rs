//! nRF52840 DK: the HAL brings it up, embassy-time is the clock, defmt over RTT the channel.

use cyclescope_workload::{Findings, Report};
use defmt_rtt as _;
use embassy_nrf::config::Config;
use embassy_time::{Instant, TICK_HZ};
use panic_probe as _;

use crate::clock;

/// Words of interrupts: the chip has 48.
const INTERRUPT_WORDS: usize = 2;

/// The board, started.
pub struct Board {}

impl Board {
    /// Rate of the board's clock, in hertz.
    pub const CLOCK_HZ: u32 = TICK_HZ as u32;

    /// Starts the HAL with the board's clock; whatever else it sets is its own choice.
    pub fn start() -> Self {
        let mut config = Config::default();
        clock::configure(&mut config);
        let _ = embassy_nrf::init(config);
        // RTC1 takes up to 46 us to start, and until then the time stands ("RTC", task and event jitter).
        while Instant::now().as_ticks() == 0 {}
        Self {}
    }

    /// The clock, in its ticks; it wraps after more than a day.
    pub fn ticks(&self) -> u32 {
        Instant::now().as_ticks() as u32
    }

    /// Reports, masks interrupts and sleeps for ever.
    ///
    /// The lines are those of [`Report::write_to`], written where defmt finds them and formatted by its host.
    pub fn finish(self, report: &Report<'_>) -> ! {
        let Findings { primes, trials, loops, dispatches } = report.findings;
        for (place, &prime) in (1..).zip(primes) {
            defmt::println!("found a prime number {=u32} {=u64}", place, prime);
        }
        defmt::println!("done elapsed = {=u32} ms, trials={=u32}, loops={=u32}", report.elapsed_ms(), *trials, *loops);
        defmt::println!(
            "cyclescope primes contender={=str} mode={=str} trials={=u32} loops={=u32} dispatches={=u32} \
             counter={=u32} elapsed={=u32} clock_hz={=u32}",
            report.contender,
            report.mode,
            *trials,
            *loops,
            *dispatches,
            report.counter,
            report.elapsed_ticks,
            report.clock_hz
        );
        cortex_m::interrupt::disable();
        // The clock's interrupts go on becoming pending, and WFI falls through a pending interrupt that is enabled.
        for word in 0..INTERRUPT_WORDS {
            // SAFETY: ICER is write-one-to-clear and nothing runs any more that would want an interrupt.
            unsafe { (*cortex_m::peripheral::NVIC::PTR).icer[word].write(u32::MAX) };
        }
        loop {
            cortex_m::asm::wfi();
        }
    }
}
