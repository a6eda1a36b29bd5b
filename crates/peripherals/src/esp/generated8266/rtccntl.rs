//! RTCCNTL of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtccntl",
    version: "esp8266",
    registers: &[word(
        "PLL",
        0x10,
        ReadWrite,
        &[
            Field::new("BLOCK", 0, 8),
            Field::new("ADDR", 8, 8),
            Field::new("DATA", 16, 8),
            Field::new("WRITE", 24, 1),
            Field::new("BUSY", 25, 1),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
