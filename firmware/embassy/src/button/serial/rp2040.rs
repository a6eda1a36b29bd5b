//! The three ways to send on the RP2040, whose port the HAL always gives its FIFOs: from a ring that interrupts empty into them, by
//! DMA a message at a time, and by waiting for room.

pub use way::{Serial, open, send};

#[cfg(not(any(feature = "mode-dma", feature = "mode-blocking")))]
mod way {
    use cortex_m::singleton;
    use embassy_rp::Peri;
    use embassy_rp::peripherals::{DMA_CH0, PIN_0, UART0};
    use embassy_rp::uart::{BufferedUartTx, Config};
    use embedded_io_async::Write;

    use crate::board::Irqs;

    pub type Serial = BufferedUartTx;

    pub fn open(uart: Peri<'static, UART0>, tx: Peri<'static, PIN_0>, _: Peri<'static, DMA_CH0>) -> Serial {
        let outgoing = singleton!(: [u8; 32] = [0; 32]).expect("the port is opened once");
        BufferedUartTx::new(uart, Irqs, tx, outgoing, Config::default())
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write_all(text).await.expect("writing cannot fail");
    }
}

#[cfg(feature = "mode-dma")]
mod way {
    use embassy_rp::Peri;
    use embassy_rp::peripherals::{DMA_CH0, PIN_0, UART0};
    use embassy_rp::uart::{Async, Config, UartTx};

    use crate::board::Irqs;

    pub type Serial = UartTx<'static, Async>;

    pub fn open(uart: Peri<'static, UART0>, tx: Peri<'static, PIN_0>, dma: Peri<'static, DMA_CH0>) -> Serial {
        UartTx::new(uart, tx, dma, Irqs, Config::default())
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write(text).await.expect("writing cannot fail");
    }
}

#[cfg(feature = "mode-blocking")]
mod way {
    use embassy_rp::Peri;
    use embassy_rp::peripherals::{DMA_CH0, PIN_0, UART0};
    use embassy_rp::uart::{Blocking, Config, UartTx};

    pub type Serial = UartTx<'static, Blocking>;

    pub fn open(uart: Peri<'static, UART0>, tx: Peri<'static, PIN_0>, _: Peri<'static, DMA_CH0>) -> Serial {
        UartTx::new_blocking(uart, tx, Config::default())
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.blocking_write(text).expect("writing cannot fail");
    }
}
