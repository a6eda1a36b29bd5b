//! A serial port by DMA, whose TX GPIO4 is joined to its RX GPIO5, at two rates and with parity.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_rp::uart::{Config, InterruptHandler, Parity, Uart};
use embassy_rp::{bind_interrupts, dma, peripherals};

bind_interrupts!(struct Irqs {
    UART1_IRQ => InterruptHandler<peripherals::UART1>;
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>, dma::InterruptHandler<peripherals::DMA_CH1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_rp::init(Default::default());
    for (baudrate, parity) in [(115_200, Parity::ParityNone), (9_600, Parity::ParityEven)] {
        let mut config = Config::default();
        config.baudrate = baudrate;
        config.parity = parity;
        let (tx, rx) = (p.PIN_4.reborrow(), p.PIN_5.reborrow());
        let uart = Uart::new(p.UART1.reborrow(), tx, rx, Irqs, p.DMA_CH0.reborrow(), p.DMA_CH1.reborrow(), config);
        let (mut tx, mut rx) = uart.split();
        let mut read = [0; 12];
        let (received, written) = join(rx.read(&mut read), tx.write(b"round we go!")).await;
        check("write", written, Ok(()));
        check("read", received, Ok(()));
        check("bytes", &read, b"round we go!");
    }
    done()
}
