//! crc version v3, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of crc version v3 (CRC).
pub const MAP: Map = Map {
    kind: "crc",
    version: "v3",
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
            name: "DR16",
            offset: 0x0,
            bits: 16,
            access: ReadWrite,
            alternate: true,
            fields: &[Field::new("DR16", 0, 16)],
        },
        Register {
            name: "DR8",
            offset: 0x0,
            bits: 8,
            access: ReadWrite,
            alternate: true,
            fields: &[Field::new("DR8", 0, 8)],
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
            fields: &[
                Field::new("RESET", 0, 1),
                Field::new("POLYSIZE", 3, 2),
                Field::new("REV_IN", 5, 2),
                Field::new("REV_OUT", 7, 1),
            ],
        },
        Register {
            name: "INIT",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("INIT", 0, 32)],
        },
        Register {
            name: "POL",
            offset: 0x14,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("POL", 0, 32)],
        },
    ],
};
