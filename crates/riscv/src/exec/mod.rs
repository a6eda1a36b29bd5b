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
mod memory;

use cyclescope_engine::{Execute as _, Step};
use cyclescope_machine::Peripherals;

pub(crate) use csr::pack;
pub(crate) use flow::begins_wide;

use crate::code::Block;
use crate::cpu::{After, Cpu, Trap};
use crate::decode::Instruction;

/// The way in which a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At its end, or early after touching a register: `Cpu::pc` says where to go on.
    Next,
    /// With `Cpu::trap`, raised by the instruction at `Cpu::pc`.
    Trap,
    /// With WFI or waitirq, which sleeps.
    Sleep,
    /// Before an EBREAK that is a semihosting call.
    Semihosting,
}

/// Carries out one step and those after it.
pub type Handler<P> = cyclescope_engine::Handler<Cpu, P>;

/// The step that carries out `i`.
pub(crate) fn step<P: Peripherals>(i: Instruction) -> Step<Cpu, P> {
    Step::new(i, handlers::handler(&i))
}

impl Cpu {
    /// The block is left behind the instruction at `index`. The horizon says whether anything must be looked at.
    #[cold]
    fn leave_after<P>(&mut self, block: &Block<P>, index: usize) -> Exit {
        self.stop_behind(block, index);
        let place = block.places[index];
        let last = index + 1 == block.places.len();
        let compressed = place.next_pc.wrapping_sub(place.pc) == 2;
        self.after = if last { block.detail.straight } else { After { compressed, ..After::default() } };
        Exit::Next
    }

    /// The block is left before the instruction at `index`, which does not retire.
    #[cold]
    fn leave_before<P>(&mut self, block: &Block<P>, index: usize, exit: Exit) -> Exit {
        self.stop_before(block, index);
        self.after.empty = if index > 0 { 0 } else { self.after.empty };
        exit
    }

    /// The instruction at `index` raises `trap`: it does not retire, and what it takes is for the trap to say.
    #[cold]
    fn leave_at<P>(&mut self, block: &Block<P>, index: usize, trap: Trap) -> Exit {
        self.trap = trap;
        self.leave_before(block, index, Exit::Trap)
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
    use crate::decode::{Extensions, NARROW, WIDE, decode};

    #[test]
    fn every_operation_has_a_body_of_its_own() {
        for row in WIDE.iter().chain(NARROW) {
            let i = decode(row.value, Extensions { pico_irq: true, ..Extensions::IMAC });
            assert!(handlers::find::<WithoutPeripherals>(&i).is_some(), "{}", row.name);
        }
    }
}
