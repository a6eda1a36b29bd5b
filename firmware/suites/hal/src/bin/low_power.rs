//! The HAL's executor for low power: it stops the clock where nothing is to be done for long, and the RTC wakes it.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{check, done, within};
use embassy_executor::Spawner;
use embassy_time::{Duration, Instant, Timer};

#[embassy_executor::main(executor = "embassy_stm32::executor::Executor", entry = "cortex_m_rt::entry")]
async fn main(_spawner: Spawner) {
    // 4 MHz of MSI, with which the part wakes as well; the RTC has LSI.
    let mut config = embassy_stm32::Config::default();
    // For a shorter pause than this the HAL 0.6.0 stops the clock as well, and has nothing that starts it.
    config.min_stop_pause = Duration::from_ticks(0);
    config.enable_debug_during_sleep = false;
    embassy_stm32::init(config);
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
    for _ in 0..3 {
        let (begun, cycles) = (Instant::now(), cortex_m::peripheral::DWT::cycle_count());
        Timer::after_millis(500).await;
        let counted = cortex_m::peripheral::DWT::cycle_count().wrapping_sub(cycles);
        within("milliseconds", begun.elapsed().as_millis(), 500..=510);
        // Of two million cycles.
        check("clock stood", counted < 200_000, true);
    }
    done()
}
