//! nRF52840 DK: button 1 on P0.11 (channel 0 of GPIOTE), an LED wired to P1.03, pin A P1.01, pin B P1.02, the serial port on P0.06.

use crate::pin::{Input, Output, P0, P1, Serial};

/// The LED, on when high.
pub const LED: Output = Output::new(P1, 3);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(P1, 1);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(P1, 2);
/// The button.
pub const BUTTON: Input = Input::new(P0, 11);
/// The serial port's output, wired to the debug probe's virtual port.
pub const TX: Serial = Serial::new(P0, 6);

/// Nothing: a block has its clock whenever it asks for it.
#[inline(always)]
pub fn enable_clocks() {}

/// Nothing: the port has EasyDMA of its own.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn route_dma() {}

/// Hands the macro `$to` the interrupts of the button, the port and its DMA, and three that nothing uses.
#[macro_export]
macro_rules! interrupts {
    ($to:ident) => {
        $to!(GPIOTE, UARTE0, UARTE0, [EGU0_SWI0, EGU1_SWI1, EGU2_SWI2]);
    };
}
