//! PSM of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "psm",
    version: "rp2040",
    registers: &[
        word("FRCE_ON", 0x0, ReadWrite, OF_FRCE_ON),
        word("FRCE_OFF", 0x4, ReadWrite, OF_FRCE_ON),
        word("WDSEL", 0x8, ReadWrite, OF_FRCE_ON),
        word("DONE", 0xc, ReadOnly, OF_FRCE_ON),
    ],
};

const OF_FRCE_ON: &[Field] = &[
    Field::new("ROSC", 0, 1),
    Field::new("XOSC", 1, 1),
    Field::new("CLOCKS", 2, 1),
    Field::new("RESETS", 3, 1),
    Field::new("BUSFABRIC", 4, 1),
    Field::new("ROM", 5, 1),
    Field::new("SRAM0", 6, 1),
    Field::new("SRAM1", 7, 1),
    Field::new("SRAM2", 8, 1),
    Field::new("SRAM3", 9, 1),
    Field::new("SRAM4", 10, 1),
    Field::new("SRAM5", 11, 1),
    Field::new("XIP", 12, 1),
    Field::new("VREG_AND_CHIP_RESET", 13, 1),
    Field::new("SIO", 14, 1),
    Field::new("PROC0", 15, 1),
    Field::new("PROC1", 16, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
