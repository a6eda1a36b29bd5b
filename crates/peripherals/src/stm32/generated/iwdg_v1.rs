//! iwdg version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of iwdg version v1 (IWDG).
pub const MAP: Map = Map {
    kind: "iwdg",
    version: "v1",
    registers: &[
        Register {
            name: "KR",
            offset: 0x0,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("KEY", 0, 16)],
        },
        Register {
            name: "PR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("PR", 0, 3)],
        },
        Register {
            name: "RLR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("RL", 0, 12)],
        },
        Register {
            name: "SR",
            offset: 0xc,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("PVU", 0, 1), Field::new("RVU", 1, 1)],
        },
    ],
};
