//! Blocks: predecoded instructions with their summed static cycles, and the chain of handlers that runs them.
//!
//! An instruction set writes bodies, each of which carries out one instruction and answers how control goes on. The engine makes two
//! handlers from a body: one that returns the answer, and one that ends with a call of the next step's.

use std::fmt;

use cyclescope_machine::Bus;

use crate::draft::{Draft, Place};
use crate::instruction_set::{Hooks, InstructionSet};
use crate::successors::Successors;
use crate::tier::Heat;

/// Carries out one step, which the last argument follows; `R` says whether it also goes on ([`Outcome`]).
pub type Handler<I, P, R> = fn(&mut I, &mut Bus<P>, &Block<I, P>, &Step<I, P>, &[Step<I, P>]) -> R;

/// Carries out one step and those after it.
pub type Chained<I, P> = Handler<I, P, Ended<<I as InstructionSet>::Exit>>;

/// Carries out one step alone.
pub type Body<I, P> = Handler<I, P, Flow<<I as InstructionSet>::Exit>>;

/// The way in which control leaves a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow<E> {
    /// To the next step.
    Next,
    /// To the step after the next one.
    Skip,
    /// Out of the block, whose last instruction is done. Its cycles and instructions are to be added ([`Execute::complete`]).
    Ends(E),
    /// Out of the block, with the clock and the counters as they should be.
    Leaves(E),
}

/// The end of a block that has run.
#[derive(Clone, Copy, Debug)]
pub struct Ended<E>(pub E);

/// The result of a handler: [`Flow`] for a body alone, [`Ended`] for one that goes on with the steps behind it.
pub trait Outcome<I: InstructionSet, P>: Sized {
    /// Continues as `flow` says; `rest` are the steps behind the one that was carried out.
    fn after(flow: Flow<I::Exit>, cpu: &mut I, bus: &mut Bus<P>, block: &Block<I, P>, rest: &[Step<I, P>]) -> Self;
}

impl<I: InstructionSet, P> Outcome<I, P> for Flow<I::Exit> {
    #[inline(always)]
    fn after(flow: Flow<I::Exit>, _: &mut I, _: &mut Bus<P>, _: &Block<I, P>, _: &[Step<I, P>]) -> Self {
        flow
    }
}

impl<I: InstructionSet, P> Outcome<I, P> for Ended<I::Exit> {
    #[inline(always)]
    fn after(flow: Flow<I::Exit>, cpu: &mut I, bus: &mut Bus<P>, block: &Block<I, P>, rest: &[Step<I, P>]) -> Self {
        match flow {
            Flow::Next => next(cpu, bus, block, rest),
            Flow::Skip => next(cpu, bus, block, rest.get(1..).unwrap_or_default()),
            Flow::Ends(exit) => Self(cpu.complete(block, exit)),
            Flow::Leaves(exit) => Self(exit),
        }
    }
}

/// The answer of a body. `()` is [`Flow::Next`]; an instruction set adds its own, such as a fault.
pub trait Answer<I: InstructionSet, P> {
    /// Does what the answer asks for, and returns the way in which control leaves the step at `here`.
    fn flow(self, cpu: &mut I, bus: &mut Bus<P>, here: Here<'_, I, P>) -> Flow<I::Exit>;
}

impl<I: InstructionSet, P> Answer<I, P> for () {
    #[inline(always)]
    fn flow(self, _: &mut I, _: &mut Bus<P>, _: Here<'_, I, P>) -> Flow<I::Exit> {
        Flow::Next
    }
}

impl<I: InstructionSet, P> Answer<I, P> for Flow<I::Exit> {
    #[inline(always)]
    fn flow(self, _: &mut I, _: &mut Bus<P>, _: Here<'_, I, P>) -> Self {
        self
    }
}

/// Carries out `step`, which `rest` follows, by `body`, and continues as it answers. [`body!`](crate::body) makes a handler of it.
#[inline(always)]
pub fn carry_out<I: InstructionSet, P, A: Answer<I, P>, R: Outcome<I, P>>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    step: &Step<I, P>,
    rest: &[Step<I, P>],
    body: impl FnOnce(&mut I, &mut Bus<P>, Here<'_, I, P>, &I::Instruction) -> A,
) -> R {
    let here = Here { block, behind: rest.len() };
    let flow = body(cpu, bus, here, &step.i).flow(cpu, bus, here);
    R::after(flow, cpu, bus, block, rest)
}

/// The same, in a function of its own.
#[inline(never)]
pub fn carry_out_apart<I: InstructionSet, P, A: Answer<I, P>, R: Outcome<I, P>>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    step: &Step<I, P>,
    rest: &[Step<I, P>],
    body: impl FnOnce(&mut I, &mut Bus<P>, Here<'_, I, P>, &I::Instruction) -> A,
) -> R {
    carry_out(cpu, bus, block, step, rest, body)
}

/// Makes a [`Handler`] from a body: `|cpu, i|` or `|cpu, bus, here, i|` with its [`Answer`].
///
/// A body may be two, `quick; slow`. Where the first one returns `None`, it has done nothing that the second does not do again. The
/// second stands apart, so that the first needs no registers saved for it.
#[macro_export]
macro_rules! body {
    (|$cpu:pat_param, $i:pat_param| $body:expr) => {
        $crate::body!(|$cpu, _, _, $i| $body)
    };
    (|$cpu:pat_param, $bus:pat_param, $here:pat_param, $i:pat_param| $body:expr) => {
        |cpu, bus, block, step, rest| $crate::carry_out(cpu, bus, block, step, rest, |$cpu, $bus, $here, $i| $body)
    };
    (|$cpu:ident, $bus:ident, $here:ident, $i:ident| $quick:expr; $slow:expr) => {
        |$cpu, $bus, block, step, rest| {
            let $i = &step.i;
            match $quick {
                Some(answer) => $crate::carry_out($cpu, $bus, block, step, rest, |_, _, _, _| answer),
                None => $crate::carry_out_apart($cpu, $bus, block, step, rest, |$cpu, $bus, $here, $i| $slow),
            }
        }
    };
}

/// A step's position in its block.
pub struct Here<'a, I: InstructionSet, P> {
    /// The block.
    pub block: &'a Block<I, P>,
    /// The number of steps behind it.
    behind: usize,
}

impl<'a, I: InstructionSet, P> Here<'a, I, P> {
    /// The step's number in the block.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.block.places.len() - self.behind - 1
    }

    /// The step's place.
    #[inline(always)]
    pub fn place(self) -> &'a Place<I::PlaceDetail> {
        &self.block.places[self.index()]
    }

    /// The step's instruction.
    pub fn instruction(self) -> &'a I::Instruction {
        &self.block.steps[self.index()].i
    }

    /// The instruction of the step behind it, if there is one.
    pub fn following(self) -> Option<&'a I::Instruction> {
        self.block.steps.get(self.index() + 1).map(|step| &step.i)
    }
}

impl<I: InstructionSet, P> Clone for Here<'_, I, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: InstructionSet, P> Copy for Here<'_, I, P> {}

/// One instruction of a block with the handler that carries it out.
pub struct Step<I: InstructionSet, P> {
    run: Chained<I, P>,
    /// The instruction.
    pub i: I::Instruction,
}

impl<I: InstructionSet, P> Step<I, P> {
    /// The step that carries out `i` by `run`.
    pub fn new(i: I::Instruction, run: Chained<I, P>) -> Self {
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
    /// The use that a second tier makes of it.
    pub heat: Heat,
}

impl<I: InstructionSet, P> Block<I, P> {
    /// The block that `cpu` has built in `draft`, which goes straight on at `next_pc`.
    pub(crate) fn finish(
        draft: Draft<'_, I::Instruction, I::PlaceDetail>,
        cpu: &I,
        next_pc: u32,
        detail: I::BlockDetail,
    ) -> Self
    where
        I: Hooks<P>,
    {
        Self {
            steps: draft.steps.iter().map(|i| Step::new(*i, cpu.handler(i))).collect(),
            places: draft.places.into(),
            pc: draft.pc,
            next_pc,
            cycles: draft.cycles,
            worst_cycles: draft.cycles + draft.extra,
            count: draft.code.len() as u32,
            key: if draft.watched.contains(&draft.pc) { WATCHED } else { 0 },
            successors: Successors::default(),
            number: draft.catalog.map_or(0, |catalog| catalog.add(&draft.code)),
            detail,
            heat: Heat::Runs(0),
        }
    }

    /// Says whether it begins at a watched address.
    pub fn is_watched(&self) -> bool {
        self.key == WATCHED
    }

    /// Has the block call the bodies of its steps one by one, where they would call each other.
    pub(crate) fn unchain(&mut self)
    where
        I: Hooks<P>,
    {
        if let [first, ..] = &mut *self.steps {
            first.run = by_bodies;
        }
    }
}

/// Carries out `step` and those in `rest` by calling their bodies, one after the other. A compiled block calls those that it does not
/// lower in the same way.
fn by_bodies<I: Hooks<P>, P>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    step: &Step<I, P>,
    rest: &[Step<I, P>],
) -> Ended<I::Exit> {
    let (mut step, mut rest) = (step, rest);
    loop {
        let body: Body<I, P> = cpu.handler(&step.i);
        let flow = body(cpu, bus, block, step, rest);
        let onward = match flow {
            Flow::Next => rest,
            Flow::Skip => rest.get(1..).unwrap_or_default(),
            Flow::Ends(_) | Flow::Leaves(_) => &[],
        };
        let [first, others @ ..] = onward else { return Ended::after(flow, cpu, bus, block, &[]) };
        (step, rest) = (first, others);
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
fn next<I: InstructionSet, P>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    rest: &[Step<I, P>],
) -> Ended<I::Exit> {
    match rest {
        [step, rest @ ..] => (step.run)(cpu, bus, block, step, rest),
        [] => Ended(cpu.complete(block, I::NEXT)),
    }
}

/// The ways through a block and out of it, which are the same for all instruction sets.
pub trait Execute: InstructionSet {
    /// Runs `block` to its end or until it must be left.
    #[inline(always)]
    fn execute<P>(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>) -> Self::Exit {
        self.set_pc(block.next_pc);
        next(self, bus, block, &block.steps).0
    }

    /// Runs `block` on from its step `from`.
    #[inline]
    fn execute_from<P>(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>, from: usize) -> Self::Exit {
        next(self, bus, block, block.steps.get(from..).unwrap_or_default()).0
    }

    /// Carries out the step `index` of `block` alone, by its body.
    fn carry_out_step<P>(&mut self, bus: &mut Bus<P>, block: &Block<Self, P>, index: usize) -> Flow<Self::Exit>
    where
        Self: Hooks<P>,
    {
        let [step, rest @ ..] = block.steps.get(index..).unwrap_or_default() else { return Flow::Next };
        let body: Body<Self, P> = self.handler(&step.i);
        match body(self, bus, block, step, rest) {
            Flow::Ends(exit) => Flow::Leaves(self.complete(block, exit)),
            flow => flow,
        }
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

    /// The block is left behind the instruction at `here`, which retires. The horizon says whether anything must be looked at.
    #[inline(always)]
    fn stop_behind<P>(&mut self, here: Here<'_, Self, P>) {
        let place = here.place();
        let progress = self.progress_mut();
        *progress.now = progress.now.wrapping_add(u64::from(place.before + place.cycles));
        *progress.instructions += u64::from(place.index + 1);
        self.set_pc(place.next_pc);
    }

    /// The block is left before the instruction at `here`, which does not retire. The run loop looks at everything again.
    #[inline(always)]
    fn stop_before<P>(&mut self, here: Here<'_, Self, P>) {
        let place = here.place();
        let progress = self.progress_mut();
        progress.marks.cut(place.before);
        *progress.now = progress.now.wrapping_add(u64::from(place.before));
        *progress.instructions += u64::from(place.index);
        *progress.horizon = 0;
        self.set_pc(place.pc);
    }

    /// The cycle in which the instruction at `here` begins.
    #[inline(always)]
    fn starts_at<P>(&self, here: Here<'_, Self, P>) -> u64 {
        self.progress().now.wrapping_add(u64::from(here.place().before))
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
