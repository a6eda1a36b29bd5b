//! The crates `ssd1306` and `embedded-graphics` over `embassy-stm32`, async with DMA.

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use embassy_executor::Spawner;
use ssd1306::Ssd1306Async;
use ssd1306::mode::DisplayConfigAsync;
use ssd1306::prelude::*;

use crate::{FRAMES, answered, board, finish, scene};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let interface = board::interface();
    let mut display =
        Ssd1306Async::new(interface, DisplaySize128x64, DisplayRotation::Rotate0).into_buffered_graphics_mode();
    answered(display.init().await);
    for frame in 0..FRAMES {
        cyclescope_start();
        answered(scene::draw(&mut display, frame));
        answered(display.flush().await);
        cyclescope_stop();
    }
    finish()
}
