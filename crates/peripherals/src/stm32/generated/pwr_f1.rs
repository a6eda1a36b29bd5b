//! pwr version f1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of pwr version f1 (PWR).
pub const MAP: Map = Map {
    kind: "pwr",
    version: "f1",
    registers: &[
        Register {
            name: "CR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("LPDS", 0, 1),
                Field::new("PDDS", 1, 1),
                Field::new("CWUF", 2, 1),
                Field::new("CSBF", 3, 1),
                Field::new("PVDE", 4, 1),
                Field::new("PLS", 5, 3),
                Field::new("DBP", 8, 1),
            ],
        },
        Register {
            name: "CSR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("WUF", 0, 1),
                Field::new("SBF", 1, 1),
                Field::new("PVDO", 2, 1),
                Field::new("EWUP", 8, 1),
            ],
        },
    ],
};
