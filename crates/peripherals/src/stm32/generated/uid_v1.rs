//! uid version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of uid version v1 (UID).
pub const MAP: Map = Map {
    kind: "uid",
    version: "v1",
    registers: &[
        Register {
            name: "UID0",
            offset: 0x0,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("UID0", 0, 32)],
        },
        Register {
            name: "UID1",
            offset: 0x4,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("UID1", 0, 32)],
        },
        Register {
            name: "UID2",
            offset: 0x8,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("UID2", 0, 32)],
        },
    ],
};
