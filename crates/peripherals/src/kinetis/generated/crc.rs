//! CRC of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "crc",
    version: "k20",
    registers: &[
        word(
            "CRC",
            0x0,
            ReadWrite,
            &[Field::new("LL", 0, 8), Field::new("LU", 8, 8), Field::new("HL", 16, 8), Field::new("HU", 24, 8)],
        ),
        word("GPOLY", 0x4, ReadWrite, &[Field::new("LOW", 0, 16), Field::new("HIGH", 16, 16)]),
        word(
            "CTRL",
            0x8,
            ReadWrite,
            &[
                Field::new("TCRC", 24, 1),
                Field::new("WAS", 25, 1),
                Field::new("FXOR", 26, 1),
                Field::new("TOTR", 28, 2),
                Field::new("TOT", 30, 2),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CRC", 0xffffffff, &[]), some("GPOLY", 0x1021, &[])];
