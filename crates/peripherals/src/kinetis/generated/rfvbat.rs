//! RFVBAT of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rfvbat",
    version: "k20",
    registers: &[
        word("REG0", 0x0, ReadWrite, OF_REG0),
        word("REG1", 0x4, ReadWrite, OF_REG0),
        word("REG2", 0x8, ReadWrite, OF_REG0),
        word("REG3", 0xc, ReadWrite, OF_REG0),
        word("REG4", 0x10, ReadWrite, OF_REG0),
        word("REG5", 0x14, ReadWrite, OF_REG0),
        word("REG6", 0x18, ReadWrite, OF_REG0),
        word("REG7", 0x1c, ReadWrite, OF_REG0),
    ],
};

const OF_REG0: &[Field] =
    &[Field::new("LL", 0, 8), Field::new("LH", 8, 8), Field::new("HL", 16, 8), Field::new("HH", 24, 8)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
