//! The interrupt lines as the core sees them, which may be some cycles after they moved.

/// For how many cycles what was is remembered.
const LOOK_BACK: u64 = 64;

/// What the core sees of its lines. Edges between two looks are kept for a controller that latches them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    levels: u64,
    /// Rises since they were taken.
    rose: u64,
    /// What comes next, and when it is seen; in order.
    coming: Vec<(u64, u64, u64)>,
    /// What was before the last changes, and when each was seen; in order.
    past: Vec<(u64, u64)>,
}

impl Lines {
    /// The levels are `levels`, and the lines of `rose` have risen, seen from the cycle `at` on.
    pub fn change(&mut self, at: u64, levels: u64, rose: u64) {
        self.coming.push((at, levels, rose));
    }

    /// It is the cycle `now`.
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

    /// When something moves next.
    pub fn next_at(&self) -> u64 {
        self.coming.first().map_or(u64::MAX, |(at, ..)| *at)
    }

    /// What is high.
    #[inline]
    pub fn levels(&self) -> u64 {
        self.levels
    }

    /// What is high as seen at `at`: up to [`LOOK_BACK`] cycles back, and ahead as far as is known.
    pub fn seen_at(&self, at: u64) -> u64 {
        match self.past.iter().find(|(seen, _)| *seen > at) {
            Some((_, before)) => *before,
            None => {
                self.coming.iter().take_while(|(seen, ..)| *seen <= at).last().map_or(self.levels, |coming| coming.1)
            }
        }
    }

    /// What has risen since the last call.
    pub fn take_rose(&mut self) -> u64 {
        std::mem::take(&mut self.rose)
    }
}
