//! SHA of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "sha",
    version: "esp32",
    registers: &[
        word("TEXT0", 0x0, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT1", 0x4, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT2", 0x8, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT3", 0xc, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT4", 0x10, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT5", 0x14, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT6", 0x18, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT7", 0x1c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT8", 0x20, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT9", 0x24, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT10", 0x28, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT11", 0x2c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT12", 0x30, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT13", 0x34, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT14", 0x38, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT15", 0x3c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT16", 0x40, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT17", 0x44, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT18", 0x48, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT19", 0x4c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT20", 0x50, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT21", 0x54, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT22", 0x58, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT23", 0x5c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT24", 0x60, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT25", 0x64, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT26", 0x68, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT27", 0x6c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT28", 0x70, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT29", 0x74, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT30", 0x78, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("TEXT31", 0x7c, ReadWrite, &[Field::new("TEXT", 0, 32)]),
        word("SHA1_START", 0x80, WriteOnly, &[Field::new("SHA1_START", 0, 1)]),
        word("SHA1_CONTINUE", 0x84, WriteOnly, &[Field::new("SHA1_CONTINUE", 0, 1)]),
        word("SHA1_LOAD", 0x88, WriteOnly, &[Field::new("SHA1_LOAD", 0, 1)]),
        word("SHA1_BUSY", 0x8c, ReadOnly, &[Field::new("SHA1_BUSY", 0, 1)]),
        word("SHA256_START", 0x90, WriteOnly, &[Field::new("SHA256_START", 0, 1)]),
        word("SHA256_CONTINUE", 0x94, WriteOnly, &[Field::new("SHA256_CONTINUE", 0, 1)]),
        word("SHA256_LOAD", 0x98, WriteOnly, &[Field::new("SHA256_LOAD", 0, 1)]),
        word("SHA256_BUSY", 0x9c, ReadOnly, &[Field::new("SHA256_BUSY", 0, 1)]),
        word("SHA384_START", 0xa0, WriteOnly, &[Field::new("SHA384_START", 0, 1)]),
        word("SHA384_CONTINUE", 0xa4, WriteOnly, &[Field::new("SHA384_CONTINUE", 0, 1)]),
        word("SHA384_LOAD", 0xa8, WriteOnly, &[Field::new("SHA384_LOAD", 0, 1)]),
        word("SHA384_BUSY", 0xac, ReadOnly, &[Field::new("SHA384_BUSY", 0, 1)]),
        word("SHA512_START", 0xb0, WriteOnly, &[Field::new("SHA512_START", 0, 1)]),
        word("SHA512_CONTINUE", 0xb4, WriteOnly, &[Field::new("SHA512_CONTINUE", 0, 1)]),
        word("SHA512_LOAD", 0xb8, WriteOnly, &[Field::new("SHA512_LOAD", 0, 1)]),
        word("SHA512_BUSY", 0xbc, ReadOnly, &[Field::new("SHA512_BUSY", 0, 1)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
