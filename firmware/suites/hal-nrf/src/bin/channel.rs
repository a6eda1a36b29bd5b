//! A channel of GPIOTE that hears edges of P0.11, and one that toggles P0.13.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Level, OutputDrive, Pull};
use embassy_nrf::gpiote::{InputChannel, InputChannelPolarity, OutputChannel, OutputChannelPolarity};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut edges = InputChannel::new(p.GPIOTE_CH0, p.P0_11, Pull::Up, InputChannelPolarity::Toggle);
    let led =
        OutputChannel::new(p.GPIOTE_CH1, p.P0_13, Level::High, OutputDrive::Standard, OutputChannelPolarity::Toggle);
    for edge in 0..6 {
        edges.wait().await;
        led.out();
        check("the button is up", edges.pin().is_high(), edge % 2 == 1);
    }
    done()
}
