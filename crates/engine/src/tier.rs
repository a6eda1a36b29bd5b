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
    /// It begins this region.
    Region(u32),
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

/// Runs regions of blocks as the interpreter would: the same state, the same cycles, the same use of the bus.
pub trait Tier<I: InstructionSet, P>: fmt::Debug + Send + Sync {
    /// The instructions that a block retires before a region may begin with it.
    fn threshold(&self) -> u32;
    /// Makes a region that begins with the block `head`; its number, or `None` if there is nothing to gain. Regions of blocks that
    /// have been forgotten ([`Blocks::flushes`]) are never run again.
    fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &Blocks<I, P>, head: usize) -> Option<u32>;
    /// Runs the region `region`, whose first block fits before the horizon, until it must be left: at the program counter.
    fn run(&mut self, region: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Left<I::Exit>;
    /// One for a copy of the core, whose blocks and regions have the same numbers.
    fn copy(&self) -> Box<dyn Tier<I, P>>;
}

/// The tiers beside the interpreter: one at most.
#[derive(Debug)]
pub(crate) struct Tiers<I: InstructionSet, P> {
    pub(crate) second: Option<Box<dyn Tier<I, P>>>,
    /// Its [`Tier::threshold`], as it is at the moment.
    pub(crate) threshold: u32,
}

impl<I: InstructionSet, P> Tiers<I, P> {
    /// With this one.
    pub(crate) fn new(second: Option<Box<dyn Tier<I, P>>>) -> Self {
        let threshold = second.as_ref().map_or(0, |tier| tier.threshold());
        Self { second, threshold }
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
