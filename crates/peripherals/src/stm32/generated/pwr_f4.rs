//! pwr version f4, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of pwr version f4 (PWR).
pub const MAP: Map = Map {
    kind: "pwr",
    version: "f4",
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
                Field::new("FPDS", 9, 1),
                Field::new("LPLVDS", 10, 1),
                Field::new("MRLVDS", 11, 1),
                Field::new("ADCDC1", 13, 1),
                Field::new("VOS", 14, 2),
                Field::new("ODEN", 16, 1),
                Field::new("ODSWEN", 17, 1),
                Field::new("UDEN", 18, 2),
                Field::new("FMSSR", 20, 1),
                Field::new("FISSR", 21, 1),
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
                Field::new("BRR", 3, 1),
                Field::new("EWUP2", 7, 1),
                Field::new("EWUP", 8, 1),
                Field::new("BRE", 9, 1),
                Field::new("VOSRDY", 14, 1),
                Field::new("ODRDY", 16, 1),
                Field::new("ODSWRDY", 17, 1),
                Field::new("UDRDY", 18, 2),
            ],
        },
    ],
};
