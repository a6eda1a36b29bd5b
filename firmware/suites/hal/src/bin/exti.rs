//! Edges of a button, awaited.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_time::Instant;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut button = drivers::button();
    for press in 0..3 {
        button.wait_for_falling_edge().await;
        let pressed = Instant::now();
        button.wait_for_rising_edge().await;
        check("press", press, press);
        check("held for 5 ms", pressed.elapsed().as_millis().abs_diff(5) <= 1, true);
    }
    done()
}
