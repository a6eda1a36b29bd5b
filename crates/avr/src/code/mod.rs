//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block ends at an instruction that may leave the straight line. Only the last instruction has cycles that depend on data:
//! its branch taken, or its skip made. Code is in flash only.

mod builder;

pub(crate) use builder::Builder;

use crate::cpu::Cpu;

/// A straight run of predecoded instructions.
pub(crate) type Block<P> = cyclescope_engine::Block<Cpu, P>;
