//! A serial port that receives until the line is idle, by a timer and the interconnect: TX P0.06 is joined to RX P0.08.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_nrf::uarte::{Config, InterruptHandler, Uarte};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    UARTE1 => InterruptHandler<peripherals::UARTE1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let uart = Uarte::new(p.UARTE1, p.P0_08, p.P0_06, Irqs, Config::default());
    let (mut tx, mut rx) = uart.split_with_idle(p.TIMER0, p.PPI_CH0, p.PPI_CH1);
    for message in [&b"short"[..], b"somewhat longer"] {
        let mut read = [0; 32];
        let (received, written) = join(rx.read_until_idle(&mut read), tx.write(message)).await;
        check("write", written, Ok(()));
        check("read", received, Ok(message.len()));
        check("bytes", &read[..message.len()], message);
    }
    done()
}
