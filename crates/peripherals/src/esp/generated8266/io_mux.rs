//! IO_MUX of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "io_mux",
    version: "esp8266",
    registers: &[
        word(
            "CONF",
            0x0,
            ReadWrite,
            &[Field::new("SPI0_CLK_EQU_SYS_CLK", 8, 1), Field::new("SPI1_CLK_EQU_SYS_CLK", 9, 1)],
        ),
        word("MTDI", 0x4, ReadWrite, OF_MTDI),
        word("MTCK", 0x8, ReadWrite, OF_MTDI),
        word("MTMS", 0xc, ReadWrite, OF_MTDI),
        word("MTDO", 0x10, ReadWrite, OF_MTDI),
        word("U0RXD", 0x14, ReadWrite, OF_MTDI),
        word("U0TXD", 0x18, ReadWrite, OF_MTDI),
        word("SD_CLK", 0x1c, ReadWrite, OF_MTDI),
        word("SD_DATA0", 0x20, ReadWrite, OF_MTDI),
        word("SD_DATA1", 0x24, ReadWrite, OF_MTDI),
        word("SD_DATA2", 0x28, ReadWrite, OF_MTDI),
        word("SD_DATA3", 0x2c, ReadWrite, OF_MTDI),
        word("SD_CMD", 0x30, ReadWrite, OF_MTDI),
        word("GPIO0", 0x34, ReadWrite, OF_MTDI),
        word("GPIO2", 0x38, ReadWrite, OF_MTDI),
        word("GPIO4", 0x3c, ReadWrite, OF_MTDI),
        word("GPIO5", 0x40, ReadWrite, OF_MTDI),
    ],
};

const OF_MTDI: &[Field] = &[
    Field::new("SLEEP_ENABLE", 0, 1),
    Field::new("SLEEP_PULLUP", 3, 1),
    Field::new("FUNCTION_SELECT_LOW_BITS", 4, 2),
    Field::new("PULLUP", 7, 1),
    Field::new("FUNCTION_SELECT_HIGH_BIT", 8, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
