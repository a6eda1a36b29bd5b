//! Outcomes for programs, as docs describe them.

pub mod exec;
pub mod size;
pub mod tasks;
pub mod trace;
