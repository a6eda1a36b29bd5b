//! The crates `ssd1306` and `embedded-graphics` over `embassy-stm32`, waiting for each byte.

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use ssd1306::prelude::*;
use ssd1306::{Ssd1306, mode::DisplayConfig};

use crate::{FRAMES, answered, board, finish, scene};

#[cortex_m_rt::entry]
fn main() -> ! {
    let interface = board::interface();
    let mut display =
        Ssd1306::new(interface, DisplaySize128x64, DisplayRotation::Rotate0).into_buffered_graphics_mode();
    answered(display.init());
    for frame in 0..FRAMES {
        cyclescope_start();
        answered(scene::draw(&mut display, frame));
        answered(display.flush());
        cyclescope_stop();
    }
    finish()
}
