//! Subsystem resets (RP-008371-DS, "Subsystem Resets"): a block answers once its reset has ended.
//!
//! A reset ends as soon as it is released; the data sheet gives no time for it.

use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

const RESET: u32 = 0;
/// RESET_DONE, by which the part knows whether a block answers.
const RESET_DONE: u32 = 8;

/// The registers that are modelled in part: the watchdog resets the whole part, whatever WDSEL says.
pub const PARTLY: &[Modelled] = &[some("WDSEL", 0, &[])];

/// The block.
#[derive(Clone, Debug)]
pub struct Resets {
    bank: Bank,
}

impl Resets {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, PARTLY) }
    }

    /// The reset of the blocks `blocks`, one bit each, begins, as the watchdog asks for it.
    fn hold(&mut self, blocks: u32, env: &mut Env<'_, '_>) {
        let declared = self.bank.at(RESET).map_or(0, |(row, _)| row.declared);
        self.bank.flag(RESET, blocks & declared, true);
        self.settle(env);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let declared = self.bank.at(RESET).map_or(0, |(row, _)| row.declared);
        let (before, done) = (self.bank.get(RESET_DONE), !self.bank.get(RESET) & declared);
        self.bank.set(RESET_DONE, done);
        let held = before & !done;
        if held != 0 {
            env.effect(Effect::ResetPeripherals { offset: RESET as u16, bits: held });
        }
    }
}

impl Block<Words> for Resets {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.hold(u32::MAX, env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
