//! Nucleo-F446ZE: button PC13 (EXTI13), LED PB0, pin A PG0, pin B PG1, USART3 on PD8.
//!
//! Source: RM0390, "RCC registers", "DMA1 request mapping" (stream 3, channel 4: USART3_TX); the datasheet's alternate
//! functions (PD8: AF7).

#[cfg(feature = "probes")]
use stm32_metapac::GPIOG;
use stm32_metapac::usart::Usart;
use stm32_metapac::{GPIOB, GPIOC, GPIOD, RCC, USART3};

use crate::pin::{Alternate, Input, Output};

/// The LED, on when high.
pub const LED: Output = Output::new(GPIOB, 0);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(GPIOG, 0);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(GPIOG, 1);
/// The button.
pub const BUTTON: Input = Input::new(GPIOC, 13);
/// Its port, as SYSCFG numbers them: C.
pub const BUTTON_PORT: u8 = 2;
/// The UART's output.
pub const TX: Alternate = Alternate::new(GPIOD, 8, 7);
/// The UART.
pub const UART: Usart = USART3;
/// The UART's clock, in hertz: APB1's.
pub const UART_HZ: u32 = 45_000_000;
/// The stream that serves USART3's transmitter.
#[cfg(feature = "dma")]
pub const DMA_STREAM: usize = 3;
/// The stream's channel for it.
#[cfg(feature = "dma")]
pub const DMA_CHANNEL: u8 = 4;

/// Switches on the clocks of what is used.
#[inline(always)]
pub fn enable_clocks() {
    RCC.ahb1enr().modify(|w| {
        w.set_gpioben(true);
        w.set_gpiocen(true);
        w.set_gpioden(true);
        #[cfg(feature = "probes")]
        w.set_gpiogen(true);
        #[cfg(feature = "dma")]
        w.set_dma1en(true);
    });
    RCC.apb1enr().modify(|w| w.set_usart3en(true));
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
        $to!(EXTI15_10, USART3, DMA1_STREAM3, [SPI1, SPI2, SPI3]);
    };
}
