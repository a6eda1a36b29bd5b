//! Branches that compute their target: DDI 0419E §A6.7 and the functions BranchWritePC and BXWritePC (appendix D).

use super::Exit;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Reg};

impl Cpu {
    /// BranchWritePC(): bit 0 is ignored.
    #[inline(always)]
    pub(super) fn branch(&mut self, target: u32) {
        self.r[Reg::Pc as usize] = target & !1;
    }

    /// Branches with bit 0 becoming EPSR.T; the run loop faults the next instruction where that is zero.
    #[inline(always)]
    fn branch_state(&mut self, target: u32) {
        if target & 1 == 0 {
            self.thumb = false;
            self.horizon = 0;
        }
        self.branch(target);
    }

    /// BXWritePC(): in handler mode the top values return from the exception, else bit 0 becomes EPSR.T.
    #[inline(always)]
    pub(super) fn branch_exchange(&mut self, target: u32) -> Exit {
        if target >> 28 == 0xF && self.ipsr != 0 {
            self.detail = target;
            return Exit::ExceptionReturn;
        }
        self.branch_state(target);
        Exit::Next
    }

    #[inline(always)]
    pub(super) fn bl(&mut self, i: &Instruction) {
        self.r[Reg::Lr as usize] = self.r[Reg::Pc as usize] | 1;
        self.r[Reg::Pc as usize] = i.imm;
    }

    #[inline(always)]
    pub(super) fn bx(&mut self, i: &Instruction) -> Exit {
        self.branch_exchange(self.get(i.rm))
    }

    /// BLX never returns from an exception (BLXWritePC()).
    #[inline(always)]
    pub(super) fn blx(&mut self, i: &Instruction) {
        let target = self.get(i.rm);
        self.r[Reg::Lr as usize] = self.r[Reg::Pc as usize] | 1;
        self.branch_state(target);
    }

    #[inline(always)]
    pub(super) fn add_pc(&mut self, i: &Instruction) {
        self.branch(i.imm.wrapping_add(self.get(i.rm)));
    }
}
