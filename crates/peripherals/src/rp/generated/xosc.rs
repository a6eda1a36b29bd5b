//! XOSC of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "xosc",
    version: "rp2040",
    registers: &[
        word("CTRL", 0x0, ReadWrite, &[Field::new("FREQ_RANGE", 0, 12), Field::new("ENABLE", 12, 12)]),
        word(
            "STATUS",
            0x4,
            ReadWrite,
            &[
                Field::new("FREQ_RANGE", 0, 2),
                Field::new("ENABLED", 12, 1),
                Field::new("BADWRITE", 24, 1),
                Field::new("STABLE", 31, 1),
            ],
        ),
        word("DORMANT", 0x8, ReadWrite, &[Field::new("DORMANT", 0, 32)]),
        word("STARTUP", 0xc, ReadWrite, &[Field::new("DELAY", 0, 14), Field::new("X4", 20, 1)]),
        word("COUNT", 0x1c, ReadWrite, &[Field::new("COUNT", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
