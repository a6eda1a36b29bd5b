//! Compares Xtensa cores with QEMU's on its machine `sim`: random programs and compiled ones, and before each
//! instruction all registers and the special registers.
//!
//! QEMU translates one instruction at a time, logs its state before each, and takes exceptions and software's
//! interrupts itself. Time is not compared with it, but among our modes of running, compiled ones too. What the cores of QEMU have is here as configurations of ours: the LX106,
//! three with windows of which one has the LX6's floating-point unit. None of them has MULUH and MULSH, or reaches
//! unaligned data.

mod assembly;
mod compiled;
mod defects;
mod handlers;
mod items;
mod lockstep;
mod log;
mod machine;
mod ours;
mod program;
mod rows;
mod run_modes;

pub use compiled::{COMPILED, Compiled, CompiledReport, follow_compiled, levels};
pub use lockstep::lockstep;
pub use machine::{DC233C, DE212, DE233_FPU, LX106, Machine};

/// The parts left out, and the reasons.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("SAR above 32", "the manual leaves such shifts open"),
    ("SLLI by 32", "no assembler makes it, and the manual leaves it open"),
    ("values of EXCCAUSE above 63 and of EPS outside its fields", "QEMU keeps all bits of what is written"),
    ("CCOUNT, CCOMPARE and timers' interrupts", "QEMU's time is the host's"),
    ("interrupt inputs", "QEMU's stay low; our modes of running are compared with each other while ours move"),
    (
        "registers of the floating-point unit inside a division or a square root",
        "QEMU divides at MKDADJ.S, and the other steps do little; results and flags are compared",
    ),
];
