//! Branches that compute their target: DDI 0419E §A6.7, DDI 0403E §A7.7, and BranchWritePC() and BXWritePC() of both.

use cyclescope_machine::{Bus, Width};

use super::Exit;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Reg, is_wide};
use crate::timing::on_system_bus;

impl Cpu {
    /// BranchWritePC() to a target that only now is known: bit 0 is ignored. A 32-bit instruction across a word boundary
    /// takes another fetch before it can run.
    #[inline(always)]
    pub(super) fn branch_indirect<P>(&mut self, bus: &Bus<P>, target: u32) {
        self.go_to(target & !1);
        if self.config.timing.unaligned_target > 0 && bus.memory.timed(target) & 2 != 0 && begins_wide(bus, target & !1)
        {
            self.pass(self.config.timing.unaligned_target.into());
        }
        self.reach_system_bus();
    }

    /// Code on the system bus takes longer to get at.
    #[inline(always)]
    pub(crate) fn reach_system_bus(&mut self) {
        if on_system_bus(self.r[Reg::Pc as usize])
            && let Some(row) = self.config.timing.system_fetch
        {
            let cycles = self.charge(row);
            self.pass(cycles);
        }
    }

    /// Branches with bit 0 becoming EPSR.T; the run loop faults the next instruction where that is zero.
    #[inline(always)]
    fn branch_state<P>(&mut self, bus: &Bus<P>, target: u32) {
        if target & 1 == 0 {
            self.thumb = false;
            self.horizon = 0;
        }
        self.branch_indirect(bus, target);
    }

    /// BXWritePC(): in handler mode the top values return from the exception, else bit 0 becomes EPSR.T.
    #[inline(always)]
    pub(super) fn branch_exchange<P>(&mut self, bus: &Bus<P>, target: u32) -> Exit {
        if target >> 28 == 0xF && self.ipsr != 0 {
            self.detail = target;
            return Exit::ExceptionReturn;
        }
        self.branch_state(bus, target);
        Exit::Next
    }

    /// The conditional branch `i` is taken: to an address that is known, and for as long as the builder says in `rd`.
    #[inline(always)]
    pub(super) fn take(&mut self, i: &Instruction) {
        self.go_to(i.imm);
        self.pass((i.rd as u8).into());
    }

    #[inline(always)]
    pub(super) fn bl(&mut self, i: &Instruction) {
        self.r[Reg::Lr as usize] = self.r[Reg::Pc as usize] | 1;
        self.go_to(i.imm);
    }

    /// BLX never returns from an exception (BLXWritePC()).
    #[inline(always)]
    pub(super) fn blx<P>(&mut self, bus: &Bus<P>, i: &Instruction) {
        let target = self.get(i.rm);
        self.r[Reg::Lr as usize] = self.r[Reg::Pc as usize] | 1;
        self.branch_state(bus, target);
    }
}

/// Tells whether a 32-bit instruction begins at `address`.
#[inline]
fn begins_wide<P>(bus: &Bus<P>, address: u32) -> bool {
    bus.memory.read(address, Width::Half).is_some_and(|first| is_wide(first as u16))
}
