//! Special registers and processor state: DDI 0419E §B4.2.

use crate::cpu::Cpu;
use crate::decode::Instruction;

/// SYSm values (DDI 0419E §B4.2.3, table of special registers).
mod sysm {
    pub const MSP: u32 = 8;
    pub const PSP: u32 = 9;
    pub const PRIMASK: u32 = 16;
    pub const CONTROL: u32 = 20;
}

impl Cpu {
    /// CPSIE i and CPSID i; ignored without privilege.
    pub(super) fn cps(&mut self, i: &Instruction) {
        if self.privileged() {
            self.primask = i.imm != 0;
            self.horizon = 0;
        }
    }

    /// Reads a special register; without privilege the stack pointers and PRIMASK read as zero.
    pub(super) fn mrs(&mut self, i: &Instruction) {
        let (main, process) = self.stack_pointers();
        let value = match i.imm {
            // The combinations of APSR, IPSR and EPSR; EPSR reads as zero.
            sys @ 0..=7 => {
                let ipsr = if sys & 1 != 0 { u32::from(self.ipsr) } else { 0 };
                let apsr = if sys & 4 == 0 { self.apsr() } else { 0 };
                ipsr | apsr
            }
            sysm::MSP if self.privileged() => main,
            sysm::PSP if self.privileged() => process,
            sysm::PRIMASK if self.privileged() => u32::from(self.primask),
            sysm::CONTROL => self.control(),
            _ => 0,
        };
        self.set(i.rd, value);
    }

    /// Writes a special register; without privilege only the flags.
    pub(super) fn msr(&mut self, i: &Instruction) {
        let value = self.get(i.rn);
        self.horizon = 0;
        match i.imm {
            // The combinations with APSR.
            0..=3 => self.set_apsr(value),
            _ if !self.privileged() => {}
            sysm::MSP => self.set_stack_pointer(false, value),
            sysm::PSP => self.set_stack_pointer(true, value),
            sysm::PRIMASK => self.primask = value & 1 != 0,
            sysm::CONTROL => {
                self.unprivileged = value & 1 != 0;
                // SPSEL can only be written in thread mode.
                if self.ipsr == 0 {
                    self.select_stack(value & 2 != 0);
                }
            }
            _ => {}
        }
    }
}
