//! Three presses of button 1 of the board, each of 5 ms.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Input, Pull};
use embassy_time::Instant;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut button = Input::new(p.P0_11, Pull::Up);
    for _ in 0..3 {
        button.wait_for_falling_edge().await;
        let pressed = Instant::now();
        button.wait_for_rising_edge().await;
        let held = pressed.elapsed().as_micros();
        check("held for 5 ms", (4_900..5_100).contains(&held), true);
    }
    done()
}
