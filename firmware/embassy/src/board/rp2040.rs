//! Raspberry Pi Pico: the HAL brings it up for its crystal of 12 MHz, embassy-time is the clock, defmt over RTT the channel.

use cyclescope_workload::{Findings, Report};
use defmt_rtt as _;
use embassy_time::{Instant, TICK_HZ};
use panic_probe as _;

const SHIFT: u32 = 5;

/// The board, started.
pub struct Board {}

impl Board {
    /// Rate of the board's clock, in hertz: embassy-time's ticks are microseconds, of which 32 are one here.
    pub const CLOCK_HZ: u32 = TICK_HZ as u32 >> SHIFT;

    /// Starts the HAL; all that it sets is its own choice.
    pub fn start() -> Self {
        let _peripherals = embassy_rp::init(Default::default());
        #[cfg(feature = "mode-other-core")]
        count_on(_peripherals.CORE1);
        Self {}
    }

    /// The clock, in its ticks; it wraps after more than a day.
    pub fn ticks(&self) -> u32 {
        (Instant::now().as_ticks() >> SHIFT) as u32
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
        // SAFETY: ICER is write-one-to-clear and nothing runs any more that would want an interrupt.
        unsafe { (*cortex_m::peripheral::NVIC::PTR).icer[0].write(u32::MAX) };
        loop {
            cortex_m::asm::wfi();
        }
    }
}

/// Starts the other core with an executor of its own, which runs the second task.
#[cfg(feature = "mode-other-core")]
fn count_on(core: embassy_rp::Peri<'static, embassy_rp::peripherals::CORE1>) {
    use embassy_executor::Executor;
    use embassy_rp::multicore::{Stack, spawn_core1};

    let stack = cortex_m::singleton!(: Stack<1024> = Stack::new()).expect("the board starts once");
    spawn_core1(core, stack, || {
        let executor = cortex_m::singleton!(: Executor = Executor::new()).expect("the core starts once");
        executor.run(|spawner| spawner.spawn(crate::count().expect("the task is spawned once, here")))
    });
}
