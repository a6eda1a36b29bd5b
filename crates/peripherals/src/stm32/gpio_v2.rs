//! General-purpose I/O of STM32F2 and later, STM32C0 included (RM0490, "General-purpose I/Os (GPIO)"). The behaviour of
//! the pins is [`Gpio`]'s. STM32L47x and L48x have a switch between each pin and the converters.

use cyclescope_machine::TimingRow;

use super::gpio::{Gpio, Version};
use crate::bank::all;
use crate::pins::Roles;
use crate::{Bank, Instance, Modelled};

const MODER: u32 = 0x00;
const OTYPER: u32 = 0x04;
const OSPEEDR: u32 = 0x08;
const PUPDR: u32 = 0x0C;
const AFRL: u32 = 0x20;
const AFRH: u32 = 0x24;
const ASCR: u32 = 0x2C;

/// The modelled registers of port A (RM0490, "GPIO register map"). Its debug pins start in alternate function.
pub const MODEL_A: &[Modelled] = &model(0xEBFF_FFFF, 0x0C00_0000, 0x2400_0000);
/// The other ports.
pub const MODEL: &[Modelled] = &model(0xFFFF_FFFF, 0, 0);
/// Port A of STM32G4 and L4 (RM0440, RM0351, "GPIO register map"), whose debug port has JTAG.
pub const MODEL_JTAG_A: &[Modelled] = &model(0xABFF_FFFF, 0x0C00_0000, 0x6400_0000);
/// Port B of these.
pub const MODEL_JTAG_B: &[Modelled] = &model(0xFFFF_FEBF, 0, 0x0000_0100);
/// Port A of STM32F4 (RM0390, "GPIO register map"), which has no BRR.
pub const MODEL_F4_A: &[Modelled] = &model(0xA800_0000, 0x0C00_0000, 0x6400_0000);
/// Port B, whose pins 3 and 4 are the debug port's.
pub const MODEL_F4_B: &[Modelled] = &model(0x0000_0280, 0x0000_00C0, 0x0000_0100);
/// The other ports: inputs after reset.
pub const MODEL_F4: &[Modelled] = &model(0, 0, 0);

const fn model(moder: u32, ospeedr: u32, pupdr: u32) -> [Modelled; 4] {
    [
        all("MODER", moder),
        all("OSPEEDR", ospeedr),
        all("PUPDR", pupdr),
        all("OTYPER", 0).and(&["IDR", "ODR", "BSRR", "LCKR", "AFRL", "AFRH", "BRR", "ASCR"]),
    ]
}

/// Modes of a pin, two bits each in MODER.
const OUTPUT: u32 = 1;
const ALTERNATE: u32 = 2;
const ANALOG: u32 = 3;
/// Pull-up, of the two bits each in PUPDR.
const PULL_UP: u32 = 1;

/// The way of a level.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "gpio.input",
        "edges of HCLK after a change of a pin until IDR shows it",
        1,
        "RM0390, RM0490, Input configuration: the input data register samples the pin at every AHB clock cycle",
    ),
    TimingRow::assumed(
        "gpio.output",
        "cycles from the data phase of a write to the pin's edge, beyond the bus",
        0,
        "RM0390, RM0490, Output configuration: the output register drives the pin; it changes with the edge that ends the data phase, of which \
                 the cycle begins here. Rise and fall times of the pad (by speed setting and load) are not modelled",
    ),
];

/// The version.
#[derive(Clone, Debug)]
pub struct V2;

/// One port.
pub type GpioV2 = Gpio<V2>;

impl Version for V2 {
    const ROWS: &'static [TimingRow] = ROWS;
    const IDR: u32 = 0x10;
    const ODR: u32 = 0x14;
    const BSRR: u32 = 0x18;
    const BRR: u32 = 0x28;
    const LCKR: u32 = 0x1C;
    const ODR_PULLS: bool = false;
    const READS_ALWAYS: bool = false;

    fn model(instance: &Instance, port: u8) -> &'static [Modelled] {
        match (port, instance.map.register("BRR").is_some()) {
            // STM32G4's and L4's ports, which lie elsewhere than those of STM32C0 and G0.
            (0, true) if instance.address >> 24 == 0x48 => MODEL_JTAG_A,
            (1, true) if instance.address >> 24 == 0x48 => MODEL_JTAG_B,
            (0, true) => MODEL_A,
            (_, true) => MODEL,
            (0, false) => MODEL_F4_A,
            (1, false) => MODEL_F4_B,
            (_, false) => MODEL_F4,
        }
    }

    fn roles(bank: &Bank) -> Roles {
        let (moder, pupdr) = (bank.get(MODER), bank.get(PUPDR));
        let pins = |register: u32, code: u32| {
            (0..16).filter(|pin| register >> (pin * 2) & 3 == code).fold(0, |bits, pin| bits | 1 << pin)
        };
        Roles {
            output: pins(moder, OUTPUT),
            alternate: pins(moder, ALTERNATE),
            open_drain: bank.get(OTYPER),
            analog: pins(moder, ANALOG),
            pulled: pins(pupdr, PULL_UP),
        }
    }

    /// RM0351, GPIOx_ASCR, "Analog switch control".
    fn reaches_converter(bank: &Bank, pin: u8) -> bool {
        bank.at(ASCR).is_none_or(|(_, switches)| switches >> (pin & 31) & 1 != 0)
    }

    fn bits_per_pin(offset: u32) -> Option<(u32, u32)> {
        match offset {
            MODER | OSPEEDR | PUPDR => Some((2, 0)),
            OTYPER => Some((1, 0)),
            AFRL => Some((4, 0)),
            AFRH => Some((4, 8)),
            _ => None,
        }
    }

    fn switches(offset: u32) -> bool {
        matches!(offset, MODER | AFRL | AFRH)
    }

    fn has_function(bank: &Bank, pin: u8, function: u8) -> bool {
        let pin = u32::from(pin);
        bank.get(AFRL + pin / 8 * 4) >> (pin % 8 * 4) & 15 == u32::from(function)
    }
}
