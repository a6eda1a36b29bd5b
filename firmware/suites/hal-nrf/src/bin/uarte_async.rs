//! A serial port by interrupts, whose TX P0.06 is joined to its RX P0.08, at two rates and with parity.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_nrf::uarte::{Baudrate, Config, InterruptHandler, Parity, Uarte};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    UARTE0 => InterruptHandler<peripherals::UARTE0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_nrf::init(Default::default());
    for (baudrate, parity) in [(Baudrate::Baud115200, Parity::Excluded), (Baudrate::Baud9600, Parity::Included)] {
        let mut config = Config::default();
        config.baudrate = baudrate;
        config.parity = parity;
        let uart = Uarte::new(p.UARTE0.reborrow(), p.P0_08.reborrow(), p.P0_06.reborrow(), Irqs, config);
        let (mut tx, mut rx) = uart.split();
        let mut read = [0; 12];
        let (received, written) = join(rx.read(&mut read), tx.write(b"round we go!")).await;
        check("write", written, Ok(()));
        check("read", received, Ok(()));
        check("bytes", &read, b"round we go!");
    }
    done()
}
