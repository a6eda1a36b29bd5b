//! LPTMR0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "lptmr",
    version: "k20",
    registers: &[
        word(
            "CSR",
            0x0,
            ReadWrite,
            &[
                Field::new("TEN", 0, 1),
                Field::new("TMS", 1, 1),
                Field::new("TFC", 2, 1),
                Field::new("TPP", 3, 1),
                Field::new("TPS", 4, 2),
                Field::new("TIE", 6, 1),
                Field::new("TCF", 7, 1),
            ],
        ),
        word("PSR", 0x4, ReadWrite, &[Field::new("PCS", 0, 2), Field::new("PBYP", 2, 1), Field::new("PRESCALE", 3, 4)]),
        word("CMR", 0x8, ReadWrite, &[Field::new("COMPARE", 0, 16)]),
        word("CNR", 0xc, ReadWrite, &[Field::new("COUNTER", 0, 16)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
