//! The three ways to send: by the UART's interrupts, by DMA, and by waiting for each byte.

#[cfg(not(any(feature = "mode-dma", feature = "mode-blocking")))]
pub use interrupt::{Serial, open, send};

#[cfg(feature = "mode-blocking")]
pub use blocking::{Serial, open, send};
#[cfg(feature = "mode-dma")]
pub use dma::{Serial, open, send};

#[cfg(not(any(feature = "mode-dma", feature = "mode-blocking")))]
mod interrupt {
    use cortex_m::singleton;
    use embassy_stm32::Peri;
    use embassy_stm32::usart::{BufferedUart, Config};
    use embedded_io_async::Write;

    use crate::board::{Irqs, Rx, Tx, TxDma, Uart};

    /// The HAL's buffered UART has no transmitter alone.
    pub type Serial = BufferedUart<'static>;

    pub fn open(
        uart: Peri<'static, Uart>,
        tx: Peri<'static, Tx>,
        rx: Peri<'static, Rx>,
        _: Peri<'static, TxDma>,
    ) -> Serial {
        let outgoing = singleton!(: [u8; 32] = [0; 32]).expect("the port is opened once");
        let incoming = singleton!(: [u8; 1] = [0; 1]).expect("the port is opened once");
        BufferedUart::new(uart, rx, tx, outgoing, incoming, Irqs, Config::default()).expect("the rate is in range")
    }

    /// Waits until the text has left: the HAL never wakes a task that writes while its buffer is too full.
    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write_all(text).await.expect("the buffer holds a message");
        serial.flush().await.expect("flushing cannot fail");
    }
}

#[cfg(feature = "mode-dma")]
mod dma {
    use embassy_stm32::Peri;
    use embassy_stm32::mode::Async;
    use embassy_stm32::usart::{Config, UartTx};

    use crate::board::{Irqs, Rx, Tx, TxDma, Uart};

    pub type Serial = UartTx<'static, Async>;

    pub fn open(
        uart: Peri<'static, Uart>,
        tx: Peri<'static, Tx>,
        _: Peri<'static, Rx>,
        dma: Peri<'static, TxDma>,
    ) -> Serial {
        UartTx::new(uart, tx, dma, Irqs, Config::default()).expect("the rate is in range")
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.write(text).await.expect("sending cannot fail");
    }
}

#[cfg(feature = "mode-blocking")]
mod blocking {
    use embassy_stm32::Peri;
    use embassy_stm32::mode::Blocking;
    use embassy_stm32::usart::{Config, UartTx};

    use crate::board::{Rx, Tx, TxDma, Uart};

    pub type Serial = UartTx<'static, Blocking>;

    pub fn open(
        uart: Peri<'static, Uart>,
        tx: Peri<'static, Tx>,
        _: Peri<'static, Rx>,
        _: Peri<'static, TxDma>,
    ) -> Serial {
        UartTx::new_blocking(uart, tx, Config::default()).expect("the rate is in range")
    }

    pub async fn send(serial: &mut Serial, text: &[u8]) {
        serial.blocking_write(text).expect("sending cannot fail");
    }
}
