//! The bodies of instructions. No cycle number stands here: bodies touch registers and memory, and where control depends on
//! data they say that a branch was taken or a skip made.
//!
//! `handlers.rs` says which body carries out which operation.

mod alu;
mod flow;
mod handlers;
mod transfer;

use cyclescope_engine::{Execute as _, Step};

use crate::code::Block;
use crate::cpu::Cpu;
use crate::decode::Instruction;
use crate::hooks::AvrPeripherals;

/// The way in which a block ended.
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
pub type Handler<P> = cyclescope_engine::Handler<Cpu, P>;

/// The step that carries out `i`.
pub(crate) fn step<P: AvrPeripherals>(i: Instruction) -> Step<Cpu, P> {
    Step::new(i, handlers::handler(&i))
}

impl Cpu {
    /// The block is left behind the instruction at `index`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        self.stop_behind(block, index);
        Exit::Next
    }

    /// The block is left before the instruction at `index`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, block: &Block<P>, index: usize, exit: Exit) -> Exit {
        self.stop_before(block, index);
        exit
    }

    /// The cycle of the instruction at `index` that the timing row `phase` names.
    #[inline(always)]
    fn phase<P>(&self, block: &Block<P>, index: usize, phase: usize) -> u64 {
        self.starts_at(block, index).wrapping_add(u64::from(self.config.timing.cycles(phase)))
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
