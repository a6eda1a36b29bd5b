//! The bodies of instructions. No cycle number stands here: bodies touch registers and memory, and where control or time depends
//! on data they say which row applies.
//!
//! `handlers.rs` says which body carries out which operation, `arithmetic.rs` what is more than one operator, `flow.rs` how
//! control goes on, `memory.rs` loads and stores, `mac.rs` the multiplier-accumulator, `float.rs` the floating-point unit,
//! `registers.rs` the special registers, `regions.rs` what each region of memory allows.

mod arithmetic;
mod float;
mod flow;
mod handlers;
mod mac;
mod memory;
mod regions;
mod registers;

use cyclescope_engine::{self as engine, Answer, Execute as _, Flow};
use cyclescope_machine::Bus;

pub(crate) use handlers::{handler, is_quiet};
pub(crate) use regions::Regions;

use crate::code::Pending;
use crate::cpu::Cpu;
use crate::decode::Op;
use crate::fault::Fault;

/// The way in which a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `Cpu::pc` says where to go on.
    Next,
    /// With `Cpu::fault`, raised by the instruction at `Cpu::pc`.
    Fault,
    /// With WAITI, which sleeps.
    Sleep,
    /// Before a BREAK or SIMCALL that is a semihosting call.
    Semihosting,
    /// With a return from an exception.
    Returned,
}

/// Carries out one step.
pub type Handler<P, R> = engine::Handler<Cpu, P, R>;

/// A step's position in its block.
type Here<'a, P> = engine::Here<'a, Cpu, P>;

/// Says whether the block must be left behind the instruction.
impl<P> Answer<Cpu, P> for Result<bool, Fault> {
    #[inline(always)]
    fn flow(self, cpu: &mut Cpu, _: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        match self {
            Ok(false) => Flow::Next,
            Ok(true) => cpu.leave_after(here),
            Err(fault) => cpu.leave_at(here, fault),
        }
    }
}

impl Cpu {
    /// The block is left behind the instruction at `here`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        self.stop_behind(here);
        self.pending = here.place().detail.pending;
        if self.pending != Pending::default() {
            self.horizon = 0;
        }
        if here.following().is_some_and(|i| i.op == Op::LoopEnd) {
            self.go_back();
        }
        Flow::Leaves(Exit::Next)
    }

    /// The block is left before the instruction at `here`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, here: Here<'_, P>, exit: Exit) -> Flow<Exit> {
        self.stop_before(here);
        self.pending = Pending::default();
        Flow::Leaves(exit)
    }

    /// The instruction at `here` raises `fault`: it does not retire, and what it takes is for the exception to say.
    #[cold]
    fn leave_at<P>(&mut self, here: Here<'_, P>, fault: Fault) -> Flow<Exit> {
        self.fault = fault;
        self.leave_before(here, Exit::Fault)
    }

    /// The cycle of the instruction at `here` that the timing row `phase` names. What it waits for comes before.
    #[inline(always)]
    fn phase<P>(&self, here: Here<'_, P>, phase: usize) -> u64 {
        self.starts_at(here).wrapping_add(u64::from(self.config.timing.cycles(phase)))
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::WithoutPeripherals;

    use super::{Exit, Flow, handlers};
    use crate::config::LX6;
    use crate::decode::{NARROW, WIDE, decode};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for row in WIDE.iter().chain(NARROW) {
            let i = decode(row.value, &LX6.options);
            assert!(handlers::find::<WithoutPeripherals, Flow<Exit>>(&i).is_some(), "{}", row.name);
        }
    }
}
