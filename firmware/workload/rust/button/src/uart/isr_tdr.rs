//! The newer UART, with ISR and TDR: STM32C0, G0 and L4.
//!
//! Source: RM0490, RM0444 and RM0351, "USART registers".

use stm32_metapac::usart::regs::Cr1;
#[cfg(not(feature = "dma"))]
use stm32_metapac::usart::regs::Dr;

use crate::board::{UART, UART_HZ};

/// The UART's clock over the baud rate, rounded.
const DIVISOR: u16 = ((UART_HZ + 115_200 / 2) / 115_200) as u16;
/// The UART enabled, and its transmitter.
const CR1: u32 = 1 << 0 | 1 << 3;
/// The transmitter's interrupt.
#[cfg(feature = "interrupt")]
const TXEIE: u32 = 1 << 7;

/// Sets the baud rate.
#[inline(always)]
pub fn set_rate() {
    UART.brr().write(|w| w.set_brr(DIVISOR));
}

/// Has the UART ask the DMA for its bytes.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn ask_dma() {
    UART.cr3().modify(|w| w.set_dmat(true));
}

/// The register that takes a byte.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn data() -> u32 {
    UART.tdr().as_ptr() as u32
}

/// Switches the UART and its transmitter on.
#[inline(always)]
pub fn enable() {
    UART.cr1().write_value(Cr1(CR1));
}

/// Hands a byte to the UART, which must be ready.
#[cfg(not(feature = "dma"))]
pub fn put(byte: u8) {
    UART.tdr().write_value(Dr(byte.into()));
}

/// Returns true if the UART can take a byte.
#[cfg(feature = "blocking")]
pub fn is_ready() -> bool {
    UART.isr().read().txe()
}

/// Lets the UART interrupt as long as it can take a byte, or not; one store, so that a handler may do it at any time.
#[cfg(feature = "interrupt")]
pub fn interrupt_when_ready(wanted: bool) {
    UART.cr1().write_value(Cr1(if wanted { CR1 | TXEIE } else { CR1 }));
}
