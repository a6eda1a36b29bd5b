//! A second tier: something that runs blocks which have often run, faster than their handlers do.

use std::fmt;

use cyclescope_machine::{BlockCatalog, Bus, Memory};

use crate::block::Block;
use crate::blocks::Blocks;
use crate::instruction_set::InstructionSet;
use crate::marks::Marks;

/// The use that a second tier makes of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// The interpreter has carried out so many instructions of it.
    Runs(u32),
    /// The same, and the tier is to be asked about it when it runs again: the ways from its end are known then.
    Due(u32),
    /// Its region is entered here.
    Entry(u32),
    /// The same, and the tier is to be asked for another region that begins with it: for other states, or one that knows more.
    Again(u32),
    /// It begins none.
    #[default]
    Never,
}

/// The way in which a region was left.
#[derive(Clone, Copy, Debug)]
pub struct Left<E> {
    /// The block that ran last.
    pub last: usize,
    /// Its exit, unless a rest of it is to be carried out.
    pub exit: E,
    /// The rest of it that is to be carried out.
    pub rest: Option<RestOfBlock>,
    /// The use of the block at which it was entered from now on.
    pub then: Then,
}

/// The rest of a block in which a region was left.
#[derive(Clone, Copy, Debug)]
pub struct RestOfBlock {
    /// The step that comes next.
    pub from: usize,
    /// The cycle at which the block began, if it is observed. Its marks say what they have counted since.
    pub began: u64,
}

/// The use that a tier makes of a block at which it has entered regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The same.
    Stays,
    /// The same, and it is to be asked for another region there: see [`Heat::Again`].
    Again,
    /// None: what it costs to enter and leave regions there is more than what they gain.
    Never,
}

/// The result of entering a region.
#[derive(Clone, Copy, Debug)]
pub enum Ran<E> {
    /// It ran, and was left.
    Left(Left<E>),
    /// Nothing was done: the horizon is too near for the region, though perhaps not for the block.
    Late,
    /// Nothing was done: no region is for the state that the core and its bus are in.
    Elsewhere,
}

/// A region that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its blocks.
    pub members: Vec<usize>,
    /// Those at which it is entered from now on, with the numbers of these entries.
    pub entries: Vec<(usize, u32)>,
}

/// The decision of a tier that is asked for a region.
#[derive(Clone, Debug)]
pub enum Decision {
    /// It has made one.
    Made(Made),
    /// To make one would take longer by now than the interpreter has taken for what would be in it.
    Later,
    /// There is nothing to gain.
    Never,
}

impl Then {
    /// The heat of a block at which the entry `entry` was tried.
    pub(crate) fn heat(self, entry: u32) -> Heat {
        match self {
            Self::Stays => Heat::Entry(entry),
            Self::Again => Heat::Again(entry),
            Self::Never => Heat::Never,
        }
    }
}

/// Runs regions of blocks as the interpreter would: the same state, the same cycles, the same use of the bus.
pub trait Tier<I: InstructionSet, P>: fmt::Debug + Send + Sync {
    /// The instructions of a block that the interpreter carries out from one question for a region that begins with it to the next,
    /// as a power of two.
    fn period(&self) -> u32;
    /// Makes a region that begins with the block `head`. Regions of blocks that have been forgotten ([`Blocks::flushes`]) are never
    /// run again.
    fn compile(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        head: usize,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Decision;
    /// Enters a region at its entry `entry` and runs it until it must be left: at the program counter, or with a rest of a block to be
    /// carried out. An `observer` gets joined runs.
    fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Ran<I::Exit>;
    /// Counts all runs that were joined since the last call for `observer`, and the cycles that their marks have counted in `marks`.
    fn count(&mut self, marks: &mut Marks, observer: &mut dyn BlockCatalog) {
        let _ = (marks, observer);
    }
    /// Notes that the interpreter has carried out so many instructions of a block because no region that is entered there is for its
    /// state.
    fn missed(&mut self, entry: u32, instructions: u32) -> Then {
        let _ = (entry, instructions);
        Then::Stays
    }
    /// One for a copy of the core, whose blocks and regions have the same numbers.
    fn copy(&self) -> Box<dyn Tier<I, P>>;
}

/// The instructions that the interpreter carries out in the time in which a region is entered and left.
pub const ENTERED: u32 = 80;

/// The tiers beside the interpreter: one at most.
#[derive(Debug)]
pub(crate) struct Tiers<I: InstructionSet, P> {
    pub(crate) second: Option<Box<dyn Tier<I, P>>>,
    /// Its [`Tier::period`].
    period: u32,
    /// Instructions to be added to those of the next block that the interpreter carries out and counts: a region was left before it.
    surcharge: u32,
}

impl<I: InstructionSet, P> Tiers<I, P> {
    /// With this one.
    pub(crate) fn new(second: Option<Box<dyn Tier<I, P>>>) -> Self {
        let period = second.as_ref().map_or(0, |tier| tier.period());
        Self { second, period, surcharge: 0 }
    }

    /// See [`Tier::run`].
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Ran<I::Exit> {
        let Some(second) = &mut self.second else { return Ran::Elsewhere };
        let ran = second.run(entry, cpu, bus, blocks, observer);
        if let Ran::Left(_) = ran {
            self.surcharge = ENTERED;
        }
        ran
    }

    /// See [`Tier::missed`].
    #[inline(always)]
    pub(crate) fn missed(&mut self, entry: u32, instructions: u32) -> Then {
        self.second.as_mut().map_or(Then::Never, |tier| tier.missed(entry, instructions))
    }

    /// The heat of a block of `count` instructions that the interpreter has carried out, and of which it had carried out `runs`
    /// before.
    #[inline(always)]
    pub(crate) fn interpreted(&mut self, runs: u32, count: u32) -> Heat {
        let sum = runs.saturating_add(count).saturating_add(std::mem::take(&mut self.surcharge));
        if (runs ^ sum) >> self.period == 0 { Heat::Runs(sum) } else { Heat::Due(sum) }
    }

    /// Asks for a region of the block `head` and what follows.
    #[cold]
    pub(crate) fn compile(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &mut Blocks<I, P>,
        head: usize,
        observer: Option<&mut dyn BlockCatalog>,
    ) {
        let Some(tier) = &mut self.second else { return };
        let decision = tier.compile(cpu, memory, blocks, head, observer);
        let heat = &mut blocks.get_mut(head).heat;
        *heat = match (*heat, &decision) {
            (Heat::Again(entry), _) => Heat::Entry(entry),
            (Heat::Due(runs), Decision::Later) => Heat::Runs(runs),
            _ => Heat::Never,
        };
        let Decision::Made(Made { members, entries }) = decision else { return };
        for member in members {
            let heat = &mut blocks.get_mut(member).heat;
            if let Heat::Runs(_) | Heat::Due(_) = heat {
                *heat = Heat::Runs(0);
            }
        }
        for (member, entry) in entries {
            blocks.get_mut(member).heat = Heat::Entry(entry);
        }
    }
}

impl<I: InstructionSet, P> Clone for Tiers<I, P> {
    fn clone(&self) -> Self {
        Self { second: self.second.as_ref().map(|tier| tier.copy()), ..*self }
    }
}

impl<I: InstructionSet, P> Block<I, P> {
    /// The blocks that followed it before, the latest first.
    pub fn followers(&self) -> impl Iterator<Item = usize> {
        self.successors.all()
    }
}
