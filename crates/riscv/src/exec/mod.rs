//! The bodies of instructions. No cycle number stands here: bodies touch registers and memory, and where control or time depends
//! on data they say which row applies.
//!
//! `handlers.rs` says which body carries out which operation.
//!
//! Loads and stores try RAM first; everything else (flash, registers, protection, misaligned addresses) goes through the
//! slow path in `memory.rs`, which knows the exact cycle.

mod alu;
mod csr;
mod flow;
mod handlers;
mod issue;
mod memory;
mod recall;
mod stores;

use cyclescope_engine::{self as engine, Answer, Execute as _, Flow};
use cyclescope_machine::Bus;

pub(crate) use csr::pack;
pub(crate) use flow::begins_wide;
pub(crate) use handlers::handler;
pub(crate) use recall::{Known, KnownAccess, LINE, MOST_TAGS, Recall};
pub(crate) use stores::Stores;

use crate::cpu::{After, Cpu};
use crate::trap::Trap;

/// The way in which a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `Cpu::pc` says where to go on.
    Next,
    /// With `Cpu::trap`, raised by the instruction at `Cpu::pc`.
    Trap,
    /// Before an instruction, with `Cpu::trap`'s cause the number of the interrupt that a pipeline has taken.
    Interrupt,
    /// With WFI or waitirq, which sleeps.
    Sleep,
    /// Before an EBREAK that is a semihosting call.
    Semihosting,
}

/// Carries out one step.
pub type Handler<P, R> = engine::Handler<Cpu, P, R>;

/// A step's position in its block.
type Here<'a, P> = engine::Here<'a, Cpu, P>;

/// Says whether the block must be left behind the instruction.
impl<P> Answer<Cpu, P> for Result<bool, Trap> {
    #[inline(always)]
    fn flow(self, cpu: &mut Cpu, _: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        match self {
            Ok(false) => Flow::Next,
            Ok(true) => cpu.leave_after(here),
            Err(trap) => cpu.leave_at(here, trap),
        }
    }
}

impl Cpu {
    /// The block is left behind the instruction at `here`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        self.stop_behind(here);
        let place = here.place();
        let compressed = place.next_pc.wrapping_sub(place.pc) == 2;
        let last = here.following().is_none();
        self.after = if last { here.block.detail.straight } else { After { compressed, ..After::default() } };
        Flow::Leaves(Exit::Next)
    }

    /// The block is left before the instruction at `here`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, here: Here<'_, P>, exit: Exit) -> Flow<Exit> {
        self.stop_before(here);
        self.after.empty = if here.index() > 0 { 0 } else { self.after.empty };
        Flow::Leaves(exit)
    }

    /// The instruction at `here` raises `trap`: it does not retire, and what it takes is for the trap to say.
    #[cold]
    fn leave_at<P>(&mut self, here: Here<'_, P>, trap: Trap) -> Flow<Exit> {
        self.trap = trap;
        self.leave_before(here, Exit::Trap)
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
    use crate::decode::{Extensions, NARROW, WIDE, decode};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for row in WIDE.iter().chain(NARROW) {
            let i = decode(row.value, Extensions { pico_irq: true, ..Extensions::IMAC });
            assert!(handlers::find::<WithoutPeripherals, Flow<Exit>>(&i).is_some(), "{}", row.name);
        }
    }
}
