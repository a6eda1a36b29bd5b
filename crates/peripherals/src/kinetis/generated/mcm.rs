//! MCM of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "mcm",
    version: "k20",
    registers: &[
        word("PLASC_PLAMC", 0x8, ReadOnly, &[Field::new("PLASC.ASC", 0, 8), Field::new("PLAMC.AMC", 16, 8)]),
        word(
            "CR",
            0xc,
            ReadWrite,
            &[
                Field::new("SRAMUAP", 24, 2),
                Field::new("SRAMUWP", 26, 1),
                Field::new("SRAMLAP", 28, 2),
                Field::new("SRAMLWP", 30, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("PLASC_PLAMC", 0x3f001f, &[])];
