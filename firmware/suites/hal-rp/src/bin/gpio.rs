//! A pin that is driven and reads itself, and another that hears only its own resistors.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::gpio::{Flex, Pull};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut pin = Flex::new(p.PIN_2);
    pin.set_low();
    pin.set_as_output();
    cortex_m::asm::delay(4);
    check("low", pin.is_low(), true);
    pin.set_high();
    cortex_m::asm::delay(4);
    check("high", pin.is_high(), true);
    pin.toggle();
    cortex_m::asm::delay(4);
    check("toggled", pin.is_low(), true);

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
