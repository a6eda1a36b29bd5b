//! OSC of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "osc",
    version: "k20",
    registers: &[word(
        "CR",
        0x0,
        ReadWrite,
        &[
            Field::new("SC16P", 0, 1),
            Field::new("SC8P", 1, 1),
            Field::new("SC4P", 2, 1),
            Field::new("SC2P", 3, 1),
            Field::new("EREFSTEN", 5, 1),
            Field::new("ERCLKEN", 7, 1),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
