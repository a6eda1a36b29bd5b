//! Runs of whole blocks, for an observer that counts instructions and does not look at each.
//!
//! Most of what an instruction takes is known when its block is built, so a block is described once and each run of it told
//! in few words: how many of its instructions retired, and when. Cycles that only data or memory decide fall inside the
//! block; behind each instruction that may have any, the core builds a *mark* into blocks meant for an observer, which adds
//! what passed since the mark before to that instruction's own counter. What is left behind the last mark is the last
//! instruction's. So every cycle is known by instruction, as if each had been told of.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::State;
use crate::units::{Address, Cycles};

/// One instruction of a block, as an observer's catalog lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockInstruction {
    /// The instruction's address.
    pub pc: Address,
    /// Its static cycles: those that depend on neither data nor memory.
    pub cycles: u32,
}

/// One run of a block, which may have been left early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The block, by the number that [`BlockCatalog::add`] gave it.
    pub block: u32,
    /// The number of its instructions that retired, at least 1.
    pub instructions: u32,
    /// The cycle at which the first one began.
    pub began: Cycles,
    /// `began`, later by what all marks of the block have counted in this run.
    pub marked: Cycles,
    /// The cycle at which the last one ended.
    pub end: Cycles,
    /// The stack pointer as the last one began, if that is a call; of no meaning otherwise.
    pub stack_pointer: Address,
}

/// Runs of blocks one after the other, of which only the last one is told in full. They are counted apart
/// ([`BlockCatalog::count`]), perhaps later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The block that ran first.
    pub first: u32,
    /// The last run, but for `began`: the cycle at which the first instruction of all began.
    pub last: Run,
    /// The number of instructions that retired in all of them.
    pub instructions: u64,
}

/// Runs of a block that ended behind the same instruction, or a part of their cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The block.
    pub block: u32,
    /// The number of its instructions that retired in each run, at least 1.
    pub instructions: u32,
    /// The number of runs.
    pub runs: u64,
    /// Their cycles, but for those that marks have counted.
    pub cycles: u64,
    /// The cycles that marks have counted, which are in the counters as well, in two's complement.
    pub marked: u64,
}

/// A number for an edition of a catalog that no other one has. It only tells editions apart.
pub fn new_edition() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An observer's catalog of the blocks that a core has built for it. Cores describe a block once, and then report its runs by
/// number.
pub trait BlockCatalog {
    /// The number of the present edition of the catalog: one of [`new_edition`].
    fn edition(&self) -> u64;
    /// Drops all blocks, since a core has listed others meanwhile, and begins a new edition.
    fn renew(&mut self) -> u64;
    /// Says whether a block that begins at `first` must end before the instruction at `pc`.
    fn splits(&mut self, first: Address, pc: Address) -> bool;
    /// The counter of the instruction at `pc`, for marks.
    fn counter(&mut self, pc: Address) -> u32;
    /// Adds a block of these instructions, at least one, and returns its number.
    fn add(&mut self, code: &[BlockInstruction]) -> u32;
    /// The counters of cycles that marks add to, while anything is to be counted; cores borrow them for a run.
    fn stalls(&mut self) -> Option<&mut Vec<u64>>;
    /// Says whether the observer takes [`Joined`] runs. One that does has [`Self::joins`], [`Self::ran_joined`] and [`Self::count`]
    /// too, and gets these runs there, not by [`Sink::ran`](crate::Sink::ran).
    fn joins_runs(&self) -> bool {
        false
    }
    /// Says whether a run of the block `next` may be joined to a run before it: of `instructions` of the block `block`. The answer holds
    /// for the whole edition.
    fn joins(&mut self, block: u32, instructions: u32, next: u32) -> bool {
        let _ = (block, instructions, next);
        false
    }
    /// Takes joined runs, and the state behind them, unless something is left to be done that belongs to the last instruction. Where
    /// another run follows that was under way, the registers may be further on.
    fn ran_joined(&mut self, joined: Joined, state: Option<State<'_>>) {
        let _ = (joined, state);
    }
    /// Counts runs that were joined to others, before the edition ends and before the run of the core does. The cycles of all that is
    /// counted, with those of marks, are the cycles of the joined runs.
    fn count(&mut self, counted: Counted) {
        let _ = counted;
    }
}
