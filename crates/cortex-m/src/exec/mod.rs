//! The bodies of instructions. No cycle number stands here: bodies touch registers and memory, and where control or time
//! depends on data they say which row applies.
//!
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
mod planned;
mod protection;
mod simple;
mod singles;
mod system;
mod turns;

use cyclescope_engine::{self as engine, Answer, Execute as _, Flow};
use cyclescope_machine::{Bus, Peripherals};

pub(crate) use handlers::handler;
pub(crate) use memory::{access, address_wait, nth, words_of_ram, words_of_ram_mut};
pub(crate) use multiple::registers;
pub(crate) use planned::{Ahead, BegunFetch, PlannedFetch};
pub(crate) use simple::Kept;
pub(crate) use system::sysm;

use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Op};

/// The way in which a block ends.
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

/// Carries out one step.
pub type Handler<P, R> = engine::Handler<Cpu, P, R>;

/// An instruction with its handler.
pub type Step<P> = engine::Step<Cpu, P>;

/// A step's position in its block.
type Here<'a, P> = engine::Here<'a, Cpu, P>;

/// Says whether a register was touched, so that the block must be left.
impl<P: Peripherals> Answer<Cpu, P> for bool {
    #[inline(always)]
    fn flow(self, cpu: &mut Cpu, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        if self { cpu.leave_after(bus, here) } else { Flow::Next }
    }
}

impl<P, A: Answer<Cpu, P>> Answer<Cpu, P> for Result<A, Fault> {
    #[inline(always)]
    fn flow(self, cpu: &mut Cpu, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        match self {
            Ok(answer) => answer.flow(cpu, bus, here),
            Err(fault) => cpu.leave_at(here, fault),
        }
    }
}

impl Cpu {
    /// The conditional branch `i` at `here` is taken out of the block.
    #[inline(always)]
    fn leave_by<P>(&mut self, here: Here<'_, P>, i: &Instruction) -> Flow<Exit> {
        let place = here.place();
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.take(i);
        Flow::Leaves(Exit::Next)
    }

    /// The block is left behind the instruction at `here`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        let place = here.place();
        if let Some(i) = here.following().filter(|i| i.op == Op::Fetches) {
            self.fetch_beside(bus, &here.block.detail.runs[i.placed()], place);
        }
        self.stop_behind(here);
        self.align_sp();
        self.enter_with(place.detail.next);
        Flow::Leaves(Exit::Next)
    }

    /// The block is left before the instruction at `here`, which is tried again.
    #[cold]
    fn leave_before<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        self.stop_before(here);
        self.enter_with(here.place().detail.entry);
        Flow::Leaves(Exit::Next)
    }

    /// The instruction at `here` faults: it does not retire.
    #[cold]
    fn leave_at<P>(&mut self, here: Here<'_, P>, fault: Fault) -> Flow<Exit> {
        self.stop_before(here);
        let place = here.place();
        self.now = self.now.wrapping_add(u64::from(place.cycles));
        self.enter_with(place.detail.entry);
        self.fault = fault;
        Flow::Leaves(Exit::Fault)
    }

    /// A load whose address phase is the cycle `at` reads data from flash at the byte offset `offset`.
    #[inline(always)]
    fn stall_data<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64, offset: u32) {
        let flash = &mut bus.memory.flash;
        let stall = flash.read_data(offset, at);
        debug_assert!(stall <= flash.interface().worst_stall(), "a data read stalls {stall} cycles");
        self.pass(stall.into());
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
