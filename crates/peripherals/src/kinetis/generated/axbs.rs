//! AXBS of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "axbs",
    version: "k20",
    registers: &[
        word("PRS0", 0x0, ReadWrite, OF_PRS0),
        word("CRS0", 0x10, ReadWrite, OF_CRS0),
        word("PRS1", 0x100, ReadWrite, OF_PRS0),
        word("CRS1", 0x110, ReadWrite, OF_CRS0),
        word("PRS2", 0x200, ReadWrite, OF_PRS0),
        word("CRS2", 0x210, ReadWrite, OF_CRS0),
        word("PRS3", 0x300, ReadWrite, OF_PRS0),
        word("CRS3", 0x310, ReadWrite, OF_CRS0),
        word("MGPCR0", 0x800, ReadWrite, &[Field::new("AULB", 0, 3)]),
        word("MGPCR1", 0x900, ReadWrite, &[Field::new("AULB", 0, 3)]),
        word("MGPCR2", 0xa00, ReadWrite, &[Field::new("AULB", 0, 3)]),
        word("MGPCR3", 0xb00, ReadWrite, &[Field::new("AULB", 0, 3)]),
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
