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
mod singles;
mod system;

use cyclescope_engine::Execute as _;
use cyclescope_machine::{Bus, Peripherals};

pub(crate) use memory::{is_private, words_of_ram, words_of_ram_mut};

use crate::code::Block;
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

/// Carries out one step and those after it.
pub type Handler<P> = cyclescope_engine::Handler<Cpu, P>;

/// An instruction with its handler.
pub type Step<P> = cyclescope_engine::Step<Cpu, P>;

/// The step that carries out `i`; if `guarded`, with every data access shown to the MPU.
pub(crate) fn step<P: Peripherals>(i: Instruction, guarded: bool) -> Step<P> {
    Step::new(i, handlers::handler(&i, guarded))
}

impl Cpu {
    /// The conditional branch `i` at `index` is taken out of the block.
    #[inline(always)]
    fn leave_by<P>(&mut self, block: &Block<P>, index: usize, i: &Instruction) -> Exit {
        let place = &block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles));
        self.instructions += u64::from(place.index + 1);
        self.take(i);
        Exit::Next
    }

    /// The block is left behind the instruction at `index`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>, index: usize) -> Exit {
        let place = block.places[index];
        if let Some(step) = block.steps.get(index + 1).filter(|step| step.i.op == Op::Fetches) {
            self.fetch_beside(bus, &block.detail.runs[step.i.placed()], &place);
        }
        self.stop_behind(block, index);
        self.align_sp();
        self.enter_with(place.detail.next);
        Exit::Next
    }

    /// The block is left before the instruction at `index`, which is tried again.
    #[cold]
    fn leave_before<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        self.stop_before(block, index);
        self.enter_with(block.places[index].detail.entry);
        Exit::Next
    }

    /// The instruction at `index` faults: it does not retire.
    #[cold]
    fn leave_at<P>(&mut self, block: &Block<P>, index: usize, fault: Fault) -> Exit {
        self.stop_before(block, index);
        let place = block.places[index];
        self.now = self.now.wrapping_add(u64::from(place.cycles));
        self.enter_with(place.detail.entry);
        self.fault = fault;
        Exit::Fault
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
