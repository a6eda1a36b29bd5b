//! DAC0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "dac",
    version: "k20",
    registers: &[
        word(
            "DAT0L_DAT0H_DAT1L_DAT1H",
            0x0,
            ReadWrite,
            &[
                Field::new("DAT0L.DATA", 0, 8),
                Field::new("DAT0H.DATA", 8, 4),
                Field::new("DAT1L.DATA", 16, 8),
                Field::new("DAT1H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT2L_DAT2H_DAT3L_DAT3H",
            0x4,
            ReadWrite,
            &[
                Field::new("DAT2L.DATA", 0, 8),
                Field::new("DAT2H.DATA", 8, 4),
                Field::new("DAT3L.DATA", 16, 8),
                Field::new("DAT3H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT4L_DAT4H_DAT5L_DAT5H",
            0x8,
            ReadWrite,
            &[
                Field::new("DAT4L.DATA", 0, 8),
                Field::new("DAT4H.DATA", 8, 4),
                Field::new("DAT5L.DATA", 16, 8),
                Field::new("DAT5H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT6L_DAT6H_DAT7L_DAT7H",
            0xc,
            ReadWrite,
            &[
                Field::new("DAT6L.DATA", 0, 8),
                Field::new("DAT6H.DATA", 8, 4),
                Field::new("DAT7L.DATA", 16, 8),
                Field::new("DAT7H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT8L_DAT8H_DAT9L_DAT9H",
            0x10,
            ReadWrite,
            &[
                Field::new("DAT8L.DATA", 0, 8),
                Field::new("DAT8H.DATA", 8, 4),
                Field::new("DAT9L.DATA", 16, 8),
                Field::new("DAT9H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT10L_DAT10H_DAT11L_DAT11H",
            0x14,
            ReadWrite,
            &[
                Field::new("DAT10L.DATA", 0, 8),
                Field::new("DAT10H.DATA", 8, 4),
                Field::new("DAT11L.DATA", 16, 8),
                Field::new("DAT11H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT12L_DAT12H_DAT13L_DAT13H",
            0x18,
            ReadWrite,
            &[
                Field::new("DAT12L.DATA", 0, 8),
                Field::new("DAT12H.DATA", 8, 4),
                Field::new("DAT13L.DATA", 16, 8),
                Field::new("DAT13H.DATA", 24, 4),
            ],
        ),
        word(
            "DAT14L_DAT14H_DAT15L_DAT15H",
            0x1c,
            ReadWrite,
            &[
                Field::new("DAT14L.DATA", 0, 8),
                Field::new("DAT14H.DATA", 8, 4),
                Field::new("DAT15L.DATA", 16, 8),
                Field::new("DAT15H.DATA", 24, 4),
            ],
        ),
        word(
            "SR_C0_C1_C2",
            0x20,
            ReadWrite,
            &[
                Field::new("SR.DACBFRPBF", 0, 1),
                Field::new("SR.DACBFRPTF", 1, 1),
                Field::new("SR.DACBFWMF", 2, 1),
                Field::new("C0.DACBBIEN", 8, 1),
                Field::new("C0.DACBTIEN", 9, 1),
                Field::new("C0.DACBWIEN", 10, 1),
                Field::new("C0.LPEN", 11, 1),
                Field::new("C0.DACSWTRG", 12, 1),
                Field::new("C0.DACTRGSEL", 13, 1),
                Field::new("C0.DACRFS", 14, 1),
                Field::new("C0.DACEN", 15, 1),
                Field::new("C1.DACBFEN", 16, 1),
                Field::new("C1.DACBFMD", 17, 2),
                Field::new("C1.DACBFWM", 19, 2),
                Field::new("C1.DMAEN", 23, 1),
                Field::new("C2.DACBFUP", 24, 4),
                Field::new("C2.DACBFRP", 28, 4),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("SR_C0_C1_C2", 0xf000002, &[])];
