//! An encoder at PA6 and PA7, counted by TIM3.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::timer::qei::{Direction, Qei};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let encoder = Qei::new(p.TIM3, p.PA6, p.PA7, Default::default());
    Timer::after_millis(40).await;
    check("direction", matches!(encoder.read_direction(), Direction::Upcounting), true);
    // Both edges of both inputs count.
    check("count", encoder.count(), 20);
    done()
}
