//! A pin that is driven and another that reads it: P0.13 is joined to P0.14. P1.01 hears only its own resistors.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Flex, Input, Level, Output, OutputDrive, Pull};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut output = Output::new(p.P0_13, Level::Low, OutputDrive::Standard);
    let input = Input::new(p.P0_14, Pull::None);
    check("low", input.is_low(), true);
    output.set_high();
    check("high", input.is_high(), true);
    output.toggle();
    check("toggled", input.is_low(), true);

    let mut alone = Flex::new(p.P1_01);
    alone.set_as_input(Pull::Up);
    check("pulled up", alone.is_high(), true);
    alone.set_as_input(Pull::Down);
    check("pulled down", alone.is_low(), true);
    done()
}
