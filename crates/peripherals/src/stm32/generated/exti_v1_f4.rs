//! exti version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of exti version v1 (EXTI).
pub const MAP: Map = Map {
    kind: "exti",
    version: "v1",
    registers: &[
        Register { name: "IMR", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
        Register { name: "EMR", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
        Register { name: "RTSR", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
        Register { name: "FTSR", offset: 0xc, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
        Register { name: "SWIER", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
        Register { name: "PR", offset: 0x14, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR },
    ],
};

const OF_IMR: &[Field] = &[
    Field::new("LINE0", 0, 1),
    Field::new("LINE1", 1, 1),
    Field::new("LINE2", 2, 1),
    Field::new("LINE3", 3, 1),
    Field::new("LINE4", 4, 1),
    Field::new("LINE5", 5, 1),
    Field::new("LINE6", 6, 1),
    Field::new("LINE7", 7, 1),
    Field::new("LINE8", 8, 1),
    Field::new("LINE9", 9, 1),
    Field::new("LINE10", 10, 1),
    Field::new("LINE11", 11, 1),
    Field::new("LINE12", 12, 1),
    Field::new("LINE13", 13, 1),
    Field::new("LINE14", 14, 1),
    Field::new("LINE15", 15, 1),
    Field::new("LINE16", 16, 1),
    Field::new("LINE17", 17, 1),
    Field::new("LINE18", 18, 1),
    Field::new("LINE19", 19, 1),
    Field::new("LINE20", 20, 1),
    Field::new("LINE21", 21, 1),
    Field::new("LINE22", 22, 1),
];
