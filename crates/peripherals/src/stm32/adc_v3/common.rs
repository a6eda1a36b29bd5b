//! The registers that converters share: the prescaler of their clock, the switches of internal channels, and a view of the
//! flags of the first two.

use super::registers::{CCR, COMMON, COMMON_G4, CSR};
use crate::{Bank, Block, Clocks, Converter, Env, Instance, Instant, Message, Receiver, Words, Write};

/// The common registers.
#[derive(Clone, Debug)]
pub struct AdcCommonV3 {
    bank: Bank,
    /// The number of the first converter.
    first: u8,
}

impl AdcCommonV3 {
    /// The registers after reset.
    pub fn new(instance: &Instance) -> Self {
        let model = if instance.map.version == "g4" { COMMON_G4 } else { COMMON };
        // `ADC345_COMMON`.
        let first = instance.name.bytes().find(u8::is_ascii_digit).map_or(1, |digit| digit - b'0');
        Self { bank: Bank::new(instance.map, model), first }
    }
}

impl Converter for AdcCommonV3 {
    fn told(&mut self, message: Message, _: &mut Env<'_, '_>) {
        if let Message::Status { from, flags } = message {
            let low = match from.wrapping_sub(self.first) {
                0 => 0,
                1 => 16,
                _ => return,
            };
            let csr = self.bank.get(CSR) & !(0x7FF << low) | (flags & 0x7FF) << low;
            self.bank.set(CSR, csr);
        }
    }
}

impl Block<Words> for AdcCommonV3 {
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
