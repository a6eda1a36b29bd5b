//! wwdg version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of wwdg version v1 (WWDG).
pub const MAP: Map = Map {
    kind: "wwdg",
    version: "v1",
    registers: &[
        Register {
            name: "CR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("T", 0, 7), Field::new("WDGA", 7, 1)],
        },
        Register {
            name: "CFR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("W", 0, 7), Field::new("WDGTB", 7, 2), Field::new("EWI", 9, 1)],
        },
        Register {
            name: "SR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("EWIF", 0, 1)],
        },
    ],
};
