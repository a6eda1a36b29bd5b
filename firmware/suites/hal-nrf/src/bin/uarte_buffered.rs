//! A serial port with buffers behind it, counted by a timer: TX P0.06 is joined to RX P0.08.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_nrf::buffered_uarte::{BufferedUarte, InterruptHandler};
use embassy_nrf::uarte::Config;
use embassy_nrf::{bind_interrupts, peripherals};
use embedded_io_async::{Read, Write};

bind_interrupts!(struct Irqs {
    UARTE0 => InterruptHandler<peripherals::UARTE0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let (mut sent, mut received) = ([0; 64], [0; 64]);
    let uart = BufferedUarte::new(
        p.UARTE0,
        p.TIMER0,
        p.PPI_CH0,
        p.PPI_CH1,
        p.PPI_GROUP0,
        p.P0_08,
        p.P0_06,
        Irqs,
        Config::default(),
        &mut received,
        &mut sent,
    );
    let (mut rx, mut tx) = uart.split();
    let text: [u8; 150] = core::array::from_fn(|at| b'0' + (at % 70) as u8);
    let mut read = [0; 150];
    let (written, got) = join(tx.write_all(&text), rx.read_exact(&mut read)).await;
    check("write", written.is_ok(), true);
    check("read", got.is_ok(), true);
    check("bytes", read, text);
    done()
}
