//! The interrupt lines as the core sees them, which may be some cycles after they moved.

/// The number of cycles for which past levels are kept.
const LOOK_BACK: u64 = 64;

/// The levels and edges of the lines that the core sees. Edges between two looks are kept for a controller that latches them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    levels: u64,
    /// Rises since they were taken.
    rose: u64,
    /// The coming changes, in order: the cycle at which each is seen, the levels, the rises.
    coming: Vec<(u64, u64, u64)>,
    /// The past levels, in order, each with the cycle at which the next levels were seen.
    past: Vec<(u64, u64)>,
}

impl Lines {
    /// Notes that the levels are `levels` and the lines of `rose` have risen, both seen from the cycle `at` on.
    pub fn change(&mut self, at: u64, levels: u64, rose: u64) {
        self.coming.push((at, levels, rose));
    }

    /// Applies the changes that are seen at the cycle `now`.
    pub fn settle(&mut self, now: u64) {
        while let Some(&(at, levels, rose)) = self.coming.first() {
            if at > now {
                return;
            }
            self.past.retain(|(seen, _)| seen + LOOK_BACK > now);
            self.past.push((at, self.levels));
            self.levels = levels;
            self.rose |= rose;
            self.coming.remove(0);
        }
    }

    /// Returns the cycle of the next change, or `u64::MAX`.
    pub fn next_at(&self) -> u64 {
        self.coming.first().map_or(u64::MAX, |(at, ..)| *at)
    }

    /// Returns the levels, one bit a line.
    #[inline]
    pub fn levels(&self) -> u64 {
        self.levels
    }

    /// Returns the levels as seen at `at`: up to [`LOOK_BACK`] cycles back, and ahead as far as is known.
    pub fn seen_at(&self, at: u64) -> u64 {
        match self.past.iter().find(|(seen, _)| *seen > at) {
            Some((_, before)) => *before,
            None => {
                self.coming.iter().take_while(|(seen, ..)| *seen <= at).last().map_or(self.levels, |coming| coming.1)
            }
        }
    }

    /// Returns the lines that have risen since the last call.
    pub fn take_rose(&mut self) -> u64 {
        std::mem::take(&mut self.rose)
    }
}
