//! CAN in loopback: what is sent comes back through a filter.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::can::filter::Mask32;
use embassy_stm32::can::frame::Frame;
use embassy_stm32::can::{Fifo, StandardId};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut can = board::can();
    can.modify_filters().enable_bank(0, Fifo::Fifo0, Mask32::accept_all());
    can.modify_config().set_loopback(true).set_silent(true).set_bitrate(500_000);
    can.enable().await;
    for number in 0..5_u8 {
        let frame = Frame::new_data(StandardId::new(0x123 + u16::from(number)).unwrap(), &[number; 4]).unwrap();
        can.write(&frame).await;
        let envelope = can.read().await.unwrap();
        check("data", envelope.frame.data(), &[number; 4]);
    }
    done()
}
