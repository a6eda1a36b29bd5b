//! Pads (IO_MUX): the function of each pin, its pull and its input. Drive strength and the settings for sleep are declared only.

use super::Message;
use super::registers::bank;
use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

/// Pins by offset of their registers on the ESP8266 (`pin_mux_register.h`), the first at 4.
const PINS_8266: [u8; 16] = [12, 13, 14, 15, 3, 1, 6, 7, 8, 9, 10, 11, 0, 2, 4, 5];

/// The ESP8266's.
pub const PADS_8266: &[Modelled] =
    &[some("MTDI", 0, &["FUNCTION_SELECT_LOW_BITS", "FUNCTION_SELECT_HIGH_BIT", "PULLUP"])
        .unseen(&["SLEEP_ENABLE", "SLEEP_PULLUP"])
        .and(&[
            "MTCK", "MTMS", "MTDO", "U0RXD", "U0TXD", "SD_CLK", "SD_DATA0", "SD_DATA1", "SD_DATA2", "SD_DATA3",
            "SD_CMD", "GPIO0", "GPIO2", "GPIO4", "GPIO5",
        ])];

/// The ESP32's. A pull towards low makes no other level than none: a pin that floats reads low.
pub const PADS_32: &[Modelled] = &[some("GPIO0", 0, &["FUN_WPD", "FUN_WPU", "FUN_IE", "MCU_SEL"])
    .unseen(&["FUN_DRV", "MCU_DRV", "MCU_OE", "SLP_SEL", "MCU_WPD", "MCU_WPU", "MCU_IE"])
    .and(&[
        "GPIO1", "GPIO2", "GPIO3", "GPIO4", "GPIO5", "GPIO6", "GPIO7", "GPIO8", "GPIO9", "GPIO10", "GPIO11", "GPIO12",
        "GPIO13", "GPIO14", "GPIO15", "GPIO16", "GPIO17", "GPIO18", "GPIO19", "GPIO20", "GPIO21", "GPIO22", "GPIO23",
        "GPIO25", "GPIO26", "GPIO27",
    ])];

/// The block.
#[derive(Clone, Debug)]
pub struct Pads {
    bank: Bank,
    /// The pin of each word; none of a word that is no pad's.
    pins: Vec<Option<u8>>,
    is_esp32: bool,
}

impl Pads {
    /// The pads after reset.
    pub fn new(instance: &Instance) -> Self {
        let is_esp32 = instance.map.version == "esp32";
        let bank = bank(instance.map, if is_esp32 { PADS_32 } else { PADS_8266 });
        let last = instance.map.registers.last().map_or(0, |last| last.offset / 4);
        let pin = |word: u32| {
            if !is_esp32 {
                return word.checked_sub(1).and_then(|index| PINS_8266.get(index as usize).copied());
            }
            let register = instance.map.registers.iter().find(|register| register.offset == 4 * word)?;
            register.name.strip_prefix("GPIO")?.parse().ok().filter(|pin| *pin < 32)
        };
        Self { pins: (0..=last).map(pin).collect(), bank, is_esp32 }
    }

    fn tell(&self, offset: u32, env: &mut Env<'_, '_>) {
        let Some(pin) = self.pins.get(offset as usize / 4).copied().flatten() else { return };
        let value = self.bank.get(offset);
        let bit = |bit: u32| value >> bit & 1 != 0;
        let message = if self.is_esp32 {
            Message::Pad { pin, function: (value >> 12 & 7) as u8, pulls_up: bit(8), input: bit(9) }
        } else {
            let function = (value >> 4 & 3 | (value >> 8 & 1) << 2) as u8;
            Message::Pad { pin, function, pulls_up: bit(7), input: true }
        };
        env.effect(Effect::Esp(message));
    }
}

impl Block<Words> for Pads {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        self.tell(offset, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (0..4 * self.pins.len() as u32).step_by(4).for_each(|offset| self.tell(offset, env));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
