//! Pins in and out, with a wire between PB0 and PB1.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::gpio::{Flex, Input, Level, Output, OutputOpenDrain, Pull, Speed};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_stm32::init(board::config());
    {
        let input = Input::new(p.PB1.reborrow(), Pull::None);
        let mut output = Output::new(p.PB0.reborrow(), Level::Low, Speed::Low);
        check("low", input.is_low(), true);
        output.toggle();
        Timer::after_micros(10).await;
        check("high", input.is_high(), true);
    }
    let input = Input::new(p.PB1, Pull::Up);
    let mut drain = OutputOpenDrain::new(p.PB0.reborrow(), Level::Low, Speed::Low);
    Timer::after_micros(10).await;
    check("pulled low", input.is_low(), true);
    drain.set_high();
    Timer::after_micros(10).await;
    check("released", input.is_high(), true);
    drop(drain);
    let mut flex = Flex::new(p.PB0);
    flex.set_as_input(Pull::None);
    Timer::after_micros(10).await;
    check("other pull", flex.is_high(), true);
    done()
}
