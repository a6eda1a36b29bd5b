//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block ends at an instruction that may leave the straight line, and behind one at whose end the core has nothing to
//! execute.

mod builder;

pub(crate) use builder::Builder;

use crate::cpu::After;

/// The ways in which a block may end.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The cycles that are added when the branch that ends it is taken.
    pub(crate) taken: u32,
    /// The state that its last instruction leaves behind.
    pub(crate) straight: After,
    /// The same where that is a branch that is taken. PicoRV32 has decoded what stands behind the branch by then.
    pub(crate) branches: After,
}

/// The facts of an instruction beside its operation.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// Its bits, as mtval shows them.
    pub(crate) bits: u32,
    /// See [`Ends::taken`].
    pub(crate) taken: u32,
    /// See [`Ends::branches`].
    pub(crate) branches: After,
}
