//! Pins of the real-time clock: timestamps, and tampering that erases the backup registers (RM0390, RM0490, "Time-stamp
//! function", "Tamper detection").

use super::{Rtc, TIMESTAMP_TIME, TSDR, TSSSR, TSTR, cr, isr};
use crate::stm32::rtc::ROWS;
use crate::{Env, Write};

/// The first backup register, and the end of them.
const BACKUP: std::ops::Range<u32> = 0x50..0xD0;

/// Bits of TAFCR and TAMPCR; those of the next tamper pin lie three higher.
const TAMPE: u32 = 1 << 0;
const TRIGGER: u32 = 1 << 1;
const TAMPIE: u32 = 1 << 2;
const TAMPTS: u32 = 1 << 7;
/// Without pins that TAFCR moves, bits of each tamper pin, three higher for the next: its own interrupt, backup registers stay, and
/// no flag.
const TAMP1IE: u32 = 1 << 16;
const TAMP1NOERASE: u32 = 1 << 17;
const TAMP1MF: u32 = 1 << 18;
/// With such pins:
const TAMP1INSEL: u32 = 1 << 16;
const TSINSEL: u32 = 1 << 17;

/// A tamper pin.
#[derive(Clone, Copy, Debug)]
pub struct Tamper {
    /// Its level.
    high: bool,
    /// The tick of the sample that finds it active for long enough.
    sampled: u64,
}

impl Default for Tamper {
    fn default() -> Self {
        Self { high: false, sampled: u64::MAX }
    }
}

impl Rtc {
    /// The block's additional function `which` (0 for RTC_AF1, 1 for RTC_AF2, 2 for RTC_AF3) has the level `high`.
    pub fn set_pin(&mut self, which: usize, high: bool, env: &mut Env<'_, '_>) {
        self.settle(env);
        let tafcr = self.tamper_control();
        let control = self.bank.get(self.version.cr);
        let moved = |bit: u32| usize::from(self.version.moves_pins && tafcr & bit != 0);
        let stamps = moved(TSINSEL) == which;
        if stamps && control & cr::TSE != 0 && high == (control & cr::TSEDGE == 0) {
            self.stamp(env);
        }
        // Tamper pin 1 may be moved to where pin 2 is.
        let first = moved(TAMP1INSEL) == which;
        for (index, here) in [first, which == 1, which == 2].into_iter().enumerate() {
            if here {
                self.tampers[index].high = high;
                self.watch(index, true, env);
            }
        }
        self.drive(env);
        self.schedule(env);
    }

    fn tamper_control(&self) -> u32 {
        self.version.tafcr.map_or(0, |tafcr| self.bank.get(tafcr))
    }

    /// TAFCR or a backup register is written: no key protects them.
    pub(super) fn write_open(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if Some(offset) == self.version.tafcr && old != new {
            for index in 0..3 {
                let enabled = !old & new & TAMPE << (3 * index) != 0;
                self.watch(index, enabled, env);
            }
        }
    }

    /// Pin `index` or its settings changed; an edge, or enabling the pin while it is active, tampers (`edge`).
    fn watch(&mut self, index: usize, edge: bool, env: &mut Env<'_, '_>) {
        let tafcr = self.tamper_control();
        let bits = tafcr >> (3 * index);
        let (high, filter) = (self.tampers[index].high, tafcr >> 11 & 3);
        self.tampers[index].sampled = u64::MAX;
        if bits & TAMPE == 0 {
            return;
        }
        let falling = bits & TRIGGER != 0;
        if filter == 0 {
            if edge && high != falling {
                self.tamper(index, env);
            }
        } else if high == falling {
            // Levels: 0 is low, 1 high; 2, 4 or 8 samples in a row.
            let between = 32_768u64 >> (tafcr >> 8 & 7);
            let tick = self.tick(env);
            self.tampers[index].sampled = (tick / between + (1 << filter)).saturating_mul(between);
        }
    }

    /// The ticks of samples that will find a pin active for long enough.
    pub(super) fn next_samples(&self) -> impl Iterator<Item = u64> {
        self.tampers.iter().map(|tamper| tamper.sampled).filter(|at| *at != u64::MAX)
    }

    /// Takes the samples that are due by `tick`.
    pub(super) fn sample_tampers(&mut self, tick: u64, env: &mut Env<'_, '_>) {
        for index in 0..3 {
            if tick >= self.tampers[index].sampled {
                self.tampers[index].sampled = u64::MAX;
                self.tamper(index, env);
            }
        }
    }

    /// The tamper flags whose interrupts are enabled.
    pub(super) fn enabled_tampers(&self) -> u32 {
        let tafcr = self.tamper_control();
        let enabled = |index: u32| tafcr & TAMPIE != 0 || self.has(TAMP1IE << (3 * index));
        (0..3).filter(|index| enabled(*index)).fold(0, |flags, index| flags | isr::TAMP1F << index)
    }

    /// A bit of TAMPCR that TAFCR does not have.
    fn has(&self, bit: u32) -> bool {
        !self.version.moves_pins && self.tamper_control() & bit != 0
    }

    fn tamper(&mut self, index: usize, env: &mut Env<'_, '_>) {
        if !self.has(TAMP1MF << (3 * index)) {
            self.flags |= isr::TAMP1F << index;
            if !self.has(TAMP1NOERASE << (3 * index)) {
                for offset in BACKUP.step_by(4) {
                    self.bank.set(offset, 0);
                }
            }
        }
        if self.tamper_control() & TAMPTS != 0 {
            self.stamp(env);
        }
    }

    /// Keeps the time; a second event before the flag of the first is cleared is an overflow.
    fn stamp(&mut self, env: &mut Env<'_, '_>) {
        if self.flags & isr::TSF != 0 || self.stamped.is_some() {
            self.flags |= isr::TSOVF;
            return;
        }
        let tick = self.tick(env);
        self.chain.advance(tick);
        let now = self.shadow_of(*self.chain.anchor());
        self.bank.set(TSTR, now.tr);
        self.bank.set(TSDR, now.dr & 0xFFFF);
        self.bank.set(TSSSR, now.ssr);
        let periods = env.cycles(&ROWS[TIMESTAMP_TIME]);
        self.stamped = Some(self.chain.tick_after(periods));
    }
}
