//! Compares RISC-V cores: random programs with the cores' own Verilog, by retirement with cycles; whole programs with
//! QEMU's machine `virt`, by instruction.

mod compare;
mod images;
pub mod litex;
mod lockstep;
mod ours;
mod program;
mod rtl;
mod virt;

pub use compare::run;
pub use images::{ImageReport, follow, images};
pub use lockstep::lockstep;
pub use program::{Generator, Kind, Program};
pub use rtl::{Design, Peer};
pub use virt::{PROGRAMS as VIRT_PROGRAMS, Program as VirtProgram, virt};
