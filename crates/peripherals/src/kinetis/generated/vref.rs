//! VREF of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "vref",
    version: "k20",
    registers: &[word(
        "TRM_SC",
        0x0,
        ReadWrite,
        &[
            Field::new("TRM.TRIM", 0, 6),
            Field::new("TRM.CHOPEN", 6, 1),
            Field::new("SC.MODE_LV", 8, 2),
            Field::new("SC.VREFST", 10, 1),
            Field::new("SC.REGEN", 14, 1),
            Field::new("SC.VREFEN", 15, 1),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
