//! A straight run of predecoded instructions, and what must be known to leave it early.

use cyclescope_machine::{self as machine, Successors};

use crate::exec::Step;

/// What the executor needs of an instruction only when it leaves the straight path.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where the instruction stands.
    pub pc: u32,
    /// Where the next one stands.
    pub next_pc: u32,
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
    /// For each of `steps`, its place.
    pub places: Box<[Place]>,
    /// Where control goes when the block ends without a branch.
    pub next_pc: u32,
    /// Static cycles of the whole block.
    pub cycles: u32,
    /// The most it can take, with its last branch taken or its last skip made.
    pub worst_cycles: u32,
    /// Instructions in it.
    pub count: u32,
    /// Whether it begins at a watched address.
    pub watched: bool,
    /// Which blocks followed it before.
    pub successors: Successors,
    /// Bytes that the call pushes that ends it, if one does.
    pub pushes: u8,
    /// Its number in an observer's layout, if it was built for one.
    pub number: u32,
}

impl<P> machine::Block for Block<P> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn successors(&mut self) -> &mut Successors {
        &mut self.successors
    }
}
