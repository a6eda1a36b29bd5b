//! What instructions do. No cycle number stands here: bodies touch registers and memory, and where control or time
//! depends on data they say which row applies.
//!
//! A block is a row of [`Step`]s. Each step's handler ends by calling the next step's, so that every handler has a jump of
//! its own, which the host predicts far better than one shared by all; a chain is as long as its block and no longer.
//! `handlers/` says which body carries out which operation.
//!
//! Loads and stores try RAM first; everything else (flash tables, peripherals, the system control space, faults) goes
//! through the slow path in [`memory`], which knows the exact cycle. After an access to a register the block is left,
//! since anything may have changed.

mod alu;
mod branch;
mod divide;
mod fetch;
mod float;
mod handlers;
mod memories;
mod memory;
mod multiple;
mod singles;
mod system;
mod told;

use cyclescope_machine::{Bus, Peripherals};

pub(crate) use memory::{is_private, words_of_ram, words_of_ram_mut};

use crate::code::Block;
use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Op, Reg};

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `r[15]` says where to go on.
    Next,
    /// With `Cpu::fault` at `r[15]`.
    Fault,
    /// With a branch to the EXC_RETURN value in `Cpu::detail`.
    ExceptionReturn,
    /// With SVC.
    SupervisorCall,
    /// With BKPT at `r[15]`, its immediate in `Cpu::detail`.
    Breakpoint,
    /// With WFE.
    WaitForEvent,
    /// With WFI.
    WaitForInterrupt,
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
    /// The step that carries out `i`; if `guarded`, with every data access shown to the MPU.
    pub fn new(i: Instruction, guarded: bool) -> Self {
        Self { run: handlers::handler(&i, guarded), i }
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
        self.r[Reg::Pc as usize] = block.next_pc;
        next(self, bus, block, &block.steps)
    }

    /// The whole block is done.
    #[inline(always)]
    fn complete<P>(&mut self, block: &Block<P>, exit: Exit) -> Exit {
        self.now = self.now.wrapping_add(u64::from(block.cycles));
        self.instructions += u64::from(block.count);
        exit
    }

    /// The conditional branch `i` at `index` is taken out of the block.
    #[inline(always)]
    fn leave_by<P>(&mut self, block: &Block<P>, index: usize, i: &Instruction) -> Exit {
        let place = &block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.take(i);
        Exit::Next
    }

    /// The block is left after the instruction at `index`. Whether anything must be looked at is for `horizon` to say.
    #[cold]
    fn leave_after<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        if let Some(step) = block.steps.get(index + 1).filter(|step| step.i.op == Op::Fetches) {
            self.fetch_beside(bus, &block.runs[step.i.placed()], &place);
        }
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.r[Reg::Pc as usize] = place.next_pc;
        self.align_sp();
        self.enter_with(place.next);
        Exit::Next
    }

    /// The block is left before the instruction at `index`, which is tried again.
    #[cold]
    fn leave_before<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        self.marks.cut(place.before);
        self.now = self.now.wrapping_add(u64::from(place.before));
        self.instructions += u64::from(place.index);
        self.r[Reg::Pc as usize] = place.pc;
        self.enter_with(place.entry);
        self.horizon = 0;
        Exit::Next
    }

    /// The instruction at `index` faults: it does not retire.
    #[cold]
    fn leave_at<P>(&mut self, block: &Block<P>, index: usize, fault: Fault) -> Exit {
        let place = block.places[index];
        self.marks.cut(place.before);
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index);
        self.r[Reg::Pc as usize] = place.pc;
        self.enter_with(place.entry);
        self.fault = fault;
        Exit::Fault
    }

    /// When the instruction at `index` begins.
    #[inline(always)]
    fn starts_at<P>(&self, block: &Block<P>, index: usize) -> u64 {
        self.now.wrapping_add(u64::from(block.places[index].before))
    }

    /// A load whose address phase is the cycle `at` reads data from flash at the byte offset `offset`.
    #[inline(always)]
    fn stall_data<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64, offset: u32) {
        let flash = bus.memory.flash.interface_mut();
        let stall = flash.read_data(offset, at);
        debug_assert!(stall <= flash.worst_stall(), "a data read stalls {stall} cycles");
        self.now += u64::from(stall);
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::WithoutPeripherals;

    use super::handlers;
    use crate::decode::{Architecture, Op};

    /// Some instructions of each row: its fixed bits with a few fillings of the fields.
    #[test]
    fn every_operation_has_a_body() {
        for set in Architecture::ALL.map(Architecture::instructions) {
            for row in set.narrow.iter().chain(&set.wide) {
                for filling in [0, u32::MAX, 0x5555_5555, 0xAAAA_AAAA, 0x1234_5678, 0x000F_F0F0] {
                    let i = (row.build)(row.value | filling & !row.mask);
                    // Resolved when a block is built.
                    let resolved = i.op == Op::Adr;
                    assert!(resolved || handlers::exists::<WithoutPeripherals>(&i), "{}: {i:?}", row.name);
                }
            }
        }
    }
}
