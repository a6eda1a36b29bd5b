//! A watchdog that is fed for a while and then not: it resets the part, which says so.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::watchdog::{ResetReason, Watchdog};
use embassy_time::{Duration, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut watchdog = Watchdog::new(p.WATCHDOG);
    if watchdog.reset_reason() == Some(ResetReason::TimedOut) {
        check("kept", watchdog.get_scratch(0), 0x5EED);
        done();
    }
    watchdog.set_scratch(0, 0x5EED);
    watchdog.start(Duration::from_millis(20));
    for _ in 0..5 {
        Timer::after_millis(15).await;
        watchdog.feed(Duration::from_millis(20));
    }
    loop {
        cortex_m::asm::wfe();
    }
}
