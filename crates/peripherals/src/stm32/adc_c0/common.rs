//! The registers beside the converter: the prescaler of its clock, and the switches of internal channels.

use super::registers::{CCR, COMMON};
use crate::{Bank, Block, Clocks, Converter, Env, Instance, Instant, Message, Receiver, Words, Write};

/// The common registers.
#[derive(Clone, Debug)]
pub struct AdcCommonC0 {
    bank: Bank,
}

impl AdcCommonC0 {
    /// The registers after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, COMMON) }
    }
}

impl Converter for AdcCommonC0 {}

impl Block<Words> for AdcCommonC0 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset == CCR && old != new {
            env.send(Receiver::Converters, Message::Common(new));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        env.send(Receiver::Converters, Message::Common(0));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
