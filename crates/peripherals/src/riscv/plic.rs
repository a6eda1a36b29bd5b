//! A platform-level interrupt controller with one context, for the hart's M mode (RISC-V Platform-Level Interrupt Controller
//! Specification 1.0.0; SiFive FU540-C000 manual v1p0, chapter 10). All sources are levels. The context for S mode, which
//! QEMU's `virt` has as well, is named as a gap.

use cyclescope_machine::GapKind;

use super::{Env, Riscv};
use crate::register::word;
use crate::{Access, Block, Field, Map, Write};

const PENDING: u32 = 0x1000;
const ENABLE: u32 = 0x2000;
const THRESHOLD: u32 = 0x20_0000;
const CLAIM: u32 = 0x20_0004;

/// Priorities are 0 to 7.
const HIGHEST: u32 = 7;

/// The registers, of those that come in rows the first.
pub static MAP: Map = Map {
    kind: "plic",
    version: "1.0.0",
    registers: &[
        word("PRIORITY", 0x4, Access::ReadWrite, &[Field::new("PRIORITY", 0, 3)]),
        word("PENDING", PENDING, Access::ReadOnly, &[Field::new("PENDING", 0, 32)]),
        word("ENABLE", ENABLE, Access::ReadWrite, &[Field::new("ENABLE", 0, 32)]),
        word("THRESHOLD", THRESHOLD, Access::ReadWrite, &[Field::new("THRESHOLD", 0, 3)]),
        word("CLAIM", CLAIM, Access::ReadWrite, &[Field::new("SOURCE", 0, 32)]),
    ],
};

/// The block. Its wire: the external interrupt.
#[derive(Clone, Debug)]
pub struct Plic {
    sources: u32,
    priorities: Vec<u8>,
    threshold: u32,
    /// One bit a source.
    levels: u128,
    pending: u128,
    enabled: u128,
    /// Claimed and not completed.
    serviced: u128,
}

impl Plic {
    /// One of sources up to `sources`, 127 at most.
    pub fn new(sources: u8) -> Self {
        let sources = u32::from(sources.min(127));
        Self {
            sources,
            priorities: vec![0; sources as usize + 1],
            threshold: 0,
            levels: 0,
            pending: 0,
            enabled: 0,
            serviced: 0,
        }
    }

    /// The line of the source `source` moves.
    pub fn set_source(&mut self, source: u8, high: bool, env: &mut Env<'_, '_>) {
        let bit = 1 << (source & 127);
        self.levels = if high { self.levels | bit } else { self.levels & !bit };
        self.settle(env);
    }

    /// Works out the pending sources, and drives the external interrupt.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.pending = self.levels & !self.serviced;
        let asks = self.best().is_some();
        env.line(0, asks);
    }

    /// The enabled source that is pending with the highest priority above the threshold; of equals the lowest.
    fn best(&self) -> Option<u32> {
        let asks = |source: &u32| (self.pending & self.enabled) >> source & 1 != 0;
        let priority = |source: u32| u32::from(self.priorities[source as usize]);
        (1..=self.sources)
            .filter(asks)
            .filter(|source| priority(*source) > self.threshold)
            .min_by_key(|source| HIGHEST - priority(*source))
    }

    /// The number of the word at `offset` in a row of them that begins at `first` and has a bit for each source.
    fn word(&self, offset: u32, first: u32) -> Option<u32> {
        let word = offset.checked_sub(first)? / 4;
        (word <= self.sources / 32).then_some(word)
    }

    fn priority(&mut self, offset: u32) -> Option<&mut u8> {
        let source = offset / 4;
        if source == 0 { None } else { self.priorities.get_mut(source as usize) }
    }
}

impl Block<Riscv> for Plic {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if let Some(priority) = self.priority(offset) {
            return u32::from(*priority);
        }
        if let Some(word) = self.word(offset, PENDING) {
            return (self.pending >> (32 * word)) as u32;
        }
        if let Some(word) = self.word(offset, ENABLE) {
            return (self.enabled >> (32 * word)) as u32;
        }
        match offset {
            THRESHOLD => self.threshold,
            CLAIM => {
                let Some(source) = self.best() else { return 0 };
                self.pending &= !(1 << source);
                self.serviced |= 1 << source;
                self.settle(env);
                source
            }
            _ => env.read_hole(offset),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let Some(priority) = self.priority(offset) {
            *priority = (write.over(u32::from(*priority)) & HIGHEST) as u8;
        } else if let Some(word) = self.word(offset, ENABLE) {
            let new = write.over((self.enabled >> (32 * word)) as u32);
            // There is no source 0.
            self.enabled = (self.enabled & !(0xFFFF_FFFF << (32 * word)) | u128::from(new) << (32 * word)) & !1;
        } else {
            match offset {
                THRESHOLD => self.threshold = write.over(self.threshold) & HIGHEST,
                CLAIM => {
                    let source = write.ones();
                    // Who completes what is not enabled is ignored.
                    if source <= self.sources && self.enabled >> source & 1 != 0 {
                        self.serviced &= !(1 << source);
                    }
                }
                _ => return env.hole(GapKind::RegisterWrite, offset),
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let levels = self.levels;
        *self = Self { levels, ..Self::new(self.sources as u8) };
        self.settle(env);
    }
}
