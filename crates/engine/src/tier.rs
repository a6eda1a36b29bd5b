//! A second tier: something that runs blocks which have often run, faster than their handlers do.

use std::fmt;

use cyclescope_machine::{Bus, Memory};

use crate::block::Block;
use crate::blocks::Blocks;
use crate::instruction_set::InstructionSet;

/// The use that a second tier makes of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// So many instructions of it have run.
    Runs(u32),
    /// Its region is entered here.
    Entry(u32),
    /// It begins none.
    #[default]
    Never,
}

/// The way in which a region was left.
#[derive(Clone, Copy, Debug)]
pub struct Left<E> {
    /// The block that ran last.
    pub last: usize,
    /// Its exit.
    pub exit: E,
}

/// A region that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its blocks.
    pub members: Vec<usize>,
    /// Those at which it is entered, the first one first, with the numbers of these entries.
    pub entries: Vec<(usize, u32)>,
}

/// Runs regions of blocks as the interpreter would: the same state, the same cycles, the same use of the bus.
pub trait Tier<I: InstructionSet, P>: fmt::Debug + Send + Sync {
    /// The instructions that the interpreter carries out before a region is made, and from one to the next: of that block
    /// [an eighth](OWN_SHARE).
    fn threshold(&self) -> u32;
    /// Makes a region that begins with the block `head`; `None` if there is nothing to gain. Regions of blocks that have been
    /// forgotten ([`Blocks::flushes`]) are never run again.
    fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &Blocks<I, P>, head: usize) -> Option<Made>;
    /// Enters a region at its entry `entry` and runs it until it must be left: at the program counter. `None` if nothing was done,
    /// because the horizon is too near for the region, though perhaps not for the block.
    fn run(&mut self, entry: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Option<Left<I::Exit>>;
    /// One for a copy of the core, whose blocks and regions have the same numbers.
    fn copy(&self) -> Box<dyn Tier<I, P>>;
}

/// The share of the [threshold](Tier::threshold) that the block which begins a region has retired itself.
pub const OWN_SHARE: u32 = 8;

/// The tiers beside the interpreter: one at most.
#[derive(Debug)]
pub(crate) struct Tiers<I: InstructionSet, P> {
    pub(crate) second: Option<Box<dyn Tier<I, P>>>,
    /// Its [`Tier::threshold`], as it is at the moment.
    threshold: u32,
    /// The instructions that the interpreter has carried out since the last region was made.
    interpreted: u64,
}

impl<I: InstructionSet, P> Tiers<I, P> {
    /// With this one.
    pub(crate) fn new(second: Option<Box<dyn Tier<I, P>>>) -> Self {
        let threshold = second.as_ref().map_or(0, |tier| tier.threshold());
        Self { second, threshold, interpreted: 0 }
    }

    /// See [`Tier::run`].
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
    ) -> Option<Left<I::Exit>> {
        self.second.as_mut()?.run(entry, cpu, bus, blocks)
    }

    /// Tells whether a block that has retired `runs` instructions is to be compiled: once it has run, and is known by what follows.
    #[inline(always)]
    pub(crate) fn is_to_compile(&self, runs: u32) -> bool {
        runs >= (self.threshold / OWN_SHARE).max(1) && self.interpreted >= u64::from(self.threshold)
    }

    /// The interpreter has carried out a block of `count` instructions, which has retired `runs` before; its heat.
    #[inline(always)]
    pub(crate) fn interpreted(&mut self, runs: u32, count: u32) -> Heat {
        self.interpreted += u64::from(count);
        Heat::Runs(runs.saturating_add(count))
    }

    /// The block `head` has run often enough: a region is made of it and what follows. What follows has to run half as often again
    /// to begin one of its own.
    #[cold]
    pub(crate) fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &mut Blocks<I, P>, head: usize) {
        let Some(tier) = &mut self.second else { return };
        let made = tier.compile(cpu, memory, blocks, head);
        (self.threshold, self.interpreted) = (tier.threshold(), 0);
        blocks.get_mut(head).heat = Heat::Never;
        let Some(Made { members, entries }) = made else { return };
        for member in members {
            let heat = &mut blocks.get_mut(member).heat;
            if let Heat::Runs(_) = heat {
                *heat = Heat::Runs(self.threshold / OWN_SHARE / 2);
            }
        }
        for (number, (member, entry)) in entries.into_iter().enumerate() {
            let heat = &mut blocks.get_mut(member).heat;
            // A loop inside has its own region if it was there first.
            if number == 0 || !matches!(heat, Heat::Entry(_)) {
                *heat = Heat::Entry(entry);
            }
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
