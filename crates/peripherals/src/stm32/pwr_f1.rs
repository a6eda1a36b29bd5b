//! Power control of STM32F1 (RM0008, "Power control (PWR)").
//!
//! Low-power modes beyond Sleep and the voltage detector are not modelled.

use crate::bank::some;
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
pub const MODEL: &[Modelled] = &[some("CR", 0, &["CWUF", "CSBF", "DBP"]), some("CSR", 0, &["WUF", "SBF", "PVDO"])];

/// Power control.
#[derive(Clone, Debug)]
pub struct PwrF1 {
    bank: Bank,
}

impl PwrF1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL) }
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
