//! Cycle-timed AVR cores of the ATmega family (AVRe+).
//!
//! Four parts, each in its folder: [`decode`] turns words of flash into instructions, `exec` says what they do,
//! `exception` what interrupts them and how they sleep, [`timing`] how long all of it takes. [`Core`] runs them over a
//! [`Bus`](cyclescope_machine::Bus); it knows no chip and no experiment.
//!
//! Addresses are bytes. Flash is at 0; the data space (registers, I/O, SRAM) is at [`DATA_SPACE`], as in AVR's ELF files.
#![forbid(unsafe_code)]

mod code;
mod core;
mod cpu;
mod data;
pub mod decode;
mod exception;
mod exec;
mod hooks;
mod lower;
pub mod timing;
mod touch;

pub use core::Core;
pub use cpu::{Config, Cpu, DATA_SPACE, StackOverrun};
pub use cyclescope_engine::{Hooks, InstructionSet};
pub use cyclescope_machine::{Retire, Silent, Sink};
pub use hooks::{AvrPeripherals, StoreProgram};
