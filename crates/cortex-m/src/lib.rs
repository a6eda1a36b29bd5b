//! Cycle-timed Cortex-M cores.
//!
//! Four parts, each in its folder: [`decode`] turns bytes into instructions, `exec` says what they do, `exception` what
//! interrupts them, [`timing`] how long all of it takes. [`Core`] runs them over a
//! [`Bus`](cyclescope_machine::Bus); it knows no chip and no experiment.
//!
//! Armv6-M, Armv7-M and Armv7E-M with single-precision floating point are all here: an architecture is a set of
//! encodings, a core a table of timing rows.
#![forbid(unsafe_code)]

mod address_map;
mod code;
mod core;
mod cpu;
pub mod decode;
mod dsp;
mod exception;
mod exec;
pub mod float;
mod fp;
mod lower;
mod mpu;
mod reach;
mod stacks;
pub mod timing;
mod touch;

pub use core::Core;
pub use cpu::{Config, Cpu, Entry, Fault, FaultKind, Sleep};
pub use cyclescope_engine::{Hooks, InstructionSet};
pub use exception::{
    BUS_FAULT, DEBUG_MONITOR, Dwt, HARD_FAULT, LastFault, MEM_MANAGE, Masks, NMI, Nvic, PEND_SV, SUPERVISOR_CALL,
    SYS_TICK, SysTick, SystemControl, USAGE_FAULT,
};
pub use float::{Fpscr, Rounding};
pub use fp::FpState;
pub use mpu::Mpu;
pub use reach::reach;
