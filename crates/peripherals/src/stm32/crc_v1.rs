//! CRC calculation unit with the Ethernet polynomial, words only (RM0008, "CRC calculation unit").
//!
//! The cycles for which the unit stalls a read of its result are not modelled.

use crate::bank::all;
use crate::{Bank, Block, Env, Instance, Modelled, Words, Write};

const DR: u32 = 0x00;
const CR: u32 = 0x08;
const RESET: u32 = 1;
const POLYNOMIAL: u32 = 0x04C1_1DB7;

/// The modelled registers and fields, with the values after reset (RM0008, "CRC register map").
pub const MODEL: &[Modelled] = &[all("DR", 0xFFFF_FFFF), all("IDR", 0), all("CR", 0)];

/// The block.
#[derive(Clone, Debug)]
pub struct CrcV1 {
    bank: Bank,
}

impl CrcV1 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL) }
    }

    fn feed(&mut self, data: u32) {
        let mut remainder = self.bank.get(DR) ^ data;
        for _ in 0..32 {
            let carry = remainder >> 31 != 0;
            remainder = remainder << 1 ^ if carry { POLYNOMIAL } else { 0 };
        }
        self.bank.set(DR, remainder);
    }
}

impl Block<Words> for CrcV1 {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            DR => self.feed(write.value),
            CR if write.ones() & RESET != 0 => self.bank.set(DR, u32::MAX),
            CR => {}
            _ => {
                self.bank.write(offset, write, env);
            }
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.bank.reset();
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
