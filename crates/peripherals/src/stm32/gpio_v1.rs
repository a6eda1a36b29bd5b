//! General-purpose I/O of STM32F1 (RM0008, "General-purpose and alternate-function I/Os (GPIOs and AFIOs)").
//!
//! Each pin has four bits in CRL or CRH: two of mode, two of configuration. There is no choice of alternate function:
//! a peripheral that is switched on drives every pin that AFIO maps its signal to and that is in alternate-function
//! output mode. The behaviour of the pins is [`Gpio`]'s.
//!
//! Pins that AFIO gives to the debug port are no GPIO until firmware takes them (RM0008, "JTAG/SWD alternate function
//! remapping"): their output driver is off and their pull resistors are the debug port's.

use cyclescope_machine::TimingRow;

use super::gpio::{Gpio, Version};
use crate::bank::all;
use crate::pins::Roles;
use crate::{Bank, Instance, Modelled};

const CRL: u32 = 0x00;
const CRH: u32 = 0x04;

/// The modelled registers and fields, with the values after reset (RM0008, "GPIO register maps"): all pins are floating inputs.
pub const MODEL: &[Modelled] =
    &[all("CRL", 0x4444_4444).and(&["CRH"]), all("IDR", 0).and(&["ODR", "BSRR", "BRR", "LCKR"])];

/// Configurations of an input, the upper two of a pin's four bits (RM0008, "Port bit configuration table").
const ANALOG: u32 = 0;
const PULLED: u32 = 2;

/// The way of a level.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "gpio.input",
        "edges of PCLK2 after a change of a pin until IDR shows it",
        1,
        "RM0008, Input configuration: the input data register samples the pin at every APB2 clock cycle",
    ),
    TimingRow::assumed(
        "gpio.output",
        "cycles from the data phase of a write to the pin's edge, beyond the bus",
        0,
        "RM0008, Output configuration: the output register drives the pin; it changes with the edge that ends the data phase, of which \
                 the cycle begins here. Rise and fall times of the pad (by speed setting and load) are not modelled",
    ),
];

/// The version.
#[derive(Clone, Debug)]
pub struct V1;

/// One port.
pub type GpioV1 = Gpio<V1>;

impl Version for V1 {
    const ROWS: &'static [TimingRow] = ROWS;
    const IDR: u32 = 0x08;
    const ODR: u32 = 0x0C;
    const BSRR: u32 = 0x10;
    const BRR: u32 = 0x14;
    const LCKR: u32 = 0x18;
    const ODR_PULLS: bool = true;
    /// Every digital input of a peripheral sees its pin, whatever drives it (RM0008, "Alternate functions (AF)").
    const READS_ALWAYS: bool = true;

    fn model(_: &Instance, _: u8) -> &'static [Modelled] {
        MODEL
    }

    fn roles(bank: &Bank) -> Roles {
        let mut roles = Roles::default();
        for pin in 0..16 {
            let (bits, bit) = (bank.get(if pin < 8 { CRL } else { CRH }) >> (pin % 8 * 4) & 15, 1 << pin);
            let (mode, configuration) = (bits & 3, bits >> 2);
            if mode == 0 {
                match configuration {
                    ANALOG => roles.analog |= bit,
                    PULLED => roles.pulled |= bit,
                    _ => {}
                }
                continue;
            }
            if configuration & 1 != 0 {
                roles.open_drain |= bit;
            }
            if configuration & 2 == 0 {
                roles.output |= bit;
            } else {
                roles.alternate |= bit;
            }
        }
        roles
    }

    fn bits_per_pin(offset: u32) -> Option<(u32, u32)> {
        match offset {
            CRL => Some((4, 0)),
            CRH => Some((4, 8)),
            _ => None,
        }
    }

    fn switches(offset: u32) -> bool {
        matches!(offset, CRL | CRH)
    }

    /// The AFIO chooses, not the port.
    fn has_function(_: &Bank, _: u8, _: u8) -> bool {
        true
    }
}
