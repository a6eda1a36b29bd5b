//! Cycle-timed RISC-V cores: RV32IMAC with Zicsr and Zifencei, M and U mode, PMP; and PicoRV32, which has interrupts of its
//! own instead of the privileged architecture.
//!
//! Four parts, each in its folder: [`decode`] turns bytes into instructions, `exec` says what they do, `exception` what
//! interrupts them, [`timing`] how long all of it takes; beside them [`csr`] (which registers a core has) and [`pmp`].
//! [`Core`] runs them over a [`Bus`](cyclescope_machine::Bus); it knows no chip and no experiment.
//!
//! Lines of [`InterruptLines`](cyclescope_machine::InterruptLines) 0 to 31 are the bits of `mip` (3 software, 7 timer, 11
//! external; on Ibex also 16 to 30, and 31 for the NMI), or PicoRV32's `irq` inputs. Lines 32 to 63 are the inputs of
//! VexRiscv's external interrupt array.
#![forbid(unsafe_code)]

mod code;
mod config;
mod core;
mod cpu;
pub mod csr;
pub mod decode;
mod exception;
mod exec;
mod lower;
mod pipeline;
pub mod pmp;
mod reach;
pub mod timing;
mod touch;
mod trap;

pub use config::{Config, Misaligned, PicoConfig, Privileged, TrapVector, Traps, VexRiscv};
pub use core::Core;
pub use cpu::Cpu;
pub use cyclescope_engine::{Hooks, InstructionSet};
pub use cyclescope_machine::{Retire, Silent, Sink};
pub use exception::{INTERRUPT, PicoIrq};
pub use pipeline::Pipeline;
pub use reach::reach;
pub use trap::{Privilege, Trap};
