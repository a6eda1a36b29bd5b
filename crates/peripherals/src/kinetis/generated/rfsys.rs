//! RFSYS of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rfsys",
    version: "k20",
    registers: &[
        Register { name: "REG0", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG1", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG2", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG3", offset: 0xc, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG4", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG5", offset: 0x14, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG6", offset: 0x18, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
        Register { name: "REG7", offset: 0x1c, bits: 32, access: ReadWrite, alternate: false, fields: OF_REG0 },
    ],
};

const OF_REG0: &[Field] =
    &[Field::new("LL", 0, 8), Field::new("LH", 8, 8), Field::new("HL", 16, 8), Field::new("HH", 24, 8)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
