//! Fetches from flash that waits.

use cyclescope_engine::next;
use cyclescope_machine::{Bus, Peripherals};

use super::super::{Exit, Handler, Step};
use crate::code::Block;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

/// The handler of `i`, if it is this.
pub(super) fn handler<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    (i.op == Op::Fetches).then_some(|cpu, bus, block, step, rest| {
        match bus.memory.flash.interface_mut().recall(step.i.imm, cpu.now, cpu.refill) {
            Some(stall) => {
                cpu.now += u64::from(stall);
                cpu.refill = false;
                next(cpu, bus, block, rest)
            }
            None => make(cpu, bus, block, step, rest),
        }
    })
}

/// The fetches are made.
#[inline(never)]
fn make<P: Peripherals>(cpu: &mut Cpu, bus: &mut Bus<P>, block: &Block<P>, step: &Step<P>, rest: &[Step<P>]) -> Exit {
    cpu.fetch_run(bus, &block.detail.runs[step.i.placed()]);
    next(cpu, bus, block, rest)
}
