//! Blocks in lowered form, as they stand in a region.

use cyclescope_engine::{After, Micro};

/// A block in lowered form. A region may have several of one block, each for a state in which flash is when it begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The address at which it begins.
    pub pc: u32,
    /// The address at which it goes straight on.
    pub next_pc: u32,
    /// Its static cycles, and the most that it can take.
    pub cycles: u32,
    /// See [`Member::cycles`].
    pub worst_cycles: u32,
    /// The number of its instructions.
    pub count: u32,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The operations where it completes, before its last step writes slots.
    pub completed: Vec<Micro>,
    /// The state that it is for; `None` if any.
    pub start: Option<Start>,
    /// The way out behind its last step.
    pub straight: Exit,
}

/// The state that a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// That of flash.
    pub standing: Standing,
    /// Fetching begins anew with it.
    pub anew: bool,
}

/// The state in which flash would be if it were told of all fetches, or those of which it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Standing {
    /// The number in the region of the set of states. If there are several, a variable has the number of the one in it.
    pub set: u16,
    /// The cycles to be added to those of the set; `None` if a variable has the cycle that they count from.
    pub offset: Option<i64>,
}

/// A state of flash, one of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// The state's number in the region.
    pub state: u16,
    /// The cycles from that from which it is seen to that which the set's count from.
    pub behind: i64,
}

/// A step in lowered form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its operations.
    pub operations: Vec<Micro>,
    /// The way on behind it.
    pub after: After,
    /// Static cycles of the block up to the end of its instruction.
    pub cycles: u32,
    /// Instructions of the block up to it.
    pub count: u32,
    /// The ways of a computed branch that are known, or out of a block by a body.
    pub ways: Vec<Way>,
    /// Its ways out of the block: if it branches, and if not; one for each of `ways`.
    pub exits: Vec<Exit>,
    /// The state of flash before it, if flash is not told of it.
    pub standing: Option<Standing>,
    /// Its dealings with flash.
    pub flash: FlashUse,
    /// It was seen to access something other than main RAM, or to give up: there its body is called, and the region goes on.
    pub falls_back: bool,
    /// Its number, if each time it is carried out it is to write 1 to a place of its own.
    pub noted: Option<usize>,
}

impl Step {
    /// Tells whether a region may go on by its body where it gives up, but does not.
    pub fn may_fall_back(&self) -> bool {
        let gives_up = |operation: &Micro| matches!(operation, Micro::Ram { .. } | Micro::Unless(_));
        !self.falls_back && self.after == After::Next && self.operations.iter().any(gives_up)
    }
}

/// A way out of a block to a place that is computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// The address.
    pub pc: u32,
    /// Cycles beyond static ones.
    pub cycles: u32,
    /// The operations there.
    pub operations: Vec<Micro>,
}

/// A way out of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exit {
    /// The member that it leads to; `None` out of the region.
    pub to: Option<usize>,
    /// The state of flash there, if flash is not told of it.
    pub standing: Option<Standing>,
    /// For each state of the set the number that it has in the set of the member; nothing if they are the same.
    pub renumbered: Vec<u16>,
    /// An observer is told of all runs up to here before the next one.
    pub is_told: bool,
}

/// A number that a region counts for an observer. Cycles are in two's complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// The runs of a member that ended in one way.
    Runs {
        /// The member.
        member: usize,
        /// The instructions that retired.
        instructions: u32,
        /// The counters of the marks that were passed, with the cycles that each counted, where these are known.
        marked: Vec<(u32, u64)>,
        /// The cycles that no mark counted; `None` if the next number has them.
        cycles: Option<u64>,
    },
    /// The cycles of the runs before it that no mark counted.
    Cycles,
    /// The cycles that a mark of a member counted.
    Marked {
        /// The member.
        member: usize,
        /// The counter.
        counter: u32,
    },
}

/// A mark that counts a known number of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownMark {
    /// The member.
    pub member: usize,
    /// The step.
    pub step: usize,
    /// Its counter.
    pub counter: u32,
    /// The cycles.
    pub cycles: u64,
}

/// The dealings of a step with flash, beside reads of a constant that is cached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlashUse {
    /// None.
    #[default]
    None,
    /// The outcome of one has never come: the region is left before the step.
    Unknown,
    /// The same, because it could not be known.
    Never,
    /// It lets cycles pass that are not known: a variable has the cycle from which the state is seen from now on.
    Loosens,
    /// A run of fetches, or a read, that takes a known time.
    Known(Known),
    /// One that takes a time which depends on the state, and on the cycles since the last one if those are not known.
    Sought {
        /// The fewest cycles.
        least: i64,
        /// For each state of the set, and for each of so many cycles if those are not known, the stall with the number of the state
        /// after it in the upper half, or [`NOT_KNOWN`]. It gives up for others.
        outcomes: Vec<u32>,
        /// The cycles for each state.
        width: usize,
        /// The set of states after it.
        after: u16,
        /// The part that is the same for all.
        known: Known,
    },
}

/// In place of an outcome that is not known.
pub const NOT_KNOWN: u32 = u32::MAX;

/// The part of an outcome that code writes down itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// The slots plus one of a large cache that it uses, the first in the last byte.
    pub used: u64,
    /// For a read of data the cycles, without its stall, from the clock to its delivery.
    pub delivered: Option<i64>,
    /// The cycles of the stall, if that is known.
    pub stall: Option<u32>,
}
