//! A core-local interruptor for one hart, as SiFive's and QEMU's `virt` have it (SiFive FU540-C000 manual v1p0, chapter 9;
//! RISC-V ACLINT specification 1.0): software interrupt, real-time clock, and its comparator.
//!
//! After a reset mtimecmp is all ones here, so that no interrupt is asked for; QEMU's reads as 0 until it is written, and
//! asks for none either.

use cyclescope_machine::GapKind;

use super::{Env, Riscv, Shared, halves};
use crate::register::word;
use crate::{Access, Block, Field, Map, Write};

const MSIP: u32 = 0;
const MTIMECMP: u32 = 0x4000;
const MTIMECMPH: u32 = 0x4004;
const MTIME: u32 = 0xBFF8;
const MTIMEH: u32 = 0xBFFC;

/// The registers.
pub static MAP: Map = Map {
    kind: "clint",
    version: "sifive",
    registers: &[
        word("MSIP", MSIP, Access::ReadWrite, &[Field::new("MSIP", 0, 1)]),
        word("MTIMECMP", MTIMECMP, Access::ReadWrite, &[Field::new("LOW", 0, 32)]),
        word("MTIMECMPH", MTIMECMPH, Access::ReadWrite, &[Field::new("HIGH", 0, 32)]),
        word("MTIME", MTIME, Access::ReadWrite, &[Field::new("LOW", 0, 32)]),
        word("MTIMEH", MTIMEH, Access::ReadWrite, &[Field::new("HIGH", 0, 32)]),
    ],
};

/// The block. Its wires: software interrupt, timer interrupt.
#[derive(Clone, Debug)]
pub struct Clint {
    /// Cycles in one period of its clock.
    divider: u64,
    /// The difference between mtime and the count of its clock.
    ahead: u64,
    compare: u64,
    software: bool,
}

impl Clint {
    /// One whose clock takes `divider` cycles.
    pub fn new(divider: u32) -> Self {
        Self { divider: u64::from(divider.max(1)), ahead: 0, compare: u64::MAX, software: false }
    }

    /// mtime at the cycle `now`.
    pub fn time_at(&self, now: u64) -> u64 {
        (now / self.divider).wrapping_add(self.ahead)
    }

    fn time(&self, env: &Env<'_, '_>) -> u64 {
        self.time_at(env.now())
    }

    /// Drives the timer's line, and comes back when it rises.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let time = self.time(env);
        env.line(1, time >= self.compare);
        let due = match self.compare.checked_sub(time) {
            None | Some(0) => u64::MAX,
            Some(left) => (env.now() / self.divider)
                .checked_add(left)
                .and_then(|due| due.checked_mul(self.divider))
                .unwrap_or(u64::MAX),
        };
        env.schedule(0, due);
    }
}

impl Block<Riscv> for Clint {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            MSIP => u32::from(self.software),
            MTIMECMP => self.compare as u32,
            MTIMECMPH => (self.compare >> 32) as u32,
            MTIME => self.time(env) as u32,
            MTIMEH => (self.time(env) >> 32) as u32,
            _ => env.read_hole(offset),
        }
    }

    fn still(&self, offset: u32, now: u64, _: &Shared) -> Option<u64> {
        match offset {
            MSIP | MTIMECMP | MTIMECMPH => Some(u64::MAX),
            MTIME | MTIMEH => (now / self.divider).checked_add(1)?.checked_mul(self.divider),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let high = offset & 4 != 0;
        match offset {
            MSIP => {
                self.software = write.over(u32::from(self.software)) & 1 != 0;
                env.line(0, self.software);
            }
            MTIMECMP | MTIMECMPH => self.compare = halves(self.compare, high, write),
            MTIME | MTIMEH => {
                let new = halves(self.time(env), high, write);
                self.ahead = new.wrapping_sub(env.now() / self.divider);
            }
            _ => return env.hole(GapKind::RegisterWrite, offset),
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        (self.ahead, self.compare, self.software) = (0u64.wrapping_sub(env.now() / self.divider), u64::MAX, false);
        env.line(0, false);
        self.settle(env);
    }
}
