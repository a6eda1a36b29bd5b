//! Special registers and processor state: DDI 0419E §B4.2, DDI 0403E §B5.2.

use crate::cpu::Cpu;
use crate::decode::Instruction;

/// SYSm values (DDI 0403E §B5.2.2, table of special registers).
pub(crate) mod sysm {
    pub const MSP: u32 = 8;
    pub const PSP: u32 = 9;
    pub const PRIMASK: u32 = 16;
    pub const BASEPRI: u32 = 17;
    pub const BASEPRI_MAX: u32 = 18;
    pub const FAULTMASK: u32 = 19;
    pub const CONTROL: u32 = 20;
}

impl Cpu {
    /// CPSIE and CPSID; ignored without privilege.
    pub(super) fn cps(&mut self, i: &Instruction) {
        if !self.privileged() {
            return;
        }
        let disable = i.imm & Instruction::CPS_DISABLE != 0;
        if i.imm & Instruction::CPS_PRIMASK != 0 {
            self.primask = disable;
        }
        if i.imm & Instruction::CPS_FAULTMASK != 0 {
            self.set_faultmask(disable);
        }
        self.masks_changed();
    }

    /// Asks the run loop to look at everything again if an exception is ready or the MPU is on: a waiting exception may
    /// now be taken, and the MPU may apply other rights.
    fn masks_changed(&mut self) {
        if self.nvic.any_ready() || self.mpu.is_on() {
            self.horizon = 0;
        }
    }

    /// FAULTMASK cannot be set at the priority of HardFault or NMI.
    fn set_faultmask(&mut self, masked: bool) {
        if !masked || self.execution_priority() > -1 {
            self.faultmask = masked;
        }
    }

    /// Reads a special register; without privilege the stack pointers and masks read as zero.
    pub(super) fn mrs(&mut self, i: &Instruction) {
        let (main, process) = self.stack_pointers();
        let v7 = self.config.architecture.is_v7();
        let value = match i.imm {
            // The combinations of APSR, IPSR and EPSR; EPSR reads as zero.
            sys @ 0..=7 => {
                let ipsr = if sys & 1 != 0 { u32::from(self.ipsr) } else { 0 };
                let apsr = if sys & 4 == 0 { self.apsr() } else { 0 };
                ipsr | apsr
            }
            sysm::CONTROL => self.control(),
            _ if !self.privileged() => 0,
            sysm::MSP => main,
            sysm::PSP => process,
            sysm::PRIMASK => u32::from(self.primask),
            sysm::BASEPRI | sysm::BASEPRI_MAX if v7 => u32::from(self.basepri),
            sysm::FAULTMASK if v7 => u32::from(self.faultmask),
            _ => 0,
        };
        self.set(i.rd, value);
    }

    /// Writes a special register; without privilege only the flags.
    pub(super) fn msr(&mut self, i: &Instruction) {
        let value = self.get(i.rn);
        let v7 = self.config.architecture.is_v7();
        match i.imm & 0xFF {
            // The combinations with APSR.
            0..=3 => self.set_apsr_fields(value, i),
            _ if !self.privileged() => {}
            sysm::MSP => self.set_stack_pointer(false, value),
            sysm::PSP => self.set_stack_pointer(true, value),
            sysm::PRIMASK => self.primask = value & 1 != 0,
            sysm::BASEPRI if v7 => self.basepri = self.nvic.implemented(value as u8),
            sysm::BASEPRI_MAX if v7 => {
                let value = self.nvic.implemented(value as u8);
                if value != 0 && (value < self.basepri || self.basepri == 0) {
                    self.basepri = value;
                }
            }
            sysm::FAULTMASK if v7 => self.set_faultmask(value & 1 != 0),
            sysm::CONTROL => {
                self.horizon = 0;
                self.unprivileged = value & 1 != 0;
                // SPSEL can only be written in thread mode.
                if self.ipsr == 0 {
                    self.select_stack(value & 2 != 0);
                }
                if self.config.architecture.has_fpu() {
                    self.fp.active = value & 4 != 0;
                }
                self.update_fp_ready();
            }
            _ => {}
        }
        self.masks_changed();
    }

    fn set_apsr_fields(&mut self, value: u32, i: &Instruction) {
        if i.imm & Instruction::MSR_FLAGS != 0 {
            self.set_nzcv(value);
            self.q = value & 1 << 27 != 0 && self.config.architecture.is_v7();
        }
        if i.imm & Instruction::MSR_GE != 0 && self.config.architecture >= crate::decode::Architecture::Armv7EM {
            self.ge = (value >> 16 & 0xF) as u8;
        }
    }
}
