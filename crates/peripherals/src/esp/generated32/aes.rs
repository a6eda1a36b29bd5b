//! AES of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "aes",
    version: "esp32",
    registers: &[
        word("START", 0x0, WriteOnly, &[Field::new("START", 0, 1)]),
        word("IDLE", 0x4, ReadOnly, &[Field::new("IDLE", 0, 1)]),
        word("MODE", 0x8, ReadWrite, &[Field::new("MODE", 0, 8)]),
        word("KEY0", 0x10, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY1", 0x14, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY2", 0x18, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY3", 0x1c, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY4", 0x20, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY5", 0x24, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY6", 0x28, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("KEY7", 0x2c, ReadWrite, &[Field::new("KEY", 0, 8)]),
        word("TEXT0", 0x30, ReadWrite, &[Field::new("TEXT", 0, 8)]),
        word("TEXT1", 0x34, ReadWrite, &[Field::new("TEXT", 0, 8)]),
        word("TEXT2", 0x38, ReadWrite, &[Field::new("TEXT", 0, 8)]),
        word("TEXT3", 0x3c, ReadWrite, &[Field::new("TEXT", 0, 8)]),
        word("ENDIAN", 0x40, ReadWrite, &[Field::new("ENDIAN", 0, 2)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
