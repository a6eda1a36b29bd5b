//! WDT of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "wdt",
    version: "esp8266",
    registers: &[
        word(
            "CTL",
            0x0,
            ReadWrite,
            &[
                Field::new("ENABLE", 0, 1),
                Field::new("STAGE_1_NO_RESET", 1, 1),
                Field::new("STAGE_1_DISABLE", 2, 1),
                Field::new("UNKNOWN_3", 3, 1),
                Field::new("UNKNOWN_4", 4, 1),
                Field::new("UNKNOWN_5", 5, 1),
            ],
        ),
        word("OP", 0x4, ReadWrite, &[Field::new("OP", 0, 32)]),
        word("OP_ND", 0x8, ReadWrite, &[Field::new("OP_ND", 0, 32)]),
        word("COUNT", 0xc, ReadWrite, &[Field::new("COUNT", 0, 32)]),
        word("STAGE", 0x10, ReadWrite, &[Field::new("STAGE", 0, 32)]),
        word("RST", 0x14, ReadWrite, &[Field::new("RST", 0, 32)]),
        word("RESET_STAGE", 0x18, ReadWrite, &[Field::new("RESET_STAGE", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
