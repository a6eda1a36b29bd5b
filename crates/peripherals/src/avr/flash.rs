//! Self-programming: SPMCSR and what SPM does (8271H chapters 26 and 27, 7766J chapter 27).
//!
//! The core reads the section that is being programmed as it will be: that it must not is not noticed. Lock bits,
//! signature and fuses are not read through SPMCSR, nor lock bits written.

use cyclescope_machine::{GapKind, TimingRow};

use super::eeprom::RC_OSCILLATOR;
use super::{Avr, Env, Sections, Shared};
use crate::Block;

/// A page erase or a page write.
pub static PROGRAM: TimingRow = TimingRow::assumed(
    "SPM programming",
    "page erase or page write, in cycles of the calibrated RC oscillator of 8 MHz",
    36_000,
    "8271H table 27-18, 7766J table 27-14: 3.7 to 4.5 ms; taken as the longest",
);

/// The window in which SPM must follow SPMCSR.
pub static WINDOW: TimingRow = TimingRow::documented(
    "SPMEN",
    "cycles within which SPM must follow the write of SPMCSR",
    4,
    "8271H §27.3.1, 7766J §27.9.1",
);

mod bit {
    pub const SPMEN: u8 = 1 << 0;
    pub const PGERS: u8 = 1 << 1;
    pub const PGWRT: u8 = 1 << 2;
    pub const BLBSET: u8 = 1 << 3;
    pub const RWWSRE: u8 = 1 << 4;
    pub const SIGRD: u8 = 1 << 5;
    pub const RWWSB: u8 = 1 << 6;
    pub const SPMIE: u8 = 1 << 7;
    pub const COMMAND: u8 = SPMEN | PGERS | PGWRT | BLBSET | RWWSRE | SIGRD;
}

const READY: usize = 0;
const DONE: u16 = 0;

/// The flash as it programs itself. Its only register is SPMCSR.
#[derive(Clone, Debug)]
pub struct SelfProgramming {
    sections: Sections,
    /// Commands of SPMCSR, SPMIE and RWWSB.
    spmcsr: u8,
    enabled_until: u64,
    busy: bool,
    buffer: Vec<u8>,
}

impl SelfProgramming {
    /// That of a flash laid out as `sections` say.
    pub fn new(sections: Sections) -> Self {
        let buffer = vec![0xFF; usize::from(sections.page)];
        Self { sections, spmcsr: 0, enabled_until: 0, busy: false, buffer }
    }

    /// The command in SPMCSR, if SPM may still carry it out.
    fn command(&self, now: u64) -> Option<u8> {
        let command = self.spmcsr & bit::COMMAND;
        (!self.busy && command & bit::SPMEN != 0 && now <= self.enabled_until).then_some(command & !bit::SPMEN)
    }

    /// SPM with RAMPZ:Z = `address` and r1:r0 = `word`; for how many cycles the core is halted.
    pub fn store(&mut self, address: u32, word: u16, env: &mut Env<'_, '_>) -> u64 {
        if env.context.pc.get() < self.sections.boot {
            env.gap(GapKind::Setting, format_args!("SPM outside the boot section does nothing"));
            return 0;
        }
        let Some(command) = self.command(env.now()) else { return 0 };
        let page_bytes = self.buffer.len().max(2);
        let page = address as usize & !(page_bytes - 1);
        match command {
            0 => {
                let place = address as usize & (page_bytes - 1) & !1;
                for (cell, byte) in self.buffer.iter_mut().skip(place).zip(word.to_le_bytes()) {
                    *cell &= byte;
                }
            }
            bit::RWWSRE => {
                self.spmcsr &= !bit::RWWSB;
                self.buffer.fill(0xFF);
            }
            bit::PGERS => {
                env.context.memory.erase_flash(page, page_bytes);
                return self.begin(page as u32, env);
            }
            bit::PGWRT => {
                env.context.memory.program_flash(page, &self.buffer);
                self.buffer.fill(0xFF);
                return self.begin(page as u32, env);
            }
            _ => env.gap(GapKind::Setting, format_args!("SPMCSR command {command:#04x}")),
        }
        self.spmcsr &= !bit::COMMAND;
        0
    }

    /// Programming begins; outside the section that stays readable the core waits for its end.
    fn begin(&mut self, page: u32, env: &mut Env<'_, '_>) -> u64 {
        let periods = env.cycles(&PROGRAM);
        let done = env.tick() + env.ticks_of(periods, RC_OSCILLATOR);
        self.busy = true;
        env.schedule_tick(DONE, done);
        if page >= self.sections.no_read_while_write {
            return env.wires.shared.clock.cycle(done).saturating_sub(env.context.now).get();
        }
        self.spmcsr |= bit::RWWSB;
        0
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        env.line(READY, self.spmcsr & bit::SPMIE != 0 && self.spmcsr & bit::SPMEN == 0);
    }
}

impl Block<Avr> for SelfProgramming {
    fn read(&mut self, _: u8, env: &mut Env<'_, '_>) -> u8 {
        if !self.busy && env.now() > self.enabled_until {
            self.spmcsr &= !bit::COMMAND;
        }
        self.spmcsr
    }

    fn still(&self, _: u8, _: u64, _: &Shared) -> Option<u64> {
        // The time in which SPM may follow ends unseen, and takes the command with it.
        (self.busy || self.spmcsr & bit::COMMAND == 0).then_some(u64::MAX)
    }

    fn write(&mut self, _: u8, value: u8, env: &mut Env<'_, '_>) {
        if self.busy {
            // Only the interrupt can be switched while a page is programmed.
            self.spmcsr = self.spmcsr & !bit::SPMIE | value & bit::SPMIE;
        } else {
            self.spmcsr = self.spmcsr & bit::RWWSB | value & (bit::COMMAND | bit::SPMIE);
            self.enabled_until = env.now() + env.cycles(&WINDOW);
            for (name, bit) in [("SIGRD", bit::SIGRD), ("BLBSET", bit::BLBSET)] {
                if value & bit != 0 {
                    env.gap(GapKind::RegisterWrite, format_args!("SPMCSR.{name}"));
                }
            }
        }
        self.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.busy = false;
        self.spmcsr &= !bit::COMMAND;
        self.drive(env);
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        *self = Self::new(self.sections);
    }
}
