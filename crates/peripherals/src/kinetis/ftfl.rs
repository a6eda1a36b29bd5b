//! Flash memory module (K20P64M72SF1RM, "Flash Memory Module (FTFL)"): status and the flash configuration field as
//! registers. Commands are not modelled: they end with ACCERR and are named.

use cyclescope_machine::{GapKind, Width};

use crate::bank::but;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Words, Write};

use super::registers::{bank, byte};

const FSTAT: u32 = 0x0;
const FPROT: u32 = 0x10;
const CCIF: u32 = 1 << 7;
/// RDCOLERR, ACCERR and FPVIOL.
const ERRORS: u32 = 7 << 4;
const ACCERR: u32 = 1 << 5;
/// FCNFG.CCIE.
const CCIE: u32 = 1 << 15;

/// The addresses of FPROT, FSEC and FOPT in the flash configuration field ("Flash configuration field description").
const FIELD_FPROT: u32 = 0x408;
const FIELD_FSEC: u32 = 0x40C;
const FIELD_FOPT: u32 = 0x40D;

/// The modelled registers and fields, with the values after reset ("Flash register descriptions").
pub const MODEL: &[Modelled] =
    &[but("FSTAT_FCNFG_FSEC_FOPT", 0x0000_0080, &["FCNFG.ERSSUSP", "FCNFG.ERSAREQ", "FCNFG.RDCOLLIE"])];

/// The block.
#[derive(Clone, Debug)]
pub struct Ftfl {
    bank: Bank,
    lines: Lines,
}

impl Ftfl {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]) }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let status = self.bank.get(FSTAT);
        self.lines.drive(u32::from(status & CCIF != 0 && status & CCIE != 0), env);
    }
}

impl Block<Words> for Ftfl {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset != FSTAT {
            self.bank.write(offset, write, env);
            return;
        }
        if let Some(status) = byte(write, 0) {
            // Errors are cleared by 1; a 1 to CCIF starts the command that FCCOB holds.
            self.bank.flag(FSTAT, u32::from(status) & ERRORS, false);
            if u32::from(status) & CCIF != 0 && self.bank.get(FSTAT) & ERRORS == 0 {
                env.gap(GapKind::Setting, format_args!("FTFL command: not modelled, ends with ACCERR"));
                self.bank.flag(FSTAT, ACCERR, true);
            }
        }
        if let Some(configuration) = byte(write, 1) {
            self.bank.flag(FSTAT, CCIE, configuration & 0x80 != 0);
        }
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        let memory = &env.context.memory;
        let field = |offset, width| memory.read(offset, width).unwrap_or(u32::MAX);
        let (fsec, fopt) = (field(FIELD_FSEC, Width::Byte), field(FIELD_FOPT, Width::Byte));
        let protection = field(FIELD_FPROT, Width::Word);
        let status = self.bank.get(FSTAT);
        self.bank.set(FSTAT, status | (fsec & 0xFF) << 16 | (fopt & 0xFF) << 24);
        self.bank.set(FPROT, protection);
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
