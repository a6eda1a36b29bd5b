//! CAN with another node that echoes, with buffers.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::can::filter::Mask32;
use embassy_stm32::can::frame::Frame;
use embassy_stm32::can::{ExtendedId, Fifo, RxBuf, TxBuf};
use static_cell::StaticCell;

static CAN: StaticCell<embassy_stm32::can::Can<'static>> = StaticCell::new();
static TX: StaticCell<TxBuf<4>> = StaticCell::new();
static RX: StaticCell<RxBuf<4>> = StaticCell::new();

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let can = CAN.init(board::can());
    can.modify_filters().enable_bank(0, Fifo::Fifo0, Mask32::accept_all());
    can.modify_config().set_loopback(false).set_silent(false).set_bitrate(250_000);
    can.enable().await;
    let mut can = can.buffered(TX.init(TxBuf::new()), RX.init(RxBuf::new()));
    for number in 0..6_u8 {
        let id = ExtendedId::new(0x1234_5600 + u32::from(number)).unwrap();
        let frame = Frame::new_data(id, &[number, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        can.write(&frame).await;
        let envelope = can.read().await.unwrap();
        check("data", envelope.frame.data(), &[number, 1, 2, 3, 4, 5, 6, 7]);
        check("same name", envelope.frame.id() == frame.id(), true);
    }
    done()
}
