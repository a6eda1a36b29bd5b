//! What instructions do. No cycle number stands here: bodies touch registers and memory, and where control depends on
//! data they say that a branch was taken or a skip made.
//!
//! A block is a row of [`Step`]s. Each step's handler ends by calling the next step's, so that every handler has a jump of
//! its own, which the host predicts far better than one shared by all. `handlers.rs` says which body carries out which
//! operation.

mod alu;
mod flow;
mod handlers;
mod told;
mod transfer;

use cyclescope_machine::Bus;

use crate::code::Block;
use crate::cpu::Cpu;
use crate::decode::Instruction;
use crate::hooks::AvrPeripherals;

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `Cpu::pc` says where to go on.
    Next,
    /// Before an instruction that cannot be executed: `Cpu::fault`.
    Fault,
    /// With SLEEP.
    Sleep,
    /// Before BREAK, while a debugger is meant to serve it.
    Break,
}

/// Carries out one step and those after it.
pub type Handler<P> = fn(&mut Cpu, &mut Bus<P>, &Block<P>, &Step<P>, &[Step<P>]) -> Exit;

/// One instruction of a block and what carries it out.
pub struct Step<P> {
    run: Handler<P>,
    /// Its operands.
    pub i: Instruction,
}

impl<P> Clone for Step<P> {
    fn clone(&self) -> Self {
        Self { run: self.run, i: self.i }
    }
}

impl<P> std::fmt::Debug for Step<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.i.fmt(f)
    }
}

impl<P: AvrPeripherals> Step<P> {
    /// The step that carries out `i`.
    pub fn new(i: Instruction) -> Self {
        Self { run: handlers::handler(&i), i }
    }
}

/// Goes on with the steps in `rest`, or ends the block.
#[inline(always)]
fn next<P: AvrPeripherals>(cpu: &mut Cpu, bus: &mut Bus<P>, block: &Block<P>, rest: &[Step<P>]) -> Exit {
    match rest {
        [step, rest @ ..] => (step.run)(cpu, bus, block, step, rest),
        [] => cpu.complete(block, Exit::Next),
    }
}

/// The place in `block` of the step that is followed by `rest`.
#[inline(always)]
fn index<P>(block: &Block<P>, rest: &[Step<P>]) -> usize {
    block.steps.len() - rest.len() - 1
}

impl Cpu {
    /// Runs `block` to its end or until it must be left.
    #[inline(always)]
    pub fn execute<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>) -> Exit {
        self.pc = block.next_pc;
        next(self, bus, block, &block.steps)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete<P>(&mut self, block: &Block<P>, exit: Exit) -> Exit {
        self.now = self.now.wrapping_add(u64::from(block.cycles));
        self.instructions += u64::from(block.count);
        exit
    }

    /// The block is left after the instruction at `index`. Whether anything must be looked at is for `horizon` to say.
    #[cold]
    fn leave_after<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.pc = place.next_pc;
        Exit::Next
    }

    /// The block is left before the instruction at `index`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, block: &Block<P>, index: usize, exit: Exit) -> Exit {
        let place = block.places[index];
        self.marks.cut(place.before);
        self.now = self.now.wrapping_add(u64::from(place.before));
        self.instructions += u64::from(place.index);
        self.pc = place.pc;
        self.horizon = 0;
        exit
    }

    /// When the instruction at `index` is in the cycle that the timing row `phase` names.
    #[inline(always)]
    fn phase<P>(&self, block: &Block<P>, index: usize, phase: usize) -> u64 {
        let phase = self.config.timing.cycles(phase);
        self.now.wrapping_add(u64::from(block.places[index].before + phase))
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::WithoutPeripherals;

    use super::handlers;
    use crate::decode::{Extensions, Op, decode, row};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for word in 0..=u16::MAX {
            let i = decode(word, 0, Extensions::ALL);
            assert_eq!(i.op == Op::Reserved, row(word).is_none(), "{word:04x}");
            assert!(handlers::find::<WithoutPeripherals>(&i).is_some(), "{word:04x}: {i:?}");
        }
    }
}
