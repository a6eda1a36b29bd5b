//! Pads of the user bank (RP-008371-DS, "Pads"): pulls, input enable and output disable of each pin, which the port carries out.

use super::Message;
use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

/// GPIO0, behind VOLTAGE_SELECT.
const GPIO0: u32 = 4;
const GPIO_END: u32 = GPIO0 + 4 * super::io::PINS as u32;

/// The registers that are modelled in part: pins of the debug port are no other's.
pub const PARTLY: &[Modelled] =
    &[some("VOLTAGE_SELECT", 0, &[]).unseen(&["VOLTAGE_SELECT"]), some("SWCLK", 0, &[]).and(&["SWD"])];

/// The block.
#[derive(Clone, Debug)]
pub struct Pads {
    bank: Bank,
}

impl Pads {
    /// The pads after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, PARTLY) }
    }

    fn tell(&self, offset: u32, env: &mut Env<'_, '_>) {
        env.effect(Effect::Rp(Message::Pad { pin: ((offset - GPIO0) / 4) as u8, value: self.bank.get(offset) }));
    }
}

impl Block<Words> for Pads {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        if let GPIO0..GPIO_END = offset {
            self.tell(offset, env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (GPIO0..GPIO_END).step_by(4).for_each(|offset| self.tell(offset, env));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
