//! Whole blocks as they run, for an observer that counts instructions and does not look at each.
//!
//! Most of what an instruction takes is known when its block is built, so a block is described once and each run of it told
//! in few words: how many of its instructions retired, and when. Cycles that only data or memory decide fall inside the
//! block; behind each instruction that may have any, the core builds a *mark* into blocks meant for an observer, which adds
//! what passed since the mark before to that instruction's own counter. What is left behind the last mark is the last
//! instruction's. So every cycle is known by instruction, as if each had been told of.

use cyclescope_units::{Address, Cycles};

/// One instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Where it is.
    pub pc: Address,
    /// The cycles that it takes whatever the data and the memory.
    pub cycles: u32,
}

/// One run of a block, which may have been left early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The block, by the number that [`Layout::block`] gave it.
    pub block: u32,
    /// How many of its instructions retired; at least 1.
    pub instructions: u32,
    /// When the first one began.
    pub began: Cycles,
    /// `began`, later by what all marks of the block have counted in this run.
    pub marked: Cycles,
    /// When the last one ended.
    pub end: Cycles,
    /// The stack pointer as the last one began, if that is a call; of no meaning otherwise.
    pub stack_pointer: Address,
}

/// Describes blocks to an observer that is to be told of their runs.
pub trait Layout {
    /// The number of the set of blocks that it knows.
    fn number(&self) -> u64;
    /// Forgets them, since a core has, and begins another set under a number that no other set ever had.
    fn renew(&mut self) -> u64;
    /// Whether a block that begins at `first` must end before the instruction at `pc`.
    fn parts(&mut self, first: Address, pc: Address) -> bool;
    /// The counter of the instruction at `pc`, for marks.
    fn counter(&mut self, pc: Address) -> u32;
    /// A block of these instructions was built; its number. It has at least one.
    fn block(&mut self, code: &[Laid]) -> u32;
    /// The counters of cycles that marks add to, while anything is to be counted; cores borrow them for a run.
    fn stalls(&mut self) -> Option<&mut Vec<u64>>;
}

/// A core's side of the marks in the block that runs.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// When the block began, later by what its marks have counted.
    at: u64,
    /// When the last instruction that retired ended, if the block was left by one that did not.
    ended: Option<u64>,
    stalls: Vec<u64>,
    /// Whether `stalls` are an observer's.
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

    /// When the block began, later by what its marks have counted.
    #[inline(always)]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The block is left by an instruction that does not retire; `before` static cycles of the block come before it.
    pub fn cut(&mut self, before: u32) {
        self.ended = Some(self.at.wrapping_add(u64::from(before)));
    }

    /// When the last instruction that retired ended, if the block was left by one that did not.
    #[inline(always)]
    pub fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// Lends the counters of `layout` to the core, or takes them back.
    pub fn exchange(&mut self, layout: Option<&mut dyn Layout>) {
        if let Some(stalls) = layout.and_then(Layout::stalls) {
            std::mem::swap(&mut self.stalls, stalls);
            self.lent = !self.lent;
        }
    }
}
