//! PTA of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "gpio",
    version: "k20",
    registers: &[
        word("PDOR", 0x0, ReadWrite, &[Field::new("PDO", 0, 32)]),
        word("PSOR", 0x4, WriteOnly, &[Field::new("PTSO", 0, 32)]),
        word("PCOR", 0x8, WriteOnly, &[Field::new("PTCO", 0, 32)]),
        word("PTOR", 0xc, WriteOnly, &[Field::new("PTTO", 0, 32)]),
        word("PDIR", 0x10, ReadOnly, &[Field::new("PDI", 0, 32)]),
        word("PDDR", 0x14, ReadWrite, &[Field::new("PDD", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
