//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block ends at an instruction that may leave the straight line, but for branches forward under a condition, which leave it when
//! taken; and where a loop may end.

mod builder;
mod loops;

pub(crate) use builder::{Builder, fetch};
pub(crate) use loops::ends_a_loop;

/// The most results that are pending at a time.
const MOST: usize = 4;

/// The results that come only some cycles after the instruction before ended: what the next one may have to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pending {
    /// By register: its number plus one, and the cycles; zeros for none.
    results: [(u8, u8); MOST],
}

impl Pending {
    /// Adds that of `register`, which comes in `cycles`.
    pub(crate) fn add(&mut self, register: u8, cycles: u32) {
        if let Some(free) = self.results.iter_mut().find(|result| result.0 == 0) {
            *free = (register + 1, cycles as u8);
        }
    }

    /// All of them: the register and its cycles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        self.results.iter().filter(|result| result.0 != 0).map(|(number, cycles)| (number - 1, u32::from(*cycles)))
    }
}

/// The ways in which a block may end.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The results that the instruction behind it may have to wait for. Behind a jump there are none: it takes longer than any.
    pub(crate) pending: Pending,
    /// There are some.
    pub(crate) waits: bool,
}

/// An instruction's results, where a block is left behind it.
#[derive(Clone, Copy, Debug)]
pub struct After {
    /// See [`Ends::pending`].
    pub(crate) pending: Pending,
    /// The cycles that are added if it is a branch that is taken.
    pub(crate) taken: u32,
}
