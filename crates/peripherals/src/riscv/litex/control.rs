//! The SoC's controller, and banks that are not modelled.

use cyclescope_machine::GapKind;

use crate::riscv::{Env, Riscv};
use crate::{Block, Write};

use super::Bank;

/// The scratch register's value after reset.
const SCRATCH: u32 = 0x1234_5678;

/// Reset and scratch register. The count of the bus's errors is not modelled.
#[derive(Clone, Debug)]
pub struct Control {
    bank: &'static Bank,
    scratch: u32,
}

impl Control {
    /// With the registers of `bank`.
    pub fn new(bank: &'static Bank) -> Self {
        Self { bank, scratch: SCRATCH }
    }
}

impl Block<Riscv> for Control {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match self.bank.name_at(offset).0 {
            "scratch" => self.scratch,
            "reset" => 0,
            _ => self.bank.read_absent(offset, env),
        }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match self.bank.name_at(offset).0 {
            "scratch" => self.scratch = write.over(self.scratch),
            "reset" => {
                if write.ones() & 1 != 0 {
                    env.reset_part("ctrl_reset");
                } else if write.ones() & 2 != 0 {
                    env.gap(GapKind::RegisterWrite, format_args!("ctrl_reset.cpu_rst"));
                }
            }
            _ => self.bank.absent(GapKind::RegisterWrite, offset, env),
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.scratch = SCRATCH;
    }
}

/// A bank that the model lacks: it reads as zero and takes what is written, and each of its registers is named.
#[derive(Clone, Debug)]
pub struct Absent {
    bank: &'static Bank,
}

impl Absent {
    /// With the registers of `bank`.
    pub fn new(bank: &'static Bank) -> Self {
        Self { bank }
    }
}

impl Block<Riscv> for Absent {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read_absent(offset, env)
    }

    fn write(&mut self, offset: u32, _: Write, env: &mut Env<'_, '_>) {
        self.bank.absent(GapKind::RegisterWrite, offset, env);
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}
