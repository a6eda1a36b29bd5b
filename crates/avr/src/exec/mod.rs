//! The bodies of instructions. No cycle number stands here: bodies touch registers and memory, and where control depends on
//! data they say that a branch was taken or a skip made.
//!
//! `handlers.rs` says which body carries out which operation.

mod alu;
mod flow;
mod handlers;
mod transfer;

use cyclescope_engine::{self as engine, Answer, Execute as _, Flow};
use cyclescope_machine::Bus;

pub(crate) use handlers::handler;

use crate::cpu::Cpu;

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

/// Carries out one step.
pub type Handler<P, R> = engine::Handler<Cpu, P, R>;

/// A step's position in its block.
type Here<'a, P> = engine::Here<'a, Cpu, P>;

/// Says whether the block must be left behind the instruction.
impl<P> Answer<Cpu, P> for bool {
    #[inline(always)]
    fn flow(self, cpu: &mut Cpu, _: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        if self { cpu.leave_after(here) } else { Flow::Next }
    }
}

impl Cpu {
    /// The block is left behind the instruction at `here`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        self.stop_behind(here);
        Flow::Leaves(Exit::Next)
    }

    /// The block is left before the instruction at `here`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, here: Here<'_, P>, exit: Exit) -> Flow<Exit> {
        self.stop_before(here);
        Flow::Leaves(exit)
    }

    /// The cycle of the instruction at `here` that the timing row `phase` names.
    #[inline(always)]
    fn phase<P>(&self, here: Here<'_, P>, phase: usize) -> u64 {
        self.starts_at(here).wrapping_add(u64::from(self.config.timing.cycles(phase)))
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::WithoutPeripherals;

    use super::{Exit, Flow, handlers};
    use crate::decode::{Extensions, Op, decode, row};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for word in 0..=u16::MAX {
            let i = decode(word, 0, Extensions::ALL);
            assert_eq!(i.op == Op::Reserved, row(word).is_none(), "{word:04x}");
            assert!(handlers::find::<WithoutPeripherals, Flow<Exit>>(&i).is_some(), "{word:04x}: {i:?}");
        }
    }
}
