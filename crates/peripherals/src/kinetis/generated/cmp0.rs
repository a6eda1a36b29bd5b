//! CMP0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "cmp",
    version: "k20",
    registers: &[
        word(
            "CR0_CR1_FPR_SCR",
            0x0,
            ReadWrite,
            &[
                Field::new("CR0.HYSTCTR", 0, 2),
                Field::new("CR0.FILTER_CNT", 4, 3),
                Field::new("CR1.EN", 8, 1),
                Field::new("CR1.OPE", 9, 1),
                Field::new("CR1.COS", 10, 1),
                Field::new("CR1.INV", 11, 1),
                Field::new("CR1.PMODE", 12, 1),
                Field::new("CR1.WE", 14, 1),
                Field::new("CR1.SE", 15, 1),
                Field::new("FPR.FILT_PER", 16, 8),
                Field::new("SCR.COUT", 24, 1),
                Field::new("SCR.CFF", 25, 1),
                Field::new("SCR.CFR", 26, 1),
                Field::new("SCR.IEF", 27, 1),
                Field::new("SCR.IER", 28, 1),
                Field::new("SCR.DMAEN", 30, 1),
            ],
        ),
        word(
            "DACCR_MUXCR",
            0x4,
            ReadWrite,
            &[
                Field::new("DACCR.VOSEL", 0, 6),
                Field::new("DACCR.VRSEL", 6, 1),
                Field::new("DACCR.DACEN", 7, 1),
                Field::new("MUXCR.MSEL", 8, 3),
                Field::new("MUXCR.PSEL", 11, 3),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
