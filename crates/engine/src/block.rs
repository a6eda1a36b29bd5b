//! Blocks: predecoded instructions with their summed static cycles, and the chain of handlers that runs them.

use std::fmt;

use cyclescope_machine::Bus;

use crate::blocks::Successors;
use crate::instruction_set::InstructionSet;

/// Carries out one step and those after it.
pub type Handler<I, P> =
    fn(&mut I, &mut Bus<P>, &Block<I, P>, &Step<I, P>, &[Step<I, P>]) -> <I as InstructionSet>::Exit;

/// One instruction of a block with the handler that carries it out.
pub struct Step<I: InstructionSet, P> {
    run: Handler<I, P>,
    /// The instruction.
    pub i: I::Instruction,
}

impl<I: InstructionSet, P> Step<I, P> {
    /// The step that carries out `i` by `run`.
    pub fn new(i: I::Instruction, run: Handler<I, P>) -> Self {
        Self { run, i }
    }
}

impl<I: InstructionSet, P> Clone for Step<I, P> {
    fn clone(&self) -> Self {
        Self { run: self.run, i: self.i }
    }
}

impl<I: InstructionSet, P> fmt::Debug for Step<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.i.fmt(f)
    }
}

/// The data of an instruction that the engine needs only when the block is left there.
#[derive(Clone, Copy, Debug)]
pub struct Place<D> {
    /// The address of the instruction.
    pub pc: u32,
    /// The address of the next one.
    pub next_pc: u32,
    /// Static cycles of the block before it.
    pub before: u32,
    /// Its own static cycles.
    pub cycles: u32,
    /// Instructions of the block before it.
    pub index: u32,
    /// The data that the instruction set adds.
    pub detail: D,
}

/// The key of a block that begins at a watched address: none that code runs under.
pub const WATCHED: u32 = u32::MAX;

/// A run of predecoded instructions.
pub struct Block<I: InstructionSet, P> {
    /// The instructions, with steps among them that only fetch, guard or mark.
    pub steps: Box<[Step<I, P>]>,
    /// The place of each of `steps`.
    pub places: Box<[Place<I::PlaceDetail>]>,
    /// The address of the first one.
    pub pc: u32,
    /// The address at which control goes on when the block ends without a branch.
    pub next_pc: u32,
    /// Static cycles of the whole block.
    pub cycles: u32,
    /// The most cycles it can take: static cycles, its branch taken, and every stall at its worst.
    pub worst_cycles: u32,
    /// The number of its instructions.
    pub count: u32,
    /// The key that it was checked under ([`InstructionSet::fetch_key`]) to run unchecked, or [`WATCHED`].
    pub key: u32,
    /// The blocks that followed it before.
    pub successors: Successors,
    /// Its number in an observer's catalog, if it was built with marks for one.
    pub number: u32,
    /// The data that the instruction set adds.
    pub detail: I::BlockDetail,
}

impl<I: InstructionSet, P> Block<I, P> {
    /// Says whether it begins at a watched address.
    pub fn is_watched(&self) -> bool {
        self.key == WATCHED
    }
}

impl<I: InstructionSet, P> Clone for Block<I, P> {
    fn clone(&self) -> Self {
        Self {
            steps: self.steps.clone(),
            places: self.places.clone(),
            successors: self.successors,
            detail: self.detail.clone(),
            ..*self
        }
    }
}

impl<I: InstructionSet, P> fmt::Debug for Block<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("pc", &self.pc).field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Goes on with the steps in `rest`, or ends the block.
#[inline(always)]
pub fn next<I: InstructionSet, P>(cpu: &mut I, bus: &mut Bus<P>, block: &Block<I, P>, rest: &[Step<I, P>]) -> I::Exit {
    match rest {
        [step, rest @ ..] => (step.run)(cpu, bus, block, step, rest),
        [] => cpu.complete(block, I::NEXT),
    }
}

/// The place in `block` of the step that is followed by `rest`.
#[inline(always)]
pub fn index<I: InstructionSet, P>(block: &Block<I, P>, rest: &[Step<I, P>]) -> usize {
    block.steps.len() - rest.len() - 1
}

/// The ways through a block and out of it, which are the same for all instruction sets.
pub trait Execute: InstructionSet {
    /// Runs `block` to its end or until it must be left.
    #[inline(always)]
    fn execute<P>(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>) -> Self::Exit {
        self.set_pc(block.next_pc);
        next(self, bus, block, &block.steps)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete<P>(&mut self, block: &Block<Self, P>, exit: Self::Exit) -> Self::Exit {
        let progress = self.progress_mut();
        *progress.now = progress.now.wrapping_add(u64::from(block.cycles));
        *progress.instructions += u64::from(block.count);
        self.completed(&block.detail);
        exit
    }

    /// The block is left behind the instruction at `index`, which retires. The horizon says whether anything must be looked at.
    #[inline(always)]
    fn stop_behind<P>(&mut self, block: &Block<Self, P>, index: usize) {
        let place = &block.places[index];
        let progress = self.progress_mut();
        *progress.now = progress.now.wrapping_add(u64::from(place.before + place.cycles));
        *progress.instructions += u64::from(place.index + 1);
        self.set_pc(place.next_pc);
    }

    /// The block is left before the instruction at `index`, which does not retire. The run loop looks at everything again.
    #[inline(always)]
    fn stop_before<P>(&mut self, block: &Block<Self, P>, index: usize) {
        let place = &block.places[index];
        let progress = self.progress_mut();
        progress.marks.cut(place.before);
        *progress.now = progress.now.wrapping_add(u64::from(place.before));
        *progress.instructions += u64::from(place.index);
        *progress.horizon = 0;
        self.set_pc(place.pc);
    }

    /// The cycle in which the instruction at `index` begins.
    #[inline(always)]
    fn starts_at<P>(&self, block: &Block<Self, P>, index: usize) -> u64 {
        self.progress().now.wrapping_add(u64::from(block.places[index].before))
    }

    /// Says whether something may have changed that the rest of a block must not run over; the run loop looks again then.
    #[inline]
    fn is_unsettled<P>(&mut self, bus: &Bus<P>) -> bool {
        let horizon = self.progress().horizon;
        let settled = bus.shared.is_quiet()
            && bus.shared.events.next_at().get() >= horizon
            && horizon > 0
            && !bus.shared.console.over_budget();
        if !settled {
            *self.progress_mut().horizon = 0;
        }
        !settled
    }
}

impl<I: InstructionSet> Execute for I {}
