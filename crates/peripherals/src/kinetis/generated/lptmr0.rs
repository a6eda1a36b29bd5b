//! LPTMR0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "lptmr",
    version: "k20",
    registers: &[
        Register {
            name: "CSR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("TEN", 0, 1),
                Field::new("TMS", 1, 1),
                Field::new("TFC", 2, 1),
                Field::new("TPP", 3, 1),
                Field::new("TPS", 4, 2),
                Field::new("TIE", 6, 1),
                Field::new("TCF", 7, 1),
            ],
        },
        Register {
            name: "PSR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("PCS", 0, 2), Field::new("PBYP", 2, 1), Field::new("PRESCALE", 3, 4)],
        },
        Register {
            name: "CMR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("COMPARE", 0, 16)],
        },
        Register {
            name: "CNR",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("COUNTER", 0, 16)],
        },
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
