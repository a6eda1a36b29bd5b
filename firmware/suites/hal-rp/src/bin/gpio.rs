//! A pin that is driven and another that reads it: GPIO2 is joined to GPIO3. GPIO5 hears only its own resistors.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::gpio::{Flex, Input, Level, Output, Pull};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut output = Output::new(p.PIN_2, Level::Low);
    let input = Input::new(p.PIN_3, Pull::None);
    check("low", input.is_low(), true);
    output.set_high();
    cortex_m::asm::delay(4);
    check("high", input.is_high(), true);
    output.toggle();
    cortex_m::asm::delay(4);
    check("toggled", input.is_low(), true);

    let mut alone = Flex::new(p.PIN_5);
    alone.set_as_input();
    alone.set_pull(Pull::Up);
    cortex_m::asm::delay(4);
    check("pulled up", alone.is_high(), true);
    alone.set_pull(Pull::Down);
    cortex_m::asm::delay(4);
    check("pulled down", alone.is_low(), true);
    done()
}
