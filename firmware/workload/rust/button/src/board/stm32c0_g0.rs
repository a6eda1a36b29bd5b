//! Nucleo-C031C6 and Nucleo-G071RB, which have all of it at the same places: button PC13 (EXTI13), LED PA5, pin A PA0,
//! pin B PA1, USART2 on PA2.
//!
//! Source: RM0490 and RM0444, "RCC registers", "DMAMUX: assignment of multiplexer inputs to resources" (53: USART2_TX);
//! the datasheets' alternate functions (PA2: AF1).

#[cfg(feature = "dma")]
use stm32_metapac::DMAMUX1;
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
/// Its port, as EXTI numbers them: C.
pub const BUTTON_PORT: u8 = 2;
/// The UART's output.
pub const TX: Alternate = Alternate::new(GPIOA, 2, 1);
/// The UART.
pub const UART: Usart = USART2;
/// The UART's clock, in hertz: the processor's.
pub const UART_HZ: u32 = cyclescope_boards::CORE_HZ;
/// The DMA's first channel.
#[cfg(feature = "dma")]
pub const DMA_CHANNEL: usize = 0;

/// Switches on the clocks of what is used.
#[inline(always)]
pub fn enable_clocks() {
    RCC.gpioenr().modify(|w| {
        w.set_gpioaen(true);
        w.set_gpiocen(true);
    });
    #[cfg(feature = "dma")]
    RCC.ahbenr().modify(|w| w.set_dma1en(true));
    RCC.apbenr1().modify(|w| w.set_usart2en(true));
    // The bus needs a moment before the UART answers; reading the register back gives it.
    let _ = RCC.apbenr1().read();
}

/// Connects the channel to the UART's transmitter.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn route_dma() {
    DMAMUX1.ccr(DMA_CHANNEL).write(|w| w.set_dmareq_id(53));
}

/// Hands the macro `$to` the interrupts of the button, the UART and its DMA, and three that nothing uses.
#[macro_export]
macro_rules! interrupts {
    ($to:ident) => {
        $to!(EXTI4_15, USART2, DMA1_CHANNEL1, [SPI1, I2C1, USART1]);
    };
}
