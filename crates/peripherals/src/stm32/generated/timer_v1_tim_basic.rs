//! timer version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of timer version v1 (TIM_BASIC).
pub const MAP: Map = Map {
    kind: "timer",
    version: "v1",
    registers: &[
        Register {
            name: "CR1",
            offset: 0x0,
            bits: 16,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("CEN", 0, 1),
                Field::new("UDIS", 1, 1),
                Field::new("URS", 2, 1),
                Field::new("OPM", 3, 1),
                Field::new("ARPE", 7, 1),
                Field::new("UIFREMAP", 11, 1),
            ],
        },
        Register {
            name: "CR2",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("MMS", 4, 3)],
        },
        Register {
            name: "DIER",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("UIE", 0, 1), Field::new("UDE", 8, 1)],
        },
        Register {
            name: "SR",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("UIF", 0, 1)],
        },
        Register {
            name: "EGR",
            offset: 0x14,
            bits: 16,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("UG", 0, 1)],
        },
        Register {
            name: "CNT",
            offset: 0x24,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CNT", 0, 16), Field::new("UIFCPY", 31, 1)],
        },
        Register {
            name: "PSC",
            offset: 0x28,
            bits: 16,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("PSC", 0, 16)],
        },
        Register {
            name: "ARR",
            offset: 0x2c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("ARR", 0, 16)],
        },
    ],
};
