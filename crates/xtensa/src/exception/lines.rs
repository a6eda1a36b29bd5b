//! The interrupt lines as the core sees them, which may be some cycles after they moved.

use std::collections::VecDeque;

/// The levels of the lines that the core sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    levels: u32,
    /// The coming changes, in order: the cycle at which each is seen, the levels, the rises.
    coming: VecDeque<(u64, u32, u32)>,
}

impl Lines {
    /// The place of the levels, of 4 bytes, for compiled code.
    pub const LEVELS: usize = std::mem::offset_of!(Self, levels);

    /// Notes that the levels are `levels` and the lines of `rose` have risen, both seen from the cycle `at` on.
    pub fn change(&mut self, at: u64, levels: u32, rose: u32) {
        self.coming.push_back((at, levels, rose));
    }

    /// Applies the changes that are seen at the cycle `now`. Returns the lines that have risen.
    pub fn settle(&mut self, now: u64) -> u32 {
        let mut risen = 0;
        while let Some(&(at, levels, rose)) = self.coming.front() {
            if at > now {
                break;
            }
            self.levels = levels;
            risen |= rose;
            self.coming.pop_front();
        }
        risen
    }

    /// Returns the cycle of the next change, or `u64::MAX`.
    pub fn next_at(&self) -> u64 {
        self.coming.front().map_or(u64::MAX, |(at, ..)| *at)
    }

    /// Returns the levels, one bit a line.
    pub fn levels(&self) -> u32 {
        self.levels
    }
}
