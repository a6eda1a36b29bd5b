//! Random number generators: a register that reads another number each time. The numbers come from a fixed seed, by a generator of
//! Marsaglia 2003 (xorshift64), whose state outlives resets.
//!
//! On silicon numbers are random while a radio or, on the ESP32, another source of noise is on (TRM, "Random Number Generator").

use super::registers::bank;
use crate::bank::all;
use crate::{Bank, Block, Env, Instance, Modelled, Words, Write};

/// The register, by its name on the ESP32 and on the ESP8266.
pub const MODEL: &[Modelled] = &[all("DATA", 0).and(&["RNG"])];

/// The block.
#[derive(Clone, Debug)]
pub struct Rng {
    bank: Bank,
    noise: u64,
}

impl Rng {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), noise: 0x9E37_79B9_7F4A_7C15 }
    }
}

impl Block<Words> for Rng {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if self.bank.at(offset).is_none() {
            return self.bank.read(offset, env);
        }
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        (self.noise >> 16) as u32
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {}

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
