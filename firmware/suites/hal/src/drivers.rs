//! The drivers on each board's pins. A board names its pins and DMA channels where they differ.

use embassy_stm32::gpio::Pull;
use embassy_stm32::i2c::{self, I2c, Master};
use embassy_stm32::interrupt::typelevel::{Binding, USART1};
use embassy_stm32::mode::{Async, Blocking};
use embassy_stm32::peripherals as p;
use embassy_stm32::spi::{self, Spi};
use embassy_stm32::usart::{self, BufferedUart, Uart};

use crate::board::{I2cRx, I2cTx, Irqs, Scl, Sda, SpiRx, SpiTx, UartRx, UartTx};

// The vector of USART1 is the program's, because a driver with buffers has a handler of its own.
unsafe impl Binding<USART1, usart::InterruptHandler<p::USART1>> for Irqs {}
unsafe impl Binding<USART1, usart::BufferedInterruptHandler<p::USART1>> for Irqs {}

/// A peripheral, of which each program uses each one once.
macro_rules! one {
    ($name:ty) => {
        unsafe { <$name>::steal() }
    };
}

pub fn i2c(config: i2c::Config) -> I2c<'static, Async, Master> {
    I2c::new(one!(p::I2C1), one!(Scl), one!(Sda), one!(I2cTx), one!(I2cRx), Irqs, config)
}

pub fn i2c_blocking(config: i2c::Config) -> I2c<'static, Blocking, Master> {
    I2c::new_blocking(one!(p::I2C1), one!(Scl), one!(Sda), config)
}

/// SCK, MOSI and MISO at PA5, PA7 and PA6; a chip select at PA4 is the program's own.
pub fn spi(config: spi::Config) -> Spi<'static, Async, spi::mode::Master> {
    let (sck, mosi, miso) = (one!(p::PA5), one!(p::PA7), one!(p::PA6));
    Spi::new(one!(p::SPI1), sck, mosi, miso, one!(SpiTx), one!(SpiRx), Irqs, config)
}

pub fn spi_blocking(config: spi::Config) -> Spi<'static, Blocking, spi::mode::Master> {
    Spi::new_blocking(one!(p::SPI1), one!(p::PA5), one!(p::PA7), one!(p::PA6), config)
}

/// RX and TX at PA10 and PA9.
pub fn uart(config: usart::Config) -> Uart<'static, Async> {
    let (rx, tx) = (one!(p::PA10), one!(p::PA9));
    Uart::new(one!(p::USART1), rx, tx, one!(UartTx), one!(UartRx), Irqs, config).unwrap()
}

/// The same with RTS and CTS at PA12 and PA11.
pub fn uart_flow(config: usart::Config) -> Uart<'static, Async> {
    let (rx, tx, rts, cts) = (one!(p::PA10), one!(p::PA9), one!(p::PA12), one!(p::PA11));
    Uart::new_with_rtscts(one!(p::USART1), rx, tx, rts, cts, one!(UartTx), one!(UartRx), Irqs, config).unwrap()
}

pub fn uart_blocking(config: usart::Config) -> Uart<'static, Blocking> {
    Uart::new_blocking(one!(p::USART1), one!(p::PA10), one!(p::PA9), config).unwrap()
}

pub fn uart_buffered(config: usart::Config, tx: &'static mut [u8], rx: &'static mut [u8]) -> BufferedUart<'static> {
    BufferedUart::new(one!(p::USART1), one!(p::PA10), one!(p::PA9), tx, rx, Irqs, config).unwrap()
}

/// TX and RX at PA9.
pub fn uart_half_duplex(config: usart::Config) -> Uart<'static, Async> {
    let readback = usart::HalfDuplexReadback::NoReadback;
    Uart::new_half_duplex(one!(p::USART1), one!(p::PA9), one!(UartTx), one!(UartRx), Irqs, config, readback).unwrap()
}

/// An input whose edges interrupt, at PB12, or at PA8 where the package has no PB12.
pub fn button() -> embassy_stm32::exti::ExtiInput<'static, Async> {
    use crate::board::{Button, ButtonLine};
    embassy_stm32::exti::ExtiInput::new(one!(Button), one!(ButtonLine), Pull::Up, Irqs)
}
