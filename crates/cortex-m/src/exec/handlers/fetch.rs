//! Fetches from flash that waits.

use cyclescope_engine::{Outcome, body};
use cyclescope_machine::Peripherals;

use super::super::Handler;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

/// The handler of `i`, if it is this.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    (i.op == Op::Fetches).then_some(body!(|cpu, bus, here, i| {
        bus.memory.flash.interface_mut().recall(i.imm, cpu.now, cpu.refill).map(|stall| {
            cpu.pass(stall.into());
            cpu.refill = false;
        })
    }; {
        cpu.fetch_run(bus, &here.block.detail.runs[i.placed()]);
    }))
}
