//! Power control and backup registers of STM32F1 (RM0008, "Power control (PWR)", "Backup registers (BKP)"): what
//! guards the backup domain, and what is in it.
//!
//! Low-power modes beyond Sleep, the voltage detector, tamper detection and the calibration output are not modelled.

use cyclescope_machine::GapKind;

use crate::bank::{all, some};
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Words, Write};

const PWR_CR: u32 = 0x00;
const PWR_CSR: u32 = 0x04;
const CWUF: u32 = 1 << 2;
const CSBF: u32 = 1 << 3;
const DBP: u32 = 1 << 8;
const WUF: u32 = 1 << 0;
const SBF: u32 = 1 << 1;
const EWUP: u32 = 1 << 8;

/// The modelled registers and fields of PWR (RM0008, "PWR register map").
pub const PWR: &[Modelled] = &[some("CR", 0, &["CWUF", "CSBF", "DBP"]), some("CSR", 0, &["WUF", "SBF", "PVDO"])];

/// The modelled registers of BKP (RM0008, "BKP register map"): the data registers of a medium-density part.
pub const BKP: &[Modelled] = &[
    all("DR1", 0).and(&["DR2", "DR3", "DR4", "DR5", "DR6", "DR7", "DR8", "DR9", "DR10"]),
    some("RTCCR", 0, &[]).and(&["CR", "CSR"]),
];

/// Power control.
#[derive(Clone, Debug)]
pub struct PwrF1 {
    bank: Bank,
}

impl PwrF1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, PWR) }
    }
}

impl Block<Words> for PwrF1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            PWR_CR => {
                self.bank.flag(PWR_CSR, WUF, self.bank.get(PWR_CSR) & WUF != 0 && new & CWUF == 0);
                self.bank.flag(PWR_CSR, SBF, self.bank.get(PWR_CSR) & SBF != 0 && new & CSBF == 0);
                self.bank.set(PWR_CR, new & !(CWUF | CSBF));
                if (old ^ new) & DBP != 0 {
                    env.effect(Effect::BackupAccess { allowed: new & DBP != 0 });
                }
            }
            PWR_CSR => self.bank.set(PWR_CSR, (old & !EWUP) | (new & EWUP)),
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.effect(Effect::BackupAccess { allowed: false });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

/// Backup registers: they outlive a system reset, and take writes only while PWR_CR.DBP is set.
#[derive(Clone, Debug)]
pub struct BkpV1 {
    bank: Bank,
    writable: bool,
}

impl BkpV1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, BKP), writable: false }
    }

    /// PWR_CR.DBP changed.
    pub fn allow_writes(&mut self, allowed: bool) {
        self.writable = allowed;
    }

    /// The backup domain was reset (RM0008, "Backup domain reset").
    pub fn reset_domain(&mut self) {
        self.bank.reset();
    }
}

impl Block<Words> for BkpV1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if self.writable {
            self.bank.write(offset, write, env);
        } else {
            env.gap(GapKind::Setting, format_args!("BKP written while PWR_CR.DBP is 0: lost"));
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.writable = false;
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
