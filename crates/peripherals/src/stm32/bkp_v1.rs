//! Backup registers of STM32F1 (RM0008, "Backup registers (BKP)"): data that outlives resets and Standby mode, the tamper pin
//! that erases it, and the settings of the RTC's calibration and output.

use cyclescope_machine::GapKind;

use crate::bank::all;
use crate::{BackupDomain, Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

const RTCCR: u32 = 0x2C;
const CR: u32 = 0x30;
const CSR: u32 = 0x34;

const TPE: u32 = 1 << 0;
const TPAL: u32 = 1 << 1;
const CTE: u32 = 1 << 0;
const CTI: u32 = 1 << 1;
const TPIE: u32 = 1 << 2;
const TEF: u32 = 1 << 8;
const TIF: u32 = 1 << 9;

/// The modelled registers (RM0008, "BKP register map"): the data registers of a medium-density part.
pub const MODEL: &[Modelled] = &[
    all("DR1", 0).and(&["DR2", "DR3", "DR4", "DR5", "DR6", "DR7", "DR8", "DR9", "DR10"]),
    all("RTCCR", 0).and(&["CR", "CSR"]),
];

/// The block: it outlives a system reset, and takes writes only while PWR_CR.DBP is set.
#[derive(Clone, Debug)]
pub struct BkpV1 {
    bank: Bank,
    writable: bool,
    /// The line of the tamper interrupt.
    line: Option<u8>,
    /// The level of the tamper pin.
    pin: bool,
}

impl BkpV1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), writable: false, line: None, pin: false }
    }

    /// Tampering interrupts over `line`.
    pub fn connect(&mut self, line: Option<u8>) {
        self.line = line;
    }

    /// The tamper pin has the level `high`.
    pub fn set_pin(&mut self, high: bool, env: &mut Env<'_, '_>) {
        self.pin = high;
        self.watch(env);
    }

    /// Erases the data if the tamper pin is watched and active (RM0008, "Tamper detection": a level that is active when the pin
    /// is enabled counts).
    fn watch(&mut self, env: &mut Env<'_, '_>) {
        let cr = self.bank.get(CR);
        let active = self.pin != (cr & TPAL != 0);
        if cr & TPE != 0 && active {
            for offset in (4..RTCCR).step_by(4) {
                self.bank.set(offset, 0);
            }
            self.bank.flag(CSR, TEF, true);
            if self.bank.get(CSR) & TPIE != 0 {
                self.bank.flag(CSR, TIF, true);
            }
        }
        self.drive(env);
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        let high = self.bank.get(CSR) & (TIF | TPIE) == TIF | TPIE;
        if let Some(line) = self.line {
            env.context.interrupts.set(line.into(), high);
        }
    }
}

impl BackupDomain for BkpV1 {
    fn allow_writes(&mut self, allowed: bool) {
        self.writable = allowed;
    }

    /// RM0008, "Backup domain reset".
    fn reset_domain(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.effect(Effect::RtcSettings { rtccr: 0 });
        self.drive(env);
    }
}

impl Block<Words> for BkpV1 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !self.writable {
            env.gap(GapKind::Setting, format_args!("BKP written while PWR_CR.DBP is 0: lost"));
            return;
        }
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            RTCCR if old != new => env.effect(Effect::RtcSettings { rtccr: new }),
            CR if old != new => self.watch(env),
            CSR => {
                let cleared = (if new & CTE != 0 { TEF } else { 0 }) | if new & CTI != 0 { TIF } else { 0 };
                self.bank.set(CSR, (old & (TEF | TIF) & !cleared) | (new & TPIE));
                self.drive(env);
            }
            _ => {}
        }
    }

    /// RM0008, BKP_CSR: TPIE, TIF and the tamper interrupt go with a system reset and Standby mode; the data stays.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.writable = false;
        self.bank.flag(CSR, TPIE | TIF, false);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
