//! PDB0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pdb",
    version: "k20",
    registers: &[
        word(
            "SC",
            0x0,
            ReadWrite,
            &[
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
        ),
        word("MOD", 0x4, ReadWrite, &[Field::new("MOD", 0, 16)]),
        word("CNT", 0x8, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("IDLY", 0xc, ReadWrite, &[Field::new("IDLY", 0, 16)]),
        word("CH0C1", 0x10, ReadWrite, OF_CH0C1),
        word("CH0S", 0x14, ReadWrite, OF_CH0S),
        word("CH0DLY0", 0x18, ReadWrite, &[Field::new("DLY", 0, 16)]),
        word("CH0DLY1", 0x1c, ReadWrite, &[Field::new("DLY", 0, 16)]),
        word("CH1C1", 0x38, ReadWrite, OF_CH0C1),
        word("CH1S", 0x3c, ReadWrite, OF_CH0S),
        word("CH1DLY0", 0x40, ReadWrite, &[Field::new("DLY", 0, 16)]),
        word("CH1DLY1", 0x44, ReadWrite, &[Field::new("DLY", 0, 16)]),
        word("DACINTC", 0x150, ReadWrite, &[Field::new("TOE", 0, 1), Field::new("EXT", 1, 1)]),
        word("DACINT", 0x154, ReadWrite, &[Field::new("INT", 0, 16)]),
        word("POEN", 0x190, ReadWrite, &[Field::new("POEN", 0, 8)]),
        word("PO0DLY", 0x194, ReadWrite, OF_PO0DLY),
        word("PO1DLY", 0x198, ReadWrite, OF_PO0DLY),
        word("PO2DLY", 0x19c, ReadWrite, OF_PO0DLY),
    ],
};

const OF_CH0C1: &[Field] = &[Field::new("EN", 0, 8), Field::new("TOS", 8, 8), Field::new("BB", 16, 8)];

const OF_CH0S: &[Field] = &[Field::new("ERR", 0, 8), Field::new("CF", 16, 8)];

const OF_PO0DLY: &[Field] = &[Field::new("DLY2", 0, 16), Field::new("DLY1", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MOD", 0xffff, &[]), some("IDLY", 0xffff, &[])];
