//! exti version c0, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of exti version c0 (EXTI).
pub const MAP: Map = Map {
    kind: "exti",
    version: "c0",
    registers: &[
        Register { name: "RTSR1", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_RTSR1 },
        Register { name: "FTSR1", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_RTSR1 },
        Register { name: "SWIER1", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_RTSR1 },
        Register { name: "RPR1", offset: 0xc, bits: 32, access: ReadWrite, alternate: false, fields: OF_RTSR1 },
        Register { name: "FPR1", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_RTSR1 },
        Register {
            name: "EXTICR1",
            offset: 0x60,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI0", 0, 8),
                Field::new("EXTI1", 8, 8),
                Field::new("EXTI2", 16, 8),
                Field::new("EXTI3", 24, 8),
            ],
        },
        Register {
            name: "EXTICR2",
            offset: 0x64,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI4", 0, 8),
                Field::new("EXTI5", 8, 8),
                Field::new("EXTI6", 16, 8),
                Field::new("EXTI7", 24, 8),
            ],
        },
        Register {
            name: "EXTICR3",
            offset: 0x68,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI8", 0, 8),
                Field::new("EXTI9", 8, 8),
                Field::new("EXTI10", 16, 8),
                Field::new("EXTI11", 24, 8),
            ],
        },
        Register {
            name: "EXTICR4",
            offset: 0x6c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI12", 0, 8),
                Field::new("EXTI13", 8, 8),
                Field::new("EXTI14", 16, 8),
                Field::new("EXTI15", 24, 8),
            ],
        },
        Register { name: "IMR1", offset: 0x80, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR1 },
        Register { name: "EMR1", offset: 0x84, bits: 32, access: ReadWrite, alternate: false, fields: OF_IMR1 },
    ],
};

const OF_RTSR1: &[Field] = &[
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
];

const OF_IMR1: &[Field] = &[
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
    Field::new("LINE19", 19, 1),
    Field::new("LINE23", 23, 1),
    Field::new("LINE25", 25, 1),
    Field::new("LINE31", 31, 1),
];
