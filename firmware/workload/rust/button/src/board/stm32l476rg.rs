//! Nucleo-L476RG: button PC13 (EXTI13), LED PA5, pin A PA0, pin B PA1, USART2 on PA2.
//!
//! Source: RM0351, "RCC registers", "DMA1 requests for each channel" (channel 7, request 2: USART2_TX); the datasheet's
//! alternate functions (PA2: AF7).

#[cfg(feature = "dma")]
use stm32_metapac::DMA1;
use stm32_metapac::usart::Usart;
use stm32_metapac::{GPIOA, GPIOC, RCC, USART2};

use crate::pin::{Alternate, Input, Output};

/// The LED, on when high.
pub const LED: Output = Output::new(GPIOA, 5);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(GPIOA, 0);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(GPIOA, 1);
/// The button.
pub const BUTTON: Input = Input::analogue_at_reset(GPIOC, 13);
/// Its port, as SYSCFG numbers them: C.
pub const BUTTON_PORT: u8 = 2;
/// The UART's output.
pub const TX: Alternate = Alternate::new(GPIOA, 2, 7);
/// The UART.
pub const UART: Usart = USART2;
/// The UART's clock, in hertz: the processor's.
pub const UART_HZ: u32 = cyclescope_boards::CORE_HZ;
/// The DMA's seventh channel.
#[cfg(feature = "dma")]
pub const DMA_CHANNEL: usize = 6;

/// Switches on the clocks of what is used.
#[inline(always)]
pub fn enable_clocks() {
    RCC.ahb2enr().modify(|w| {
        w.set_gpioaen(true);
        w.set_gpiocen(true);
    });
    #[cfg(feature = "dma")]
    RCC.ahb1enr().modify(|w| w.set_dma1en(true));
    RCC.apb1enr1().modify(|w| w.set_usart2en(true));
    RCC.apb2enr().modify(|w| w.set_syscfgen(true));
    // The buses need a moment before the blocks answer; reading a register back gives it.
    let _ = RCC.apb2enr().read();
}

/// Connects the channel to the UART's transmitter.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn route_dma() {
    DMA1.cselr().modify(|w| w.set_cs(DMA_CHANNEL, 2));
}

/// Hands the macro `$to` the interrupts of the button, the UART and its DMA, and three that nothing uses.
#[macro_export]
macro_rules! interrupts {
    ($to:ident) => {
        $to!(EXTI15_10, USART2, DMA1_CHANNEL7, [SPI1, SPI2, SPI3]);
    };
}
