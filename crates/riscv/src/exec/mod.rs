//! What instructions do. No cycle number stands here: bodies touch registers and memory, and where control or time depends
//! on data they say which row applies.
//!
//! A block is a row of [`Step`]s. Each step's handler ends by calling the next step's, so that every handler has a jump of
//! its own, which the host predicts far better than one shared by all. `handlers.rs` says which body carries out which
//! operation.
//!
//! Loads and stores try RAM first; everything else (flash, registers, protection, misaligned addresses) goes through the
//! slow path in `memory.rs`, which knows the exact cycle.

mod alu;
mod csr;
mod flow;
mod handlers;
mod memory;
mod told;

use cyclescope_machine::{Bus, Peripherals};

pub(crate) use csr::pack;
pub(crate) use flow::begins_wide;
pub(crate) use told::Before;

use crate::code::Block;
use crate::cpu::{After, Cpu, Trap};
use crate::decode::Instruction;

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `Cpu::pc` says where to go on.
    Next,
    /// With `Cpu::trap`, raised by the instruction at `Cpu::pc`.
    Trap,
    /// With WFI or waitirq, which sleeps.
    Sleep,
    /// Before an EBREAK that is a semihosting call.
    Semihosting,
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

impl<P: Peripherals> Step<P> {
    /// The step that carries out `i`.
    pub fn new(i: Instruction) -> Self {
        Self { run: handlers::handler(&i), i }
    }
}

/// Goes on with the steps in `rest`, or ends the block.
#[inline(always)]
fn next<P: Peripherals>(cpu: &mut Cpu, bus: &mut Bus<P>, block: &Block<P>, rest: &[Step<P>]) -> Exit {
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
    pub fn execute<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>) -> Exit {
        self.pc = block.next_pc;
        next(self, bus, block, &block.steps)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete<P>(&mut self, block: &Block<P>, exit: Exit) -> Exit {
        self.now = self.now.wrapping_add(u64::from(block.cycles));
        self.instructions += u64::from(block.count);
        self.after = block.ends;
        exit
    }

    /// The block is left after the instruction at `index`. Whether anything must be looked at is for `horizon` to say.
    #[cold]
    fn leave_after<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        let last = index + 1 == block.places.len();
        let compressed = place.next_pc.wrapping_sub(place.pc) == 2;
        self.after = if last { block.ends } else { After { compressed, ..After::default() } };
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
        self.after.empty = if index > 0 { 0 } else { self.after.empty };
        self.pc = place.pc;
        self.horizon = 0;
        exit
    }

    /// The instruction at `index` raises `trap`: it does not retire, and what it takes is for the trap to say.
    #[cold]
    fn leave_at<P>(&mut self, block: &Block<P>, index: usize, trap: Trap) -> Exit {
        self.trap = trap;
        self.leave_before(block, index, Exit::Trap)
    }

    /// When the instruction at `index` is in the cycle that the timing row `phase` names.
    #[inline(always)]
    fn phase<P>(&self, block: &Block<P>, index: usize, phase: usize) -> u64 {
        let phase = self.config.timing.cycles(phase);
        self.now.wrapping_add(u64::from(block.places[index].before + phase))
    }

    /// Whether something may have changed that the rest of a block must not run over: then the run loop looks again.
    #[inline]
    pub(crate) fn is_unsettled<P>(&mut self, bus: &Bus<P>) -> bool {
        let settled = bus.shared.is_quiet()
            && bus.shared.events.next_at().get() >= self.horizon
            && self.horizon > 0
            && !bus.shared.console.over_budget();
        if !settled {
            self.horizon = 0;
        }
        !settled
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::WithoutPeripherals;

    use super::handlers;
    use crate::decode::{Extensions, NARROW, WIDE, decode};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for row in WIDE.iter().chain(NARROW) {
            let i = decode(row.value, Extensions { pico_irq: true, ..Extensions::IMAC });
            assert!(handlers::find::<WithoutPeripherals>(&i).is_some(), "{}", row.name);
        }
    }
}
