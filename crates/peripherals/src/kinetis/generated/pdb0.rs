//! PDB0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pdb",
    version: "k20",
    registers: &[
        Register {
            name: "SC",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("LDOK", 0, 1),
                Field::new("CONT", 1, 1),
                Field::new("MULT", 2, 2),
                Field::new("PDBIE", 5, 1),
                Field::new("PDBIF", 6, 1),
                Field::new("PDBEN", 7, 1),
                Field::new("TRGSEL", 8, 4),
                Field::new("PRESCALER", 12, 3),
                Field::new("DMAEN", 15, 1),
                Field::new("SWTRIG", 16, 1),
                Field::new("PDBEIE", 17, 1),
                Field::new("LDMOD", 18, 2),
            ],
        },
        Register {
            name: "MOD",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("MOD", 0, 16)],
        },
        Register {
            name: "CNT",
            offset: 0x8,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("CNT", 0, 16)],
        },
        Register {
            name: "IDLY",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("IDLY", 0, 16)],
        },
        Register { name: "CH0C1", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_CH0C1 },
        Register { name: "CH0S", offset: 0x14, bits: 32, access: ReadWrite, alternate: false, fields: OF_CH0S },
        Register {
            name: "CH0DLY0",
            offset: 0x18,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DLY", 0, 16)],
        },
        Register {
            name: "CH0DLY1",
            offset: 0x1c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DLY", 0, 16)],
        },
        Register { name: "CH1C1", offset: 0x38, bits: 32, access: ReadWrite, alternate: false, fields: OF_CH0C1 },
        Register { name: "CH1S", offset: 0x3c, bits: 32, access: ReadWrite, alternate: false, fields: OF_CH0S },
        Register {
            name: "CH1DLY0",
            offset: 0x40,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DLY", 0, 16)],
        },
        Register {
            name: "CH1DLY1",
            offset: 0x44,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DLY", 0, 16)],
        },
        Register {
            name: "DACINTC",
            offset: 0x150,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TOE", 0, 1), Field::new("EXT", 1, 1)],
        },
        Register {
            name: "DACINT",
            offset: 0x154,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("INT", 0, 16)],
        },
        Register {
            name: "POEN",
            offset: 0x190,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("POEN", 0, 8)],
        },
        Register { name: "PO0DLY", offset: 0x194, bits: 32, access: ReadWrite, alternate: false, fields: OF_PO0DLY },
        Register { name: "PO1DLY", offset: 0x198, bits: 32, access: ReadWrite, alternate: false, fields: OF_PO0DLY },
        Register { name: "PO2DLY", offset: 0x19c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PO0DLY },
    ],
};

const OF_CH0C1: &[Field] = &[Field::new("EN", 0, 8), Field::new("TOS", 8, 8), Field::new("BB", 16, 8)];

const OF_CH0S: &[Field] = &[Field::new("ERR", 0, 8), Field::new("CF", 16, 8)];

const OF_PO0DLY: &[Field] = &[Field::new("DLY2", 0, 16), Field::new("DLY1", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MOD", 0xffff, &[]), some("IDLY", 0xffff, &[])];
