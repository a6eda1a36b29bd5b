//! The work that every Rust contender does, and the lines in which it reports it.
//!
//! `firmware/README.md` is the contract; this crate is its Rust half, and `workload/c` the C half. The crate knows no
//! runtime: the search takes whatever yield a runtime offers ([`primes::search_yielding`]), the [`report`] whatever
//! channel it writes to, and the clock stays with the contender.

#![no_std]

pub mod markers;
pub mod primes;
pub mod report;

pub use primes::{Findings, WANTED, search, search_yielding};
pub use report::Report;
