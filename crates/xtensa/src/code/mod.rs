//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block ends at an instruction that may leave the straight line, but for branches forward under a condition, which leave it when
//! taken; and where a loop may end.

mod builder;
mod loops;

pub(crate) use builder::{Builder, fetch};
pub(crate) use loops::{ends_a_loop, loop_begins};

/// The most results that are pending at a time, and the bits of one.
const MOST: u32 = 4;
const BITS: u32 = u64::BITS / MOST;

/// The results that come only some cycles after the instruction before ended: what the next one may have to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pending {
    /// For each the register's number plus one, and the cycles in the byte above it; zeros for none.
    results: u64,
}

impl Pending {
    /// The place of all of them, of 8 bytes, for compiled code.
    pub(crate) const RESULTS: usize = std::mem::offset_of!(Self, results);

    /// Adds that of `register`, which comes in `cycles`.
    pub(crate) fn add(&mut self, register: u8, cycles: u32) {
        let used = u64::BITS - self.results.leading_zeros();
        let place = used.next_multiple_of(BITS);
        if place < u64::BITS {
            self.results |= (u64::from(cycles as u8) << 8 | u64::from(register + 1)) << place;
        }
    }

    /// All of them: the register and its cycles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        let results = self.results;
        let of = move |number: u32| (results >> (BITS * number)) as u16;
        (0..MOST).map(of).filter(|result| *result != 0).map(|result| (result as u8 - 1, u32::from(result >> 8)))
    }

    /// All of them as a number.
    pub(crate) fn bits(self) -> u64 {
        self.results
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
