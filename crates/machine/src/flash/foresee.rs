//! The outcomes of fetches before they are made, for code that is made for the states in which they are.
//!
//! Such code keeps the state in which it leaves the interface to itself, with the cycle from which it is seen, and the interface
//! takes it up ([`FlashInterface::resume`]) where the code is left.

use std::mem::offset_of;
use std::ops::Range;

use super::FlashInterface;
use super::recall::{READ, State};

/// A state of the interface, without the cycle from which it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Standing(State);

/// The outcome of a run of fetches or of a read of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Foreseen {
    /// The cycles that it stalls.
    pub stall: u32,
    /// The cycles from the beginning of its block to the cycle from which the state after it is seen.
    pub until: u32,
    /// The slots plus one of a large cache that it uses, the first in the last byte.
    pub used: u64,
    /// The number of the state after it.
    pub number: u64,
    /// That state.
    pub standing: Standing,
}

impl FlashInterface {
    /// The number under which reads of data are recalled.
    pub const READ: u32 = READ;

    /// The offsets of the fields that code reads and writes itself: the state's number and the cycle from which it is seen; the count
    /// of uses of lines, and the last use of each slot, the first of which is none; the cycle in which the latest read of data was
    /// delivered, all of 8 bytes; and its stall, of 4.
    pub const FIELDS: [usize; 6] = [
        Self::NUMBER,
        Self::SINCE,
        offset_of!(Self, instructions.uses),
        offset_of!(Self, instructions.used),
        offset_of!(Self, delivered),
        offset_of!(Self, stalled),
    ];

    /// The number that its numbers of states belong to: where it is another, they mean nothing.
    pub fn numbering(&self) -> u64 {
        self.recall.numbering()
    }

    /// The number of its state, the state, and the cycle from which it is seen; `None` if it has no number.
    pub fn standing(&self) -> Option<(u64, Standing, u64)> {
        let (number, since) = self.recall.numbered()?;
        Some((number, Standing(self.state()), since))
    }

    /// The outcome of the fetches `run` in the state with this number, `passed` cycles after that from which it is seen, if it is
    /// known. Fetching begins `anew` with them if so.
    pub fn foresee(&self, number: u64, passed: i64, run: u32, anew: bool) -> Option<Foreseen> {
        let since = (passed as u64).wrapping_mul(2) | u64::from(anew);
        let (outcome, after) = self.recall.find(number, since, run)?;
        Some(Foreseen {
            stall: outcome.stall(),
            until: outcome.until(),
            used: outcome.used(),
            number: outcome.number_after(),
            standing: Standing(after),
        })
    }

    /// The outcomes that are known of `run` in that state for these cycles `passed`.
    pub fn foresee_all(&self, number: u64, passed: Range<i64>, run: u32, anew: bool) -> Vec<(i64, Foreseen)> {
        passed.filter_map(|passed| Some((passed, self.foresee(number, passed, run, anew)?))).collect()
    }

    /// Tells whether a large cache has the same contents as in the state `standing`, which else does not come again.
    pub fn has_contents_of(&self, standing: &Standing) -> bool {
        standing.0.contents() == self.instructions.contents
    }

    /// The number of the state `standing`.
    pub fn number_of(&mut self, standing: &Standing) -> u64 {
        self.recall.number_of(standing.0)
    }

    /// Is in the state `standing`, which has this number, seen from the cycle `since`.
    pub fn resume(&mut self, standing: &Standing, number: u64, since: u64) {
        self.take_up(standing.0, number, since);
    }

    /// The number of its state, and the cycle from which that is seen; `None` if it has no number.
    pub fn seen(&self) -> Option<(u64, u64)> {
        self.recall.numbered()
    }

    /// Tells whether data at `offset` is cached, which then counts as used last: to read it stalls nobody.
    pub fn caches_data(&mut self, offset: u32) -> bool {
        let line = self.line(offset);
        if self.timing.shared_sets > 0 { self.instructions.hold::<true>(line) } else { self.hits_data(line) }
    }

    /// Tells whether there is a cache that keeps data.
    pub fn has_data_cache(&self) -> bool {
        self.timing.shared_sets > 0 || self.timing.data_lines > 0
    }
}
