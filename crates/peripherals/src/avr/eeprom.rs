//! The EEPROM and its registers (8271H §8.4 and §8.6, 7766J chapter 5).

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::{Avr, Env, Shared};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// EECR.
    pub const EECR: u8 = 0;
    /// EEDR.
    pub const EEDR: u8 = 1;
    /// EEARL.
    pub const EEARL: u8 = 2;
    /// EEARH.
    pub const EEARH: u8 = 3;
}

/// The calibrated RC oscillator as delivered.
pub const RC_OSCILLATOR: Hertz = Hertz::new(8_000_000);

/// Erase and write in one operation.
pub static WRITE: TimingRow = TimingRow::documented(
    "EEPROM write",
    "erase and write of a byte, in cycles of the calibrated RC oscillator of 8 MHz",
    26_368,
    "8271H §8.4.2, table 8-2: EEPROM programming time; 7766J §5.3.3",
);

/// Erase only, or write only.
pub static HALF_WRITE: TimingRow = TimingRow::documented(
    "EEPROM erase or write only",
    "one of the two operations, in cycles of the calibrated RC oscillator of 8 MHz",
    14_400,
    "8271H §8.6.3, table 8-1: 1.8 ms",
);

/// The cycles that a read of EEPROM costs in addition to the instruction.
pub static READ_HALT: TimingRow = TimingRow::documented(
    "EEPROM read halt",
    "cycles for which the core is halted before its next instruction when EERE is set",
    4,
    "8271H §8.4, \"EEPROM Data Memory\"; 7766J §5.3",
);

/// The cycles that the start of an EEPROM write costs in addition to the instruction.
pub static WRITE_HALT: TimingRow = TimingRow::documented(
    "EEPROM write halt",
    "cycles for which the core is halted before its next instruction when EEPE begins a write",
    2,
    "8271H §8.4, \"EEPROM Data Memory\"; 7766J §5.3",
);

/// The window that EEMPE opens.
pub static WINDOW: TimingRow = TimingRow::documented(
    "EEMPE",
    "cycles within which EEPE must follow EEMPE",
    4,
    "8271H §8.6.3, 7766J §5.5.3: hardware clears EEMPE after four clock cycles",
);

mod bit {
    pub const EERE: u8 = 1 << 0;
    pub const EEPE: u8 = 1 << 1;
    pub const EEMPE: u8 = 1 << 2;
    pub const EERIE: u8 = 1 << 3;
    pub const EEPM: u8 = 3 << 4;
}

const READY: usize = 0;
const DONE: u16 = 0;

/// An EEPROM.
#[derive(Clone, Debug)]
pub struct Eeprom {
    contents: Vec<u8>,
    /// EEPM and EERIE.
    control: u8,
    data: u8,
    address: u16,
    busy: bool,
    /// Until when EEMPE stays set.
    enabled_until: Option<u64>,
}

impl Eeprom {
    /// An erased one of `bytes` bytes.
    pub fn new(bytes: u16) -> Self {
        let contents = vec![0xFF; usize::from(bytes)];
        Self { contents, control: 0, data: 0, address: 0, busy: false, enabled_until: None }
    }

    /// Writes `bytes` from byte `offset` on, as a programmer does; what goes beyond the end is lost.
    pub fn load(&mut self, offset: u32, bytes: &[u8]) {
        let cells = self.contents.get_mut(offset as usize..).unwrap_or_default();
        cells.iter_mut().zip(bytes).for_each(|(cell, byte)| *cell = *byte);
    }

    /// All bytes.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        env.line(READY, self.control & bit::EERIE != 0 && !self.busy);
    }

    fn is_enabled(&self, now: u64) -> bool {
        self.enabled_until.is_some_and(|until| now <= until)
    }

    fn cell(&mut self) -> Option<&mut u8> {
        let bytes = self.contents.len().max(1);
        self.contents.get_mut(usize::from(self.address) % bytes)
    }

    fn program(&mut self, env: &mut Env<'_, '_>) {
        let data = self.data;
        let mode = (self.control & bit::EEPM) >> 4;
        if let Some(cell) = self.cell() {
            *cell = match mode {
                0 => data,
                1 => 0xFF,
                _ => *cell & data,
            };
        }
        let row = if mode == 0 { &WRITE } else { &HALF_WRITE };
        let periods = env.cycles(row);
        let done = env.tick() + env.ticks_of(periods, RC_OSCILLATOR);
        env.schedule_tick(DONE, done);
        self.busy = true;
        self.enabled_until = None;
    }

    fn control_written(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let enabled = self.is_enabled(env.now());
        if !self.busy {
            self.control = value & (bit::EERIE | bit::EEPM);
        } else {
            // EEPM is locked while a byte is programmed (8271H §8.6.3).
            self.control = self.control & bit::EEPM | value & bit::EERIE;
        }
        if value & bit::EEPE != 0 && enabled && !self.busy {
            self.program(env);
            env.halt(&WRITE_HALT);
        } else if value & bit::EEMPE != 0 {
            if !enabled {
                self.enabled_until = Some(env.now() + env.cycles(&WINDOW));
            }
        } else {
            self.enabled_until = None;
        }
        if value & bit::EERE != 0 && !self.busy {
            self.data = self.cell().map_or(0xFF, |cell| *cell);
            env.halt(&READ_HALT);
        }
        self.drive(env);
    }
}

impl Block<Avr> for Eeprom {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            register::EECR => {
                let enabled = if self.is_enabled(env.now()) { bit::EEMPE } else { 0 };
                self.control | enabled | if self.busy { bit::EEPE } else { 0 }
            }
            register::EEDR => self.data,
            register::EEARL => self.address as u8,
            _ => (self.address >> 8) as u8,
        }
    }

    fn still(&self, register: u8, now: u64, _: &Shared) -> Option<u64> {
        (register != register::EECR || !self.is_enabled(now)).then_some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::EECR => self.control_written(value, env),
            register::EEDR => self.data = value,
            register::EEARL => self.address = self.address & 0xFF00 | u16::from(value),
            _ => self.address = self.address & 0xFF | u16::from(value) << 8,
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.busy = false;
        self.drive(env);
    }

    /// Whatever was being programmed is done.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let contents = std::mem::take(&mut self.contents);
        *self = Self { contents, ..Self::new(0) };
        self.drive(env);
    }
}
