//! The probe pins, as one would attach an oscilloscope to, and the labels beside T3 and T4.
//!
//! Handlers bound to the EXTI vector before and after the HAL's move pin A. Mode `bare` has the labels alone.

use core::arch::asm;

#[cfg(not(feature = "mode-bare"))]
pub use pins::*;

/// T3: the button task has stopped waiting.
#[inline(always)]
pub fn runs() {
    // SAFETY: a label is no instruction.
    #[allow(named_asm_labels, reason = "it is for whoever looks from outside; a second one would not link")]
    unsafe {
        asm!(".global cyclescope_button_runs", "cyclescope_button_runs:", options(nostack, preserves_flags))
    };
    #[cfg(not(feature = "mode-bare"))]
    pins::raise(pins::B);
}

/// T4: the button task is about to wait.
#[inline(always)]
pub fn waits() {
    #[cfg(not(feature = "mode-bare"))]
    pins::lower(pins::B);
    // SAFETY: a label is no instruction.
    #[allow(named_asm_labels, reason = "it is for whoever looks from outside; a second one would not link")]
    unsafe {
        asm!(".global cyclescope_button_waits", "cyclescope_button_waits:", options(nostack, preserves_flags))
    };
}

#[cfg(all(feature = "stm32", not(feature = "mode-bare")))]
mod pins {
    use embassy_stm32::gpio::Output;
    use embassy_stm32::interrupt::typelevel::Handler;

    use crate::board::ButtonInterrupt;
    use crate::board::registers::{BUTTON, PROBES, pending_lines};

    /// Pin A's number in the probes' port, on all boards.
    const A: usize = 0;
    /// Pin B's.
    pub const B: usize = 1;

    /// Keeps pins A and B as outputs: dropped, the HAL would disconnect them.
    pub fn own(pins: [Output<'static>; 2]) {
        core::mem::forget(pins);
    }

    /// T1: raises pin A, unless the interrupt is another line's. To be bound before the HAL's handler.
    pub struct RaiseA;

    impl Handler<ButtonInterrupt> for RaiseA {
        unsafe fn on_interrupt() {
            if pending_lines().line(BUTTON) {
                raise(A);
            }
        }
    }

    /// T2: lowers pin A, which is low already if the interrupt was another line's. To be bound after the HAL's handler.
    pub struct LowerA;

    impl Handler<ButtonInterrupt> for LowerA {
        unsafe fn on_interrupt() {
            lower(A);
        }
    }

    #[inline(always)]
    pub fn raise(pin: usize) {
        PROBES.bsrr().write(|w| w.set_bs(pin, true));
    }

    #[inline(always)]
    pub fn lower(pin: usize) {
        PROBES.bsrr().write(|w| w.set_br(pin, true));
    }
}

#[cfg(all(any(feature = "board-nrf52840", feature = "board-rp2040"), not(feature = "mode-bare")))]
#[cfg_attr(feature = "board-nrf52840", path = "probe/nrf52840.rs")]
#[cfg_attr(feature = "board-rp2040", path = "probe/rp2040.rs")]
mod pins;
