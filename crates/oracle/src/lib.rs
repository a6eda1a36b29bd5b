//! Compares our cores with independent implementations of the same architectures.
//!
//! [`lockstep`] runs random programs on our core and on a peer, another implementation in a process of its own, and
//! compares registers, flags and memory. An instruction set brings a [`lockstep::World`]: [`arm`] with libunicorn,
//! [`avr`] with simavr. [`riscv`] compares with QEMU, and by cycles with the cores' own Verilog, [`pio`] the
//! RP2040's state machines with an emulator of them. [`xtensa`] compares with QEMU. [`programs`] runs whole
//! firmware images here and under QEMU's machines and compares their output, [`boards`] small programs for the devices of
//! QEMU's STM32 boards. [`trace`] compares the addresses of
//! instructions. Functional oracles prove semantics and nothing about cycles, which have tests of their own.
#![forbid(unsafe_code)]

pub mod arm;
pub mod avr;
pub mod boards;
mod error;
mod hash;
pub mod lockstep;
mod lowered;
pub mod pio;
mod process;
pub mod programs;
mod qemu;
mod random;
pub mod report;
pub mod riscv;
pub mod rp2040;
mod run_modes;
pub mod trace;
pub mod xtensa;

pub use error::OracleError;
pub use lowered::LoweredOperations;
pub use qemu::Compared;
pub use report::{Report, Tally};
pub use run_modes::RunMode;
