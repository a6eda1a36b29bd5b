//! An SPI block with I2S beside it, where its registers have it: I2SCFGR.I2SMOD chooses.

use std::ops::{Deref, DerefMut};

use super::i2s::{HALF_WORD, I2SCFGR, I2SMOD, I2SPR, I2s};
use super::spi::{Spi, Version};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SR: u32 = 0x08;
const DR: u32 = 0x0C;

/// The block.
#[derive(Clone, Debug)]
pub struct SpiI2s<V> {
    spi: Spi<V>,
    i2s: Option<I2s>,
    /// The signals of I2S among those of the instance, one bit each.
    pins: u64,
}

impl<V> Deref for SpiI2s<V> {
    type Target = Spi<V>;

    fn deref(&self) -> &Spi<V> {
        &self.spi
    }
}

impl<V> DerefMut for SpiI2s<V> {
    fn deref_mut(&mut self) -> &mut Spi<V> {
        &mut self.spi
    }
}

impl<V: Version> SpiI2s<V> {
    /// The block `instance` with `model` of its registers.
    pub(super) fn with(instance: &Instance, model: &[Modelled]) -> Self {
        let has_i2s = instance.map.register("I2SCFGR").is_some();
        let i2s = instance.pins.iter().take(64).map(|wired| wired.signal.starts_with("I2S"));
        Self {
            spi: Spi::with(instance, model),
            i2s: has_i2s.then(|| I2s::new(instance, V::I2S_DEPTH)),
            pins: i2s.zip(0..).fold(0, |pins, (i2s, index)| pins | u64::from(i2s) << index),
        }
    }

    /// Selects the clock of I2S; tells if one in use was another.
    pub fn set_i2s_clock(&mut self, clock: Source) -> bool {
        let on = self.mode();
        self.i2s.as_mut().is_some_and(|i2s| std::mem::replace(&mut i2s.clock, clock) != clock) && on
    }

    /// True in I2S mode.
    fn mode(&self) -> bool {
        self.spi.bank.get(I2SCFGR) & I2SMOD != 0
    }

    /// Lets I2S do something, in its mode.
    fn with_i2s<R>(&mut self, act: impl FnOnce(&mut I2s, &mut Bank) -> R) -> Option<R> {
        if !self.mode() {
            return None;
        }
        self.i2s.as_mut().map(|i2s| act(i2s, &mut self.spi.bank))
    }
}

impl<V: Version> Block<Words> for SpiI2s<V> {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if matches!(offset, SR | DR)
            && let Some(value) = self.with_i2s(|i2s, bank| i2s.read(offset, bank, env))
        {
            return value;
        }
        self.spi.read(offset, env)
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        if self.mode() { None } else { self.spi.still(offset, now, clocks) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Some(i2s) =
            self.i2s.as_mut().filter(|_| matches!(offset, I2SCFGR | I2SPR) || self.spi.bank.get(I2SCFGR) & I2SMOD != 0)
        else {
            self.spi.write(offset, write, env);
            return;
        };
        let bank = &mut self.spi.bank;
        match offset {
            I2SCFGR | I2SPR => {
                let cfgr = bank.get(I2SCFGR);
                let (_, new) = bank.write(offset, write, env);
                if offset == I2SCFGR {
                    if (cfgr ^ new) & I2SMOD != 0 {
                        // The lines of SPI are let go, or are back.
                        for signal in ["SCK", "MOSI", "MISO", "NSS"] {
                            let level = self.spi.output(signal).filter(|_| new & I2SMOD == 0);
                            env.effect(Effect::Output { signal, level });
                        }
                    }
                    let bank = &mut self.spi.bank;
                    if cfgr & !new & I2SMOD != 0 {
                        i2s.reset(env);
                    }
                    i2s.configured(cfgr, bank, env);
                }
            }
            DR => i2s.put((write.ones() & 0xFFFF) as u16),
            SR => {}
            // MSTR and SPE are of no use here (RM0008, RM0390, RM0490, SPI_CR1), and drive no line.
            CR1 | CR2 => {
                bank.write(offset, write, env);
            }
            // The registers of SPI and its CRC are of no use here.
            _ => {
                self.spi.write(offset, write, env);
                return;
            }
        }
        let bank = &mut self.spi.bank;
        if bank.get(I2SCFGR) & I2SMOD != 0 {
            i2s.settle(bank, env);
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind != HALF_WORD {
            self.spi.event(kind, env);
        } else {
            self.with_i2s(|i2s, bank| {
                i2s.ended(bank, env);
                i2s.settle(bank, env);
            });
        }
    }

    fn called(&mut self, env: &mut Env<'_, '_>) {
        self.spi.called(env);
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let signal = env.instance.pins.get(index).map_or("", |wired| wired.signal);
        if !signal.starts_with("I2S") {
            if !self.mode() {
                self.spi.input(index, high, env);
            }
            return;
        }
        self.with_i2s(|i2s, bank| {
            i2s.input(signal, high, bank, env);
            i2s.settle(bank, env);
        });
    }

    /// The pins of I2S only in its mode: those of SPI, which are the same, would be heard all the time.
    fn hears(&self, index: usize) -> bool {
        let i2s = self.pins.checked_shr(index as u32).unwrap_or(0) & 1 != 0;
        if i2s { self.mode() } else { self.spi.hears(index) }
    }

    fn hears_shared(&self, index: usize) -> bool {
        !self.mode() && self.spi.hears_shared(index)
    }

    fn before_change(&mut self, change: Tree, env: &mut Env<'_, '_>) {
        self.spi.before_change(change, env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.spi.after_change(old, env);
        self.with_i2s(|i2s, _| i2s.clock_changed(old.period_of(i2s.clock), env));
    }

    fn refine(&mut self, times: u64) {
        self.spi.refine(times);
        if let Some(i2s) = &mut self.i2s {
            i2s.refine(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        if let Some(i2s) = &mut self.i2s {
            i2s.reset(env);
        }
        self.spi.reset(env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        match &self.i2s {
            Some(i2s) if self.mode() => i2s.output(signal, &self.spi.bank),
            _ => self.spi.output(signal),
        }
    }

    fn bank(&self) -> Option<&Bank> {
        self.spi.bank()
    }
}
