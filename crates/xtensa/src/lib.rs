//! Cycle-timed Xtensa cores: the LX106 of the ESP8266 and the LX6 of the ESP32.
//!
//! Five parts, each in its folder: [`decode`] turns bytes into instructions, `exec` says what they do, `exception` what
//! interrupts them, [`timing`] how long all of it takes, and `lower` what compiled code does in place of `exec`; beside them
//! [`config`] (which options a core was generated with) and [`special`] (which registers follow from them). [`Core`] runs them
//! over a [`Bus`](cyclescope_machine::Bus); it knows no chip and no experiment.
//!
//! Lines of [`InterruptLines`](cyclescope_machine::InterruptLines) 0 to 31 are the inputs of the core's interrupts of those
//! numbers. Timers' and software's interrupts have none.
//!
//! Source: Xtensa Instruction Set Architecture Reference Manual, RC-2010.1.
#![forbid(unsafe_code)]

mod code;
pub mod config;
mod core;
mod cpu;
pub mod decode;
mod exception;
mod exec;
mod fault;
mod float;
mod lower;
mod ps;
pub mod special;
pub mod timing;
mod touch;
mod windows;

pub use config::{Config, Configuration, InterruptKind, LX6, LX106, Options, Vectors};
pub use core::Core;
pub use cpu::Cpu;
pub use cyclescope_engine::{Hooks, InstructionSet};
pub use cyclescope_machine::{Retire, Silent, Sink};
pub use exception::{DEBUG_EXCEPTION, INTERRUPT, WINDOW_EXCEPTIONS};
pub use fault::{Cause, Fault};
pub use float::Fcsr;
pub use ps::Ps;
