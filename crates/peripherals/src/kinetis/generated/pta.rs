//! PTA of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "gpio",
    version: "k20",
    registers: &[
        Register {
            name: "PDOR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("PDO", 0, 32)],
        },
        Register {
            name: "PSOR",
            offset: 0x4,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("PTSO", 0, 32)],
        },
        Register {
            name: "PCOR",
            offset: 0x8,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("PTCO", 0, 32)],
        },
        Register {
            name: "PTOR",
            offset: 0xc,
            bits: 32,
            access: WriteOnly,
            alternate: false,
            fields: &[Field::new("PTTO", 0, 32)],
        },
        Register {
            name: "PDIR",
            offset: 0x10,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("PDI", 0, 32)],
        },
        Register {
            name: "PDDR",
            offset: 0x14,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("PDD", 0, 32)],
        },
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
