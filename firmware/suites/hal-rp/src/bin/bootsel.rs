//! The button at the chip select of the flash, which nobody presses here: read from RAM, and the flash answers behind it.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::bootsel::is_bootsel_pressed;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_rp::init(Default::default());
    for _ in 0..3 {
        check("pressed", is_bootsel_pressed(p.BOOTSEL.reborrow()), false);
        embassy_time::Timer::after_millis(1).await;
    }
    done()
}
