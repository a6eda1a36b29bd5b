//! Compares our cores with independent implementations of the same architectures.
//!
//! [`lockstep`] runs random instruction streams on our core and on libunicorn's (QEMU's code as a library, here in a
//! process of its own) and compares registers, flags and memory. It also checks that our core gives the same results in
//! blocks and in single steps, with and without a sink, cut and whole. [`programs`] runs whole firmware images here and
//! under QEMU's machines and compares their output. [`trace`] compares the addresses of instructions. Functional
//! oracles prove semantics and nothing about cycles, which have tests of their own.
#![forbid(unsafe_code)]

pub mod avr;
mod coverage;
mod defects;
mod difference;
mod error;
pub mod lockstep;
mod map;
mod ours;
mod peer;
pub mod programs;
mod random;
pub mod riscv;
mod run_modes;
mod state;
pub mod stream;
pub mod trace;

pub use coverage::Coverage;
pub use defects::{PeerDefect, defects};
pub use difference::{Difference, Line};
pub use error::OracleError;
pub use ours::config;
pub use peer::Peer;
pub use state::State;
