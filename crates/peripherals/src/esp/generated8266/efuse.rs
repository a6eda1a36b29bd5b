//! EFUSE of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "efuse",
    version: "esp8266",
    registers: &[
        word("DATA0", 0x0, ReadWrite, &[Field::new("DATA0", 0, 32)]),
        word("DATA1", 0x4, ReadWrite, &[Field::new("DATA1", 0, 32)]),
        word("DATA2", 0x8, ReadWrite, &[Field::new("DATA2", 0, 32)]),
        word("DATA3", 0xc, ReadWrite, &[Field::new("DATA3", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
