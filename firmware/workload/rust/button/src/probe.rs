//! T1 to T4: pin A around the handler, pin B around the button task's work, and two labels in its code.
//!
//! The labels stand in all modes, the pins only with the feature `probes`. A label is assembly without an instruction:
//! where it stands, the compiler may move no access to memory or registers across it.

use core::arch::asm;

#[cfg(feature = "probes")]
use crate::board::{PIN_A, PIN_B};

/// T1: first thing in the handler.
#[inline(always)]
pub fn handler_begins() {
    #[cfg(feature = "probes")]
    PIN_A.rise();
}

/// T2: last thing in the handler.
#[inline(always)]
pub fn handler_ends() {
    #[cfg(feature = "probes")]
    PIN_A.fall();
}

/// T3: first thing in the button task once it stops waiting; call it in one place only.
#[inline(always)]
#[allow(named_asm_labels, reason = "the label is the point; twice in the code it would not assemble")]
pub fn task_runs() {
    // SAFETY: a symbol and no instruction.
    unsafe { asm!(".global cyclescope_button_runs", "cyclescope_button_runs:", options(nostack, preserves_flags)) }
    #[cfg(feature = "probes")]
    PIN_B.rise();
}

/// T4: last thing in the button task before it waits again; call it in one place only.
#[inline(always)]
#[allow(named_asm_labels, reason = "the label is the point; twice in the code it would not assemble")]
pub fn task_waits() {
    #[cfg(feature = "probes")]
    PIN_B.fall();
    // SAFETY: a symbol and no instruction.
    unsafe { asm!(".global cyclescope_button_waits", "cyclescope_button_waits:", options(nostack, preserves_flags)) }
}
