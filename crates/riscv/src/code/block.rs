//! A straight run of predecoded instructions, and what must be known to leave it early.

use cyclescope_machine::{self as machine, Successors};

use crate::cpu::After;
use crate::exec::Step;

/// What the executor needs of an instruction only when it leaves the straight path.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where the instruction stands.
    pub pc: u32,
    /// Where the next one stands.
    pub next_pc: u32,
    /// The instruction itself, as mtval shows it.
    pub bits: u32,
    /// Static cycles of the block before it.
    pub before: u32,
    /// Its own static cycles.
    pub cycles: u32,
    /// Instructions of the block before it.
    pub index: u32,
}

/// A straight run of predecoded instructions.
#[derive(Clone, Debug)]
pub struct Block<P> {
    /// The instructions.
    pub steps: Box<[Step<P>]>,
    /// For each of `steps`, its place; for a mark, that of the instruction before it.
    pub places: Box<[Place]>,
    /// Where the first one stands.
    pub pc: u32,
    /// Where control goes when the block ends without a branch.
    pub next_pc: u32,
    /// Static cycles of the whole block.
    pub cycles: u32,
    /// What is added when the branch that ends it is taken.
    pub taken: u32,
    /// The most it can take, with its branch taken and every access and division at its worst.
    pub worst_cycles: u32,
    /// Instructions in it.
    pub count: u32,
    /// What its last instruction leaves behind.
    pub ends: After,
    /// The same where that is a branch that is taken. PicoRV32 has decoded what stands behind the branch by then.
    pub branches: After,
    /// What it was checked under to run unchecked: [`WATCHED`], or what the PMP's settings and the mode come to.
    pub key: u32,
    /// Which blocks followed it before.
    pub successors: Successors,
    /// Its number in an observer's layout, if it was built with marks for one.
    pub number: u32,
}

/// The key of a block that begins at a watched address: none that code runs under.
pub const WATCHED: u32 = u32::MAX;

impl<P> Block<P> {
    /// Whether it begins at a watched address.
    pub fn watched(&self) -> bool {
        self.key == WATCHED
    }
}

impl<P> machine::Block for Block<P> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn successors(&mut self) -> &mut Successors {
        &mut self.successors
    }
}
