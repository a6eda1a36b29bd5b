//! The process's side of the calls: one stub each, with labels on the trap and behind it.
//!
//! Arguments are in a0 to a3, the class in a4; the answer comes back in a0 and a1, as a function's result of 64 bits. All
//! other registers are as they were, as the kernel promises.

use core::arch::naked_asm;

macro_rules! stub {
    ($name:ident, $class:literal, $trap:literal, $back:literal) => {
        #[doc = concat!("The call of class ", $class, ", measured.")]
        #[unsafe(naked)]
        pub extern "C" fn $name(driver: u32, number: u32, a: u32, b: u32) -> u64 {
            naked_asm!(
                concat!("li a4, ", $class),
                concat!(".globl ", $trap),
                concat!($trap, ":"),
                "ecall",
                concat!(".globl ", $back),
                concat!($back, ":"),
                "ret",
            )
        }
    };
}

stub!(subscribe, 1, "cyclescope_trap_subscribe", "cyclescope_back_subscribe");
stub!(command, 2, "cyclescope_trap_command", "cyclescope_back_command");
stub!(allow, 3, "cyclescope_trap_allow", "cyclescope_back_allow");

/// Any call, not measured. A callback may run in the midst of it, which changes `ra` like any call.
#[unsafe(naked)]
pub extern "C" fn any(a: u32, b: u32, c: u32, d: u32, class: u32) -> u64 {
    naked_asm!("addi sp, sp, -16", "sw ra, 12(sp)", "ecall", "lw ra, 12(sp)", "addi sp, sp, 16", "ret")
}
