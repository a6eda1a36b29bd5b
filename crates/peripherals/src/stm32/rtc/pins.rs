//! Pins of the real-time clock: timestamps, and tampering that erases the backup registers (RM0390, RM0490, "Time-stamp
//! function", "Tamper detection").

use super::{Rtc, TIMESTAMP_TIME, TSDR, TSSSR, TSTR, Version, cr, isr};
use crate::stm32::rtc::ROWS;
use crate::{Env, Write};

/// The first backup register, and the end of them.
const BACKUP: std::ops::Range<u32> = 0x50..0xA0;

/// Bits of TAFCR; those of the second tamper pin lie three higher.
const TAMPE: u32 = 1 << 0;
const TRIGGER: u32 = 1 << 1;
const TAMPTS: u32 = 1 << 7;
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

impl<V: Version> Rtc<V> {
    /// The block's additional function `which` (0 for RTC_AF1, 1 for RTC_AF2) has the level `high`.
    pub fn set_pin(&mut self, which: usize, high: bool, env: &mut Env<'_, '_>) {
        self.settle(env);
        let tafcr = self.tamper_control();
        let control = self.bank.get(V::PLACES.cr);
        let stamps = usize::from(tafcr & TSINSEL != 0) == which;
        if stamps && control & cr::TSE != 0 && high == (control & cr::TSEDGE == 0) {
            self.stamp(env);
        }
        // Tamper pin 1 may be moved to where pin 2 is.
        let first = usize::from(tafcr & TAMP1INSEL != 0) == which;
        for (index, here) in [first, which == 1].into_iter().enumerate() {
            if here {
                self.tampers[index].high = high;
                self.watch(index, true, env);
            }
        }
        self.drive(env);
        self.schedule(env);
    }

    fn tamper_control(&self) -> u32 {
        V::PLACES.tafcr.map_or(0, |tafcr| self.bank.get(tafcr))
    }

    /// TAFCR or a backup register is written: no key protects them.
    pub(super) fn write_open(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if Some(offset) == V::PLACES.tafcr && old != new {
            for index in 0..2 {
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
        for index in 0..2 {
            if tick >= self.tampers[index].sampled {
                self.tampers[index].sampled = u64::MAX;
                self.tamper(index, env);
            }
        }
    }

    fn tamper(&mut self, index: usize, env: &mut Env<'_, '_>) {
        self.flags |= isr::TAMP1F << index;
        for offset in BACKUP.step_by(4) {
            self.bank.set(offset, 0);
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
