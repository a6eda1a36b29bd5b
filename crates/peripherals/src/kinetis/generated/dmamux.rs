//! DMAMUX of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "dmamux",
    version: "k20",
    registers: &[
        word(
            "CHCFG0_CHCFG1_CHCFG2_CHCFG3",
            0x0,
            ReadWrite,
            &[
                Field::new("CHCFG0.SOURCE", 0, 6),
                Field::new("CHCFG0.TRIG", 6, 1),
                Field::new("CHCFG0.ENBL", 7, 1),
                Field::new("CHCFG1.SOURCE", 8, 6),
                Field::new("CHCFG1.TRIG", 14, 1),
                Field::new("CHCFG1.ENBL", 15, 1),
                Field::new("CHCFG2.SOURCE", 16, 6),
                Field::new("CHCFG2.TRIG", 22, 1),
                Field::new("CHCFG2.ENBL", 23, 1),
                Field::new("CHCFG3.SOURCE", 24, 6),
                Field::new("CHCFG3.TRIG", 30, 1),
                Field::new("CHCFG3.ENBL", 31, 1),
            ],
        ),
        word(
            "CHCFG4_CHCFG5_CHCFG6_CHCFG7",
            0x4,
            ReadWrite,
            &[
                Field::new("CHCFG4.SOURCE", 0, 6),
                Field::new("CHCFG4.TRIG", 6, 1),
                Field::new("CHCFG4.ENBL", 7, 1),
                Field::new("CHCFG5.SOURCE", 8, 6),
                Field::new("CHCFG5.TRIG", 14, 1),
                Field::new("CHCFG5.ENBL", 15, 1),
                Field::new("CHCFG6.SOURCE", 16, 6),
                Field::new("CHCFG6.TRIG", 22, 1),
                Field::new("CHCFG6.ENBL", 23, 1),
                Field::new("CHCFG7.SOURCE", 24, 6),
                Field::new("CHCFG7.TRIG", 30, 1),
                Field::new("CHCFG7.ENBL", 31, 1),
            ],
        ),
        word(
            "CHCFG8_CHCFG9_CHCFG10_CHCFG11",
            0x8,
            ReadWrite,
            &[
                Field::new("CHCFG8.SOURCE", 0, 6),
                Field::new("CHCFG8.TRIG", 6, 1),
                Field::new("CHCFG8.ENBL", 7, 1),
                Field::new("CHCFG9.SOURCE", 8, 6),
                Field::new("CHCFG9.TRIG", 14, 1),
                Field::new("CHCFG9.ENBL", 15, 1),
                Field::new("CHCFG10.SOURCE", 16, 6),
                Field::new("CHCFG10.TRIG", 22, 1),
                Field::new("CHCFG10.ENBL", 23, 1),
                Field::new("CHCFG11.SOURCE", 24, 6),
                Field::new("CHCFG11.TRIG", 30, 1),
                Field::new("CHCFG11.ENBL", 31, 1),
            ],
        ),
        word(
            "CHCFG12_CHCFG13_CHCFG14_CHCFG15",
            0xc,
            ReadWrite,
            &[
                Field::new("CHCFG12.SOURCE", 0, 6),
                Field::new("CHCFG12.TRIG", 6, 1),
                Field::new("CHCFG12.ENBL", 7, 1),
                Field::new("CHCFG13.SOURCE", 8, 6),
                Field::new("CHCFG13.TRIG", 14, 1),
                Field::new("CHCFG13.ENBL", 15, 1),
                Field::new("CHCFG14.SOURCE", 16, 6),
                Field::new("CHCFG14.TRIG", 22, 1),
                Field::new("CHCFG14.ENBL", 23, 1),
                Field::new("CHCFG15.SOURCE", 24, 6),
                Field::new("CHCFG15.TRIG", 30, 1),
                Field::new("CHCFG15.ENBL", 31, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
