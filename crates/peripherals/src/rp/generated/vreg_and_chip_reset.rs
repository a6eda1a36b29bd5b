//! VREG_AND_CHIP_RESET of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "vreg_and_chip_reset",
    version: "rp2040",
    registers: &[
        word(
            "VREG",
            0x0,
            ReadWrite,
            &[Field::new("EN", 0, 1), Field::new("HIZ", 1, 1), Field::new("VSEL", 4, 4), Field::new("ROK", 12, 1)],
        ),
        word("BOD", 0x4, ReadWrite, &[Field::new("EN", 0, 1), Field::new("VSEL", 4, 4)]),
        word(
            "CHIP_RESET",
            0x8,
            ReadWrite,
            &[
                Field::new("HAD_POR", 8, 1),
                Field::new("HAD_RUN", 16, 1),
                Field::new("HAD_PSM_RESTART", 20, 1),
                Field::new("PSM_RESTART_FLAG", 24, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("VREG", 0xb1, &[]), some("BOD", 0x91, &[])];
