//! TSI0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "tsi",
    version: "k20",
    registers: &[
        word(
            "GENCS",
            0x0,
            ReadWrite,
            &[
                Field::new("STPE", 0, 1),
                Field::new("STM", 1, 1),
                Field::new("ESOR", 4, 1),
                Field::new("ERIE", 5, 1),
                Field::new("TSIIE", 6, 1),
                Field::new("TSIEN", 7, 1),
                Field::new("SWTS", 8, 1),
                Field::new("SCNIP", 9, 1),
                Field::new("OVRF", 12, 1),
                Field::new("EXTERF", 13, 1),
                Field::new("OUTRGF", 14, 1),
                Field::new("EOSF", 15, 1),
                Field::new("PS", 16, 3),
                Field::new("NSCN", 19, 5),
                Field::new("LPSCNITV", 24, 4),
                Field::new("LPCLKS", 28, 1),
            ],
        ),
        word(
            "SCANC",
            0x4,
            ReadWrite,
            &[
                Field::new("AMPSC", 0, 3),
                Field::new("AMCLKS", 3, 2),
                Field::new("SMOD", 8, 8),
                Field::new("EXTCHRG", 16, 4),
                Field::new("REFCHRG", 24, 4),
            ],
        ),
        word(
            "PEN",
            0x8,
            ReadWrite,
            &[
                Field::new("PEN0", 0, 1),
                Field::new("PEN1", 1, 1),
                Field::new("PEN2", 2, 1),
                Field::new("PEN3", 3, 1),
                Field::new("PEN4", 4, 1),
                Field::new("PEN5", 5, 1),
                Field::new("PEN6", 6, 1),
                Field::new("PEN7", 7, 1),
                Field::new("PEN8", 8, 1),
                Field::new("PEN9", 9, 1),
                Field::new("PEN10", 10, 1),
                Field::new("PEN11", 11, 1),
                Field::new("PEN12", 12, 1),
                Field::new("PEN13", 13, 1),
                Field::new("PEN14", 14, 1),
                Field::new("PEN15", 15, 1),
                Field::new("LPSP", 16, 4),
            ],
        ),
        word("WUCNTR", 0xc, ReadOnly, &[Field::new("WUCNT", 0, 16)]),
        word("CNTR1", 0x100, ReadOnly, OF_CNTR1),
        word("CNTR3", 0x104, ReadOnly, OF_CNTR1),
        word("CNTR5", 0x108, ReadOnly, OF_CNTR1),
        word("CNTR7", 0x10c, ReadOnly, OF_CNTR1),
        word("CNTR9", 0x110, ReadOnly, OF_CNTR1),
        word("CNTR11", 0x114, ReadOnly, OF_CNTR1),
        word("CNTR13", 0x118, ReadOnly, OF_CNTR1),
        word("CNTR15", 0x11c, ReadOnly, OF_CNTR1),
        word("THRESHOLD", 0x120, ReadWrite, &[Field::new("HTHH", 0, 16), Field::new("LTHH", 16, 16)]),
    ],
};

const OF_CNTR1: &[Field] = &[Field::new("CTN1", 0, 16), Field::new("CTN", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
