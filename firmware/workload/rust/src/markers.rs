//! The two events between which a contender is measured.
//!
//! Both are empty functions that exist as symbols of their own. Each holds an assembly comment with its own name: the
//! compiler has to keep calls to a function with inline assembly, may not move other such assembly (and so no
//! `black_box`) across it, and cannot merge two functions whose assembly differs.
#![allow(unsafe_code, reason = "an unmangled symbol and an assembly comment are what a marker is")]

use core::arch::asm;

/// Opens the measured span; call it directly after reading the contender's own clock.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn cyclescope_start() {
    // SAFETY: the assembly is a comment and holds no instruction.
    unsafe { asm!("/* cyclescope_start */") }
}

/// Closes the measured span; call it directly before reading the contender's own clock again.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn cyclescope_stop() {
    // SAFETY: the assembly is a comment and holds no instruction.
    unsafe { asm!("/* cyclescope_stop */") }
}
