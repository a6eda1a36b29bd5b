//! TIMER of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "timer",
    version: "esp8266",
    registers: &[
        word("FRC1_LOAD", 0x0, ReadWrite, &[Field::new("FRC1_LOAD_VALUE", 0, 23)]),
        word("FRC1_COUNT", 0x4, ReadOnly, &[Field::new("FRC1_COUNT", 0, 23)]),
        word(
            "FRC1_CTRL",
            0x8,
            ReadWrite,
            &[
                Field::new("INTERRUPT_TYPE", 0, 1),
                Field::new("PRESCALE_DIVIDER", 2, 2),
                Field::new("ROLLOVER", 6, 1),
                Field::new("TIMER_ENABLE", 7, 1),
                Field::new("FRC1_INT", 8, 1),
            ],
        ),
        word("FRC1_INT", 0xc, ReadWrite, &[Field::new("FRC1_INT_CLR_MASK", 0, 1)]),
        word("FRC2_LOAD", 0x20, ReadWrite, &[Field::new("FRC2_LOAD_VALUE", 0, 32)]),
        word("FRC2_COUNT", 0x24, ReadOnly, &[Field::new("FRC2_COUNT", 0, 32)]),
        word(
            "FRC2_CTRL",
            0x28,
            ReadWrite,
            &[
                Field::new("INTERRUPT_TYPE", 0, 1),
                Field::new("PRESCALE_DIVIDER", 2, 2),
                Field::new("ROLLOVER", 6, 1),
                Field::new("TIMER_ENABLE", 7, 1),
                Field::new("FRC2_INT", 8, 1),
            ],
        ),
        word("FRC2_INT", 0x2c, ReadWrite, &[Field::new("FRC2_INT_CLR_MASK", 0, 1)]),
        word("FRC2_ALARM", 0x30, ReadWrite, &[Field::new("FRC2_ALARM", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
