//! PMC of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pmc",
    version: "k20",
    registers: &[word(
        "LVDSC1_LVDSC2_REGSC",
        0x0,
        ReadWrite,
        &[
            Field::new("LVDSC1.LVDV", 0, 2),
            Field::new("LVDSC1.LVDRE", 4, 1),
            Field::new("LVDSC1.LVDIE", 5, 1),
            Field::new("LVDSC1.LVDACK", 6, 1),
            Field::new("LVDSC1.LVDF", 7, 1),
            Field::new("LVDSC2.LVWV", 8, 2),
            Field::new("LVDSC2.LVWIE", 13, 1),
            Field::new("LVDSC2.LVWACK", 14, 1),
            Field::new("LVDSC2.LVWF", 15, 1),
            Field::new("REGSC.BGBE", 16, 1),
            Field::new("REGSC.REGONS", 18, 1),
            Field::new("REGSC.ACKISO", 19, 1),
            Field::new("REGSC.BGEN", 20, 1),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("LVDSC1_LVDSC2_REGSC", 0x40010, &[])];
