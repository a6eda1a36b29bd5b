//! Three presses of a button at GPIO15, each of 5 ms.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{done, within};
use embassy_executor::Spawner;
use embassy_rp::gpio::{Input, Pull};
use embassy_time::Instant;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut button = Input::new(p.PIN_15, Pull::Up);
    for _ in 0..3 {
        button.wait_for_falling_edge().await;
        let pressed = Instant::now();
        button.wait_for_rising_edge().await;
        within("microseconds held", pressed.elapsed().as_micros(), 4_900..=5_100);
    }
    done()
}
