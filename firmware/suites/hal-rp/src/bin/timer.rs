//! The executor's timer: a task that waits takes as long as it says, by the counter of microseconds.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::clocks;
use embassy_time::{Duration, Instant, Ticker, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let _ = embassy_rp::init(Default::default());
    check("system clock", clocks::clk_sys_freq(), 125_000_000);
    let begun = Instant::now();
    Timer::after_micros(250).await;
    within("a wait of 250 microseconds", begun.elapsed().as_micros(), 250..=350);
    let begun = Instant::now();
    let mut ticker = Ticker::every(Duration::from_millis(1));
    for _ in 0..5 {
        ticker.next().await;
    }
    within("five milliseconds", begun.elapsed().as_micros(), 5_000..=5_050);
    done()
}
