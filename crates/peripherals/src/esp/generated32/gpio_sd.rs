//! GPIO_SD of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "gpio_sd",
    version: "esp32",
    registers: &[
        word("SIGMADELTA0", 0x0, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA1", 0x4, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA2", 0x8, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA3", 0xc, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA4", 0x10, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA5", 0x14, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA6", 0x18, ReadWrite, OF_SIGMADELTA0),
        word("SIGMADELTA7", 0x1c, ReadWrite, OF_SIGMADELTA0),
        word("CLOCK_GATE", 0x20, ReadWrite, &[Field::new("CLK_EN", 31, 1)]),
        word("SIGMADELTA_MISC", 0x24, ReadWrite, &[Field::new("SPI_SWAP", 31, 1)]),
        word("VERSION", 0x28, ReadWrite, &[Field::new("VERSION", 0, 32)]),
    ],
};

const OF_SIGMADELTA0: &[Field] = &[Field::new("IN", 0, 8), Field::new("PRESCALE", 8, 8)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("SIGMADELTA0", 0xff00, &[]),
    some("SIGMADELTA1", 0xff00, &[]),
    some("SIGMADELTA2", 0xff00, &[]),
    some("SIGMADELTA3", 0xff00, &[]),
    some("SIGMADELTA4", 0xff00, &[]),
    some("SIGMADELTA5", 0xff00, &[]),
    some("SIGMADELTA6", 0xff00, &[]),
    some("SIGMADELTA7", 0xff00, &[]),
];
