//! The three ways to send on Nordic's parts, whose port always has EasyDMA: from a ring that interrupts refill, a message at a
//! time, and by waiting for a message's end.

pub use way::{Serial, open, send};

#[cfg(not(any(feature = "mode-dma", feature = "mode-blocking")))]
mod way {
    use cortex_m::singleton;
    use embassy_nrf::Peri;
    use embassy_nrf::buffered_uarte::BufferedUarteTx;
    use embassy_nrf::peripherals::{P0_06, UARTE0};
    use embassy_nrf::uarte::Config;
    use embedded_io_async::Write;

    use crate::board::Irqs;

    pub type Serial = BufferedUarteTx<'static>;

    pub fn open(uarte: Peri<'static, UARTE0>, tx: Peri<'static, P0_06>) -> Serial {
        let outgoing = singleton!(: [u8; 32] = [0; 32]).expect("the port is opened once");
        BufferedUarteTx::new(uarte, tx, Irqs, Config::default(), outgoing)
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write_all(text).await.expect("writing cannot fail");
    }
}

#[cfg(any(feature = "mode-dma", feature = "mode-blocking"))]
mod way {
    use embassy_nrf::Peri;
    use embassy_nrf::peripherals::{P0_06, UARTE0};
    use embassy_nrf::uarte::{Config, UarteTx};

    use crate::board::Irqs;

    pub type Serial = UarteTx<'static>;

    pub fn open(uarte: Peri<'static, UARTE0>, tx: Peri<'static, P0_06>) -> Serial {
        UarteTx::new(uarte, Irqs, tx, Config::default())
    }

    #[cfg(feature = "mode-dma")]
    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write(text).await.expect("the text is short and lies in RAM");
    }

    #[cfg(feature = "mode-blocking")]
    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.blocking_write(text).expect("the text is short and lies in RAM");
    }
}
