//! The independent watchdog, held off five times and then not.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check};
use embassy_executor::Spawner;
use embassy_stm32::wdg::IndependentWatchdog;
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut watchdog = IndependentWatchdog::new(p.IWDG, 20_000);
    watchdog.unleash();
    for pet in 0..5 {
        Timer::after_millis(8).await;
        watchdog.pet();
        check("pet", pet, pet);
    }
    loop {
        cortex_m::asm::nop();
    }
}
