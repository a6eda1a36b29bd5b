//! A second tier: something that runs blocks which have often run, faster than their handlers do.

use std::fmt;

use cyclescope_machine::{Bus, Memory};

use crate::block::Block;
use crate::blocks::Blocks;
use crate::instruction_set::InstructionSet;

/// The number of a region that a tier has made, plus one; none so far, with the times that its first block has run; or never any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// It has run so many times.
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
pub trait Tier<I: InstructionSet, P>: fmt::Debug + Send {
    /// The times that a block runs before a region may begin with it.
    fn threshold(&self) -> u32;
    /// Makes a region that begins with the block `head`; its number, or `None` if there is nothing to gain. Regions of blocks that
    /// have been forgotten ([`Blocks::flushes`]) are never run again.
    fn compile(&mut self, cpu: &I, memory: &Memory, blocks: &Blocks<I, P>, head: usize) -> Option<u32>;
    /// Runs the region `region`, whose first block fits before the horizon, until it must be left: at the program counter.
    fn run(&mut self, region: u32, cpu: &mut I, bus: &mut Bus<P>, blocks: &Blocks<I, P>) -> Left<I::Exit>;
    /// One for a copy of the core, whose blocks and regions have the same numbers.
    fn copy(&self) -> Box<dyn Tier<I, P>>;
}

/// A tier, if there is one.
#[derive(Debug)]
pub(crate) struct Tiers<I: InstructionSet, P>(pub(crate) Option<Box<dyn Tier<I, P>>>);

impl<I: InstructionSet, P> Clone for Tiers<I, P> {
    fn clone(&self) -> Self {
        Self(self.0.as_ref().map(|tier| tier.copy()))
    }
}

impl<I: InstructionSet, P> Block<I, P> {
    /// The blocks that followed it before, the latest first.
    pub fn followers(&self) -> impl Iterator<Item = usize> {
        self.successors.all()
    }
}
