//! ROSC of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rosc",
    version: "rp2040",
    registers: &[
        word("CTRL", 0x0, ReadWrite, &[Field::new("FREQ_RANGE", 0, 12), Field::new("ENABLE", 12, 12)]),
        word(
            "FREQA",
            0x4,
            ReadWrite,
            &[
                Field::new("DS0", 0, 3),
                Field::new("DS1", 4, 3),
                Field::new("DS2", 8, 3),
                Field::new("DS3", 12, 3),
                Field::new("PASSWD", 16, 16),
            ],
        ),
        word(
            "FREQB",
            0x8,
            ReadWrite,
            &[
                Field::new("DS4", 0, 3),
                Field::new("DS5", 4, 3),
                Field::new("DS6", 8, 3),
                Field::new("DS7", 12, 3),
                Field::new("PASSWD", 16, 16),
            ],
        ),
        word("DORMANT", 0xc, ReadWrite, &[Field::new("DORMANT", 0, 32)]),
        word("DIV", 0x10, ReadWrite, &[Field::new("DIV", 0, 12)]),
        word(
            "PHASE",
            0x14,
            ReadWrite,
            &[
                Field::new("SHIFT", 0, 2),
                Field::new("FLIP", 2, 1),
                Field::new("ENABLE", 3, 1),
                Field::new("PASSWD", 4, 8),
            ],
        ),
        word(
            "STATUS",
            0x18,
            ReadWrite,
            &[
                Field::new("ENABLED", 12, 1),
                Field::new("DIV_RUNNING", 16, 1),
                Field::new("BADWRITE", 24, 1),
                Field::new("STABLE", 31, 1),
            ],
        ),
        word("RANDOMBIT", 0x1c, ReadOnly, &[Field::new("RANDOMBIT", 0, 1)]),
        word("COUNT", 0x20, ReadWrite, &[Field::new("COUNT", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CTRL", 0xaa0, &[]), some("PHASE", 0x8, &[]), some("RANDOMBIT", 0x1, &[])];
