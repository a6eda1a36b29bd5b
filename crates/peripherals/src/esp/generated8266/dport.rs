//! DPORT of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "dport",
    version: "esp8266",
    registers: &[
        word("INT_ENABLE", 0x0, ReadWrite, &[Field::new("INT_ENABLE", 0, 32)]),
        word(
            "EDGE_INT_ENABLE",
            0x4,
            ReadWrite,
            &[Field::new("WDT_EDGE_INT_ENABLE", 0, 1), Field::new("TIMER1_EDGE_INT_ENABLE", 1, 1)],
        ),
        word(
            "SPI_CACHE",
            0xc,
            ReadWrite,
            &[
                Field::new("CACHE_FLUSH_START", 0, 1),
                Field::new("CACHE_EMPTY", 1, 1),
                Field::new("CACHE_ENABLE", 8, 1),
                Field::new("BUSY", 9, 1),
                Field::new("BLOCK", 16, 3),
                Field::new("OFFSET", 24, 2),
                Field::new("TARGET", 26, 1),
            ],
        ),
        word("CTL", 0x14, ReadWrite, &[Field::new("DPORT_CTL_DOUBLE_CLK", 0, 1)]),
        word(
            "SPI_INTERRUPT_TYPE",
            0x20,
            ReadOnly,
            &[Field::new("SPI0", 4, 1), Field::new("SPI1", 7, 1), Field::new("I2S", 9, 1)],
        ),
        word("SPI_CACHE_TARGET", 0x24, ReadWrite, &[Field::new("TARGET1", 3, 1), Field::new("TARGET2", 4, 1)]),
        word(
            "IOSWAP",
            0x28,
            ReadWrite,
            &[
                Field::new("UART", 0, 1),
                Field::new("SPI", 1, 1),
                Field::new("UART0", 2, 1),
                Field::new("UART1", 3, 1),
                Field::new("HSPI", 5, 1),
                Field::new("DOUBLE_HSPI", 6, 1),
                Field::new("DOUBLE_CSPI", 7, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
