//! Oracles: implementations of the same architecture by other hands, asked whether they agree.
//!
//! [`lockstep`] runs random instruction streams on our core and on libunicorn's (QEMU's code as a library, a process of
//! its own here) and compares registers, flags and memory; on the way it checks that our core does the same whether it
//! runs blocks or single instructions, watched or not, cut or whole. [`programs`] runs whole firmware images here and
//! under QEMU's machines and compares what they print; [`trace`] compares where each instruction is. Functional oracles prove semantics and say nothing about
//! cycles; those have tests of their own.
#![forbid(unsafe_code)]

pub mod avr;
mod coverage;
mod difference;
mod error;
mod known;
pub mod lockstep;
mod map;
mod ours;
mod peer;
pub mod programs;
mod random;
pub mod riscv;
mod state;
pub mod stream;
pub mod trace;
mod ways;

pub use coverage::Coverage;
pub use difference::{Difference, Line};
pub use error::OracleError;
pub use known::{Known, known};
pub use ours::config;
pub use peer::Peer;
pub use state::State;
