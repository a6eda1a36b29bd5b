//! rtc version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of rtc version v1 (RTC).
pub const MAP: Map = Map {
    kind: "rtc",
    version: "v1",
    registers: &[
        Register {
            name: "CRH",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("SECIE", 0, 1), Field::new("ALRIE", 1, 1), Field::new("OWIE", 2, 1)],
        },
        Register {
            name: "CRL",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("SECF", 0, 1),
                Field::new("ALRF", 1, 1),
                Field::new("OWF", 2, 1),
                Field::new("RSF", 3, 1),
                Field::new("CNF", 4, 1),
                Field::new("RTOFF", 5, 1),
            ],
        },
        Register {
            name: "PRLH",
            offset: 0x8,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("PRLH", 0, 4)],
        },
        Register {
            name: "PRLL",
            offset: 0xc,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("PRLL", 0, 16)],
        },
        Register {
            name: "DIVH",
            offset: 0x10,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("DIVH", 0, 4)],
        },
        Register {
            name: "DIVL",
            offset: 0x14,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("DIVL", 0, 16)],
        },
        Register {
            name: "CNTH",
            offset: 0x18,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CNTH", 0, 16)],
        },
        Register {
            name: "CNTL",
            offset: 0x1c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CNTL", 0, 16)],
        },
        Register {
            name: "ALRH",
            offset: 0x20,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("ALRH", 0, 16)],
        },
        Register {
            name: "ALRL",
            offset: 0x24,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("ALRL", 0, 16)],
        },
    ],
};
