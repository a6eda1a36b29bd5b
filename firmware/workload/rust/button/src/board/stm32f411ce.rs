//! Black Pill: key PA0 (EXTI0), an LED wired to PB10, pin A PB0, pin B PB1, USART2 on PA2. The board's own LED, on PC13,
//! is lit when low.
//!
//! Source: RM0383, "RCC registers", "DMA1 request mapping" (stream 6, channel 4: USART2_TX); the datasheet's alternate
//! functions (PA2: AF7).

use stm32_metapac::usart::Usart;
use stm32_metapac::{GPIOA, GPIOB, RCC, USART2};

use crate::pin::{Alternate, Input, Output};

/// The LED, on when high.
pub const LED: Output = Output::new(GPIOB, 10);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(GPIOB, 0);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(GPIOB, 1);
/// The button.
pub const BUTTON: Input = Input::new(GPIOA, 0);
/// Its port, as SYSCFG numbers them: A.
pub const BUTTON_PORT: u8 = 0;
/// The UART's output.
pub const TX: Alternate = Alternate::new(GPIOA, 2, 7);
/// The UART.
pub const UART: Usart = USART2;
/// The UART's clock, in hertz: APB1's.
pub const UART_HZ: u32 = 50_000_000;
/// The stream that serves USART2's transmitter.
#[cfg(feature = "dma")]
pub const DMA_STREAM: usize = 6;
/// The stream's channel for it.
#[cfg(feature = "dma")]
pub const DMA_CHANNEL: u8 = 4;

/// Switches on the clocks of what is used.
#[inline(always)]
pub fn enable_clocks() {
    RCC.ahb1enr().modify(|w| {
        w.set_gpioaen(true);
        w.set_gpioben(true);
        #[cfg(feature = "dma")]
        w.set_dma1en(true);
    });
    RCC.apb1enr().modify(|w| w.set_usart2en(true));
    RCC.apb2enr().modify(|w| w.set_syscfgen(true));
    // The buses need a moment before the blocks answer; reading a register back gives it.
    let _ = RCC.apb2enr().read();
}

/// A stream has its requests by its channel.
#[cfg(feature = "dma")]
pub fn route_dma() {}

/// Hands the macro `$to` the interrupts of the button, the UART and its DMA, and three that nothing uses.
#[macro_export]
macro_rules! interrupts {
    ($to:ident) => {
        $to!(EXTI0, USART2, DMA1_STREAM6, [SPI1, SPI2, SPI3]);
    };
}
