//! AXBS of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "axbs",
    version: "k20",
    registers: &[
        Register { name: "PRS0", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_PRS0 },
        Register { name: "CRS0", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_CRS0 },
        Register { name: "PRS1", offset: 0x100, bits: 32, access: ReadWrite, alternate: false, fields: OF_PRS0 },
        Register { name: "CRS1", offset: 0x110, bits: 32, access: ReadWrite, alternate: false, fields: OF_CRS0 },
        Register { name: "PRS2", offset: 0x200, bits: 32, access: ReadWrite, alternate: false, fields: OF_PRS0 },
        Register { name: "CRS2", offset: 0x210, bits: 32, access: ReadWrite, alternate: false, fields: OF_CRS0 },
        Register { name: "PRS3", offset: 0x300, bits: 32, access: ReadWrite, alternate: false, fields: OF_PRS0 },
        Register { name: "CRS3", offset: 0x310, bits: 32, access: ReadWrite, alternate: false, fields: OF_CRS0 },
        Register {
            name: "MGPCR0",
            offset: 0x800,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("AULB", 0, 3)],
        },
        Register {
            name: "MGPCR1",
            offset: 0x900,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("AULB", 0, 3)],
        },
        Register {
            name: "MGPCR2",
            offset: 0xa00,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("AULB", 0, 3)],
        },
        Register {
            name: "MGPCR3",
            offset: 0xb00,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("AULB", 0, 3)],
        },
    ],
};

const OF_PRS0: &[Field] = &[
    Field::new("M0", 0, 3),
    Field::new("M1", 4, 3),
    Field::new("M2", 8, 3),
    Field::new("M3", 12, 3),
    Field::new("M4", 16, 3),
    Field::new("M5", 20, 3),
];

const OF_CRS0: &[Field] = &[
    Field::new("PARK", 0, 3),
    Field::new("PCTL", 4, 2),
    Field::new("ARB", 8, 2),
    Field::new("HLP", 30, 1),
    Field::new("RO", 31, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PRS0", 0x76543210, &[]),
    some("PRS1", 0x76543210, &[]),
    some("PRS2", 0x76543210, &[]),
    some("PRS3", 0x76543210, &[]),
];
