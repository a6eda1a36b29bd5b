//! A watchdog that is fed for a while and then not: it resets the part, which says so.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::pac;
use embassy_nrf::wdt::{Config, Watchdog};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let reason = pac::POWER.resetreas().read();
    if reason.dog() {
        done();
    }
    let mut config = Config::default();
    config.timeout_ticks = 32_768 / 50;
    let Ok((_, [mut first, mut second])) = Watchdog::try_new::<_, 2>(p.WDT, config) else { panic!("it runs already") };
    for _ in 0..5 {
        Timer::after_millis(15).await;
        first.pet();
        check("the other waits", second.is_pet(), false);
        second.pet();
    }
    loop {
        Timer::after_millis(15).await;
        first.pet();
    }
}
