//! Raspberry Pi Pico: a button wired from GPIO15 to ground, the LED on GPIO25, pin A GPIO16, pin B GPIO17, UART0 on GPIO0.

use crate::pin::{Input, Output, Serial};

/// The LED, on when high.
pub const LED: Output = Output::new(25);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(16);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(17);
/// The button.
pub const BUTTON: Input = Input::new(15);
/// The serial port's output.
pub const TX: Serial = Serial::new(0);

/// Takes what is used out of reset: IO_BANK0, PADS_BANK0 and UART0, for transfers the DMA.
#[inline(always)]
pub fn enable_clocks() {
    const DMA: u32 = if cfg!(feature = "dma") { 1 << 2 } else { 0 };
    cyclescope_boards::unreset(1 << 22 | 1 << 8 | 1 << 5 | DMA);
}

/// Lets the end of channel 0's transfers interrupt.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn route_dma() {
    crate::dma::let_interrupt();
}

/// Hands the macro `$to` the interrupts of the button, the port and its DMA, and three that no block has.
#[macro_export]
macro_rules! interrupts {
    ($to:ident) => {
        $to!(IO_IRQ_BANK0, UART0_IRQ, DMA_IRQ_0, [SWI_IRQ_0, SWI_IRQ_1, SWI_IRQ_2]);
    };
}
