//! Cycle-timed Cortex-M cores.
//!
//! Four parts, each in its folder: [`decode`] turns bytes into instructions, `exec` says what they do, `exception` what
//! interrupts them, [`timing`] how long all of it takes. [`Core`] runs them over a
//! [`Bus`](cyclescope_machine::Bus); it knows no chip and no experiment.
//!
//! Armv6-M is complete here; Armv7-M and Armv7E-M join as encodings, bodies and timing rows beside it.
#![forbid(unsafe_code)]

mod code;
mod core;
mod cpu;
pub mod decode;
mod dsp;
mod exception;
mod exec;
mod float;
mod semihosting;
pub mod timing;

pub use core::{Core, Retire, Silent, Sink};
pub use cpu::{Config, Cpu, Fault, Sleep};
pub use exception::{HARD_FAULT, NMI, Nvic, PEND_SV, SUPERVISOR_CALL, SYS_TICK, SysTick, SystemControl};
