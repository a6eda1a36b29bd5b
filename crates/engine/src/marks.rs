//! Cycles that only data or memory decide, counted inside a block for an observer.

use cyclescope_machine::BlockCatalog;

/// The marks in the block that runs. Each counts the cycles that passed since the mark before it beside the static ones.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The cycle in which the block began, later by what its marks have counted.
    at: u64,
    /// The cycle in which the last instruction that retired ended, if the block was left by one that did not.
    ended: Option<u64>,
    stalls: Vec<u64>,
    /// Tells that `stalls` are an observer's.
    lent: bool,
}

impl Marks {
    /// A block begins at the cycle `now`.
    #[inline(always)]
    pub fn begin(&mut self, now: u64) {
        self.at = now;
        self.ended = None;
    }

    /// The mark of the counter `counter` is passed. The clock stands at `now`, static cycles of the block left out.
    #[inline(always)]
    pub fn pass(&mut self, counter: u32, now: u64) {
        let stall = now.wrapping_sub(self.at);
        self.at = now;
        match self.stalls.get_mut(counter as usize) {
            Some(cycles) => *cycles = cycles.wrapping_add(stall),
            None => self.begin_counting(counter, stall),
        }
    }

    #[cold]
    fn begin_counting(&mut self, counter: u32, stall: u64) {
        if self.lent {
            self.stalls.resize(counter as usize + 1, 0);
            self.stalls[counter as usize] = stall;
        }
    }

    /// The block that runs goes on, with the last mark passed at `at` ([`Marks::at`]).
    pub fn resume(&mut self, at: u64) {
        self.at = at;
        self.ended = None;
    }

    /// Marks of the counter `counter` were passed that count so many cycles.
    pub fn add(&mut self, counter: u32, cycles: u64) {
        match self.stalls.get_mut(counter as usize) {
            Some(counted) => *counted = counted.wrapping_add(cycles),
            None => self.begin_counting(counter, cycles),
        }
    }

    /// The cycle in which the block began, later by what its marks have counted.
    #[inline(always)]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The block is left by an instruction that does not retire; `before` static cycles of the block come before it.
    pub fn cut(&mut self, before: u32) {
        self.ended = Some(self.at.wrapping_add(u64::from(before)));
    }

    /// The cycle in which the last instruction that retired ended, if the block was left by one that did not.
    #[inline(always)]
    pub fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// Lends the counters of `catalog` to the core, or takes them back.
    pub fn exchange(&mut self, catalog: Option<&mut dyn BlockCatalog>) {
        if let Some(stalls) = catalog.and_then(BlockCatalog::stalls) {
            std::mem::swap(&mut self.stalls, stalls);
            self.lent = !self.lent;
        }
    }
}
