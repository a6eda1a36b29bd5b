//! crc version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of crc version v1 (CRC).
pub const MAP: Map = Map {
    kind: "crc",
    version: "v1",
    registers: &[
        Register {
            name: "DR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DR", 0, 32)],
        },
        Register {
            name: "IDR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("IDR", 0, 32)],
        },
        Register {
            name: "CR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("RESET", 0, 1)],
        },
    ],
};
