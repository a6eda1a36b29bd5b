//! AIPS0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "aips",
    version: "k20",
    registers: &[
        Register {
            name: "MPRA",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("MPL3", 16, 1),
                Field::new("MTW3", 17, 1),
                Field::new("MTR3", 18, 1),
                Field::new("MPL2", 20, 1),
                Field::new("MTW2", 21, 1),
                Field::new("MTR2", 22, 1),
                Field::new("MPL1", 24, 1),
                Field::new("MTW1", 25, 1),
                Field::new("MTR1", 26, 1),
                Field::new("MPL0", 28, 1),
                Field::new("MTW0", 29, 1),
                Field::new("MTR0", 30, 1),
            ],
        },
        Register { name: "PACRA", offset: 0x20, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRB", offset: 0x24, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRC", offset: 0x28, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRD", offset: 0x2c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRE", offset: 0x40, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRF", offset: 0x44, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRG", offset: 0x48, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRH", offset: 0x4c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRI", offset: 0x50, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRJ", offset: 0x54, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRK", offset: 0x58, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRL", offset: 0x5c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRM", offset: 0x60, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRN", offset: 0x64, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRO", offset: 0x68, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
        Register { name: "PACRP", offset: 0x6c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PACRA },
    ],
};

const OF_PACRA: &[Field] = &[
    Field::new("TP7", 0, 1),
    Field::new("WP7", 1, 1),
    Field::new("SP7", 2, 1),
    Field::new("TP6", 4, 1),
    Field::new("WP6", 5, 1),
    Field::new("SP6", 6, 1),
    Field::new("TP5", 8, 1),
    Field::new("WP5", 9, 1),
    Field::new("SP5", 10, 1),
    Field::new("TP4", 12, 1),
    Field::new("WP4", 13, 1),
    Field::new("SP4", 14, 1),
    Field::new("TP3", 16, 1),
    Field::new("WP3", 17, 1),
    Field::new("SP3", 18, 1),
    Field::new("TP2", 20, 1),
    Field::new("WP2", 21, 1),
    Field::new("SP2", 22, 1),
    Field::new("TP1", 24, 1),
    Field::new("WP1", 25, 1),
    Field::new("SP1", 26, 1),
    Field::new("TP0", 28, 1),
    Field::new("WP0", 29, 1),
    Field::new("SP0", 30, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("MPRA", 0x77700000, &[]),
    some("PACRA", 0x44444444, &[]),
    some("PACRB", 0x44444444, &[]),
    some("PACRC", 0x44444444, &[]),
    some("PACRD", 0x44444444, &[]),
];
