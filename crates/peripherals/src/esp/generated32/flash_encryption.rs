//! FLASH_ENCRYPTION of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "flash_encryption",
    version: "esp32",
    registers: &[
        word("BUFFER0", 0x0, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER1", 0x4, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER2", 0x8, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER3", 0xc, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER4", 0x10, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER5", 0x14, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER6", 0x18, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("BUFFER7", 0x1c, WriteOnly, &[Field::new("BUFFER", 0, 8)]),
        word("START", 0x20, WriteOnly, &[Field::new("FLASH_START", 0, 8)]),
        word("ADDRESS", 0x24, WriteOnly, &[Field::new("ADDRESS", 0, 8)]),
        word("DONE", 0x28, ReadOnly, &[Field::new("FLASH_DONE", 0, 1)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
