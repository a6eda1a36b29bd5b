//! Execution that a sink observes, by instruction or by marked block.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Retire, Run, Sink, Stop};

use crate::block::{Block, Execute};
use crate::blocks::Stride;
use crate::instruction_set::{Hooks, InstructionSet};

/// The stride that a sink of the type `S` wants.
pub(crate) const fn stride<S: Sink>() -> Stride {
    match (S::OBSERVES, S::BLOCKS) {
        (false, _) => Stride::Block,
        (true, false) => Stride::Single,
        (true, true) => Stride::Marked,
    }
}

/// The state before an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    pc: u32,
    pub(crate) now: u64,
    instructions: u64,
}

impl Before {
    #[inline(always)]
    fn of<I: InstructionSet>(cpu: &I) -> Self {
        let progress = cpu.progress();
        Self { pc: cpu.pc().get(), now: progress.now, instructions: progress.instructions }
    }

    /// Says whether the instruction has retired.
    #[inline(always)]
    pub(crate) fn has_retired<I: InstructionSet>(self, cpu: &I) -> bool {
        cpu.progress().instructions != self.instructions
    }

    fn retire<I: InstructionSet>(self, cpu: &I) -> Retire {
        let cycles = Cycles::new(cpu.progress().now - self.now);
        Retire { pc: Address::new(self.pc), at: Cycles::new(self.now), cycles }
    }
}

/// Runs a block of one instruction and shows it to `sink` if it retires; its state too, if nothing is left to be done.
#[inline(always)]
pub(crate) fn execute_single<I: InstructionSet, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    sink: &mut S,
) -> (I::Exit, Before) {
    let before = Before::of(cpu);
    let exit = cpu.execute(bus, block);
    if S::OBSERVES && before.has_retired(cpu) {
        sink.retire(before.retire(cpu));
        if exit == I::NEXT {
            sink.state(cpu.state());
        }
    }
    (exit, before)
}

/// Runs a marked block and shows `sink` what retired; the state too, if nothing is left to be done that belongs to the last
/// instruction.
#[inline(always)]
pub(crate) fn execute_marked<I: InstructionSet, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    sink: &mut S,
) -> I::Exit {
    let before = Before::of(cpu);
    cpu.progress_mut().marks.begin(before.now);
    let exit = cpu.execute(bus, block);
    show_marked(cpu, block, exit, before, sink);
    exit
}

/// Runs a marked block on from its step `from`, and shows `sink` what retired. The block began at the cycle `began`.
pub(crate) fn execute_marked_from<I: InstructionSet, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    block: &Block<I, P>,
    from: usize,
    began: u64,
    sink: &mut S,
) -> I::Exit {
    let before = Before { now: began, ..Before::of(cpu) };
    let exit = cpu.execute_from(bus, block, from);
    show_marked(cpu, block, exit, before, sink);
    exit
}

/// Shows `sink` what has retired of the marked `block` since `before`.
#[inline(always)]
fn show_marked<I: InstructionSet, P, S: Sink>(
    cpu: &mut I,
    block: &Block<I, P>,
    exit: I::Exit,
    before: Before,
    sink: &mut S,
) {
    let instructions = (cpu.progress().instructions - before.instructions) as u32;
    if instructions > 0 {
        let run = run_of(cpu, block, before.now, instructions);
        sink.ran(run);
        if exit == I::NEXT || cpu.progress_mut().marks.ended().is_some() {
            sink.state(cpu.state());
        }
    }
}

/// The run of the marked `block` that has just ended with so many `instructions`, and began at the cycle `began`.
#[inline(always)]
pub fn run_of<I: InstructionSet, P>(cpu: &mut I, block: &Block<I, P>, began: u64, instructions: u32) -> Run {
    let now = cpu.progress().now;
    let marks = cpu.progress_mut().marks;
    let (marked, ended) = (marks.at(), marks.ended());
    Run {
        block: block.number,
        instructions,
        began: Cycles::new(began),
        marked: Cycles::new(marked),
        end: Cycles::new(ended.unwrap_or(now)),
        stack_pointer: cpu.stack_pointer_at_call(block, instructions),
    }
}

/// Does what an instruction by itself left to be done, and shows `sink` the state with it.
#[inline(always)]
pub(crate) fn finish_single<I: Hooks<P>, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    exit: I::Exit,
    before: Before,
    sink: &mut S,
) -> Option<Stop> {
    if exit == I::NEXT {
        return None;
    }
    let retired = S::OBSERVES && before.has_retired(cpu);
    if retired && I::is_final(exit) {
        sink.state(cpu.state());
    }
    let stop = cpu.finish(bus, exit);
    if S::OBSERVES && !retired && before.has_retired(cpu) {
        // The trap that it raised completes it.
        sink.retire(before.retire(cpu));
        sink.state(cpu.state());
    } else if retired && !I::is_final(exit) {
        sink.state(cpu.state());
    }
    stop
}

/// Does what a marked block left to be done, and shows `sink` the state with it.
#[inline(always)]
pub(crate) fn finish_marked<I: Hooks<P>, P, S: Sink>(
    cpu: &mut I,
    bus: &mut Bus<P>,
    exit: I::Exit,
    sink: &mut S,
) -> Option<Stop> {
    if exit == I::NEXT {
        return None;
    }
    let ended = cpu.progress_mut().marks.ended();
    if ended.is_none() && I::is_final(exit) {
        sink.state(cpu.state());
    }
    let mut before = Before::of(cpu);
    before.now = ended.unwrap_or(before.now);
    let stop = cpu.finish(bus, exit);
    if ended.is_some() && before.has_retired(cpu) {
        // The trap that it raised completes it.
        sink.retire(before.retire(cpu));
        sink.state(cpu.state());
    } else if ended.is_none() && !I::is_final(exit) {
        sink.state(cpu.state());
    }
    stop
}
