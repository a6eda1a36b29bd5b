//! Tamper detection and backup registers of STM32G0 and G4 (RM0444 and RM0440, "Tamper and backup registers (TAMP)"): an edge of a
//! tamper pin sets a flag and erases the backup registers.
//!
//! Not modelled: levels that last for some samples (TAMPFLT), and tampering that the part itself notices (ITAMPxE).

use cyclescope_machine::GapKind;

use crate::bank::{all, some};
use crate::{BackupDomain, Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const IER: u32 = 0x2C;
const SR: u32 = 0x30;
const MISR: u32 = 0x34;
const SCR: u32 = 0x3C;
const BKPR0: u32 = 0x100;

/// Tamper pins, at most.
const PINS: usize = 3;
/// The flags of the pins.
const FLAGS: u32 = 7;
/// Backup registers, at most.
const BACKUP: u32 = 32;

/// The lowest bits of CR2: backup registers stay, no flag, and the falling edge.
const NOERASE: u32 = 0;
const MASKED: u32 = 16;
const FALLING: u32 = 24;

/// The modelled registers and fields, with the values after a reset of the domain (RM0444, RM0440, "TAMP register map").
pub const MODEL: &[Modelled] = &[
    some("CR1", 0, &["TAMPE0", "TAMPE1", "TAMPE2"]),
    all("CR2", 0),
    some("IER", 0, &["TAMPIE0", "TAMPIE1", "TAMPIE2"]),
    some("SR", 0, &["TAMPF0", "TAMPF1", "TAMPF2"]),
    some("MISR", 0, &["TAMPMF0", "TAMPMF1", "TAMPMF2"]),
    some("SCR", 0, &["CTAMPF0", "CTAMPF1", "CTAMPF2"]),
    all("BKPR0", 0).and(&[
        "BKPR1", "BKPR2", "BKPR3", "BKPR4", "BKPR5", "BKPR6", "BKPR7", "BKPR8", "BKPR9", "BKPR10", "BKPR11", "BKPR12",
        "BKPR13", "BKPR14", "BKPR15", "BKPR16", "BKPR17", "BKPR18", "BKPR19", "BKPR20", "BKPR21", "BKPR22", "BKPR23",
        "BKPR24", "BKPR25", "BKPR26", "BKPR27", "BKPR28", "BKPR29", "BKPR30", "BKPR31",
    ]),
];

/// The block.
#[derive(Clone, Debug)]
pub struct Tamp {
    bank: Bank,
    /// PWR_CR1.DBP lets writes through, or nothing guards the domain.
    writable: bool,
    is_guarded: bool,
    /// The line of the external interrupts.
    line: u8,
    /// The levels of the pins.
    pins: [bool; PINS],
    driven: bool,
}

impl Tamp {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            writable: false,
            is_guarded: false,
            line: 0,
            pins: [false; PINS],
            driven: false,
        }
    }

    /// Flags go to `line` of the external interrupts; `guarded` tells if PWR_CR1.DBP guards the block.
    pub fn connect(&mut self, line: u8, guarded: bool) {
        (self.line, self.is_guarded) = (line, guarded);
    }

    /// The pin of the additional function `signal`, TAMP_IN1 to TAMP_IN3, has the level `high`.
    pub fn set_pin(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        if let Some(pin) = ["TAMP_IN1", "TAMP_IN2", "TAMP_IN3"].iter().position(|known| *known == signal) {
            self.pins[pin] = high;
            self.watch(pin, env);
        }
    }

    /// An edge of `pin`, or its enabling, tampers if the pin is active now.
    fn watch(&mut self, pin: usize, env: &mut Env<'_, '_>) {
        let (cr2, bit) = (self.bank.get(CR2), 1 << pin);
        let falling = cr2 >> FALLING & bit != 0;
        if self.bank.get(CR1) & bit == 0 || self.pins[pin] == falling || cr2 >> MASKED & bit != 0 {
            return;
        }
        self.bank.flag(SR, bit, true);
        if cr2 >> NOERASE & bit == 0 {
            (0..BACKUP).for_each(|register| self.bank.set(BKPR0 + 4 * register, 0));
        }
        self.drive(env);
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.bank.get(SR) & self.bank.get(IER) & FLAGS;
        self.bank.set(MISR, active);
        let high = active != 0;
        if high != self.driven {
            self.driven = high;
            env.effect(Effect::Internal { line: self.line, high });
        }
    }
}

impl BackupDomain for Tamp {
    fn allow_writes(&mut self, allowed: bool) {
        self.writable = allowed;
    }

    fn reset_domain(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.drive(env);
    }
}

impl Block<Words> for Tamp {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if self.is_guarded && !self.writable {
            env.gap(GapKind::Setting, format_args!("TAMP written while PWR_CR1.DBP is 0: lost"));
            return;
        }
        // SCR reads as 0.
        if offset == SCR {
            self.bank.flag(SR, write.ones(), false);
            return self.drive(env);
        }
        let (old, new) = self.bank.write(offset, write, env);
        if offset == CR1 {
            for pin in (0..PINS).filter(|pin| !old & new & 1 << pin != 0) {
                self.watch(pin, env);
            }
        }
        self.drive(env);
    }

    /// The domain outlives a system reset; the line begins low after a reset of the interrupt controller.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.writable = false;
        self.driven = false;
        self.drive(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
