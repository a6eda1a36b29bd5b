//! TSI0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "tsi",
    version: "k20",
    registers: &[
        Register {
            name: "GENCS",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
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
        },
        Register {
            name: "SCANC",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("AMPSC", 0, 3),
                Field::new("AMCLKS", 3, 2),
                Field::new("SMOD", 8, 8),
                Field::new("EXTCHRG", 16, 4),
                Field::new("REFCHRG", 24, 4),
            ],
        },
        Register {
            name: "PEN",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
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
        },
        Register {
            name: "WUCNTR",
            offset: 0xc,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("WUCNT", 0, 16)],
        },
        Register { name: "CNTR1", offset: 0x100, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR3", offset: 0x104, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR5", offset: 0x108, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR7", offset: 0x10c, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR9", offset: 0x110, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR11", offset: 0x114, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR13", offset: 0x118, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register { name: "CNTR15", offset: 0x11c, bits: 32, access: ReadOnly, alternate: false, fields: OF_CNTR1 },
        Register {
            name: "THRESHOLD",
            offset: 0x120,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("HTHH", 0, 16), Field::new("LTHH", 16, 16)],
        },
    ],
};

const OF_CNTR1: &[Field] = &[Field::new("CTN1", 0, 16), Field::new("CTN", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
