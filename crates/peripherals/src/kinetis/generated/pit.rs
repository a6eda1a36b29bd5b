//! PIT of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pit",
    version: "k20",
    registers: &[
        Register {
            name: "MCR",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("FRZ", 0, 1), Field::new("MDIS", 1, 1)],
        },
        Register {
            name: "LDVAL0",
            offset: 0x100,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TSV", 0, 32)],
        },
        Register {
            name: "CVAL0",
            offset: 0x104,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("TVL", 0, 32)],
        },
        Register { name: "TCTRL0", offset: 0x108, bits: 32, access: ReadWrite, alternate: false, fields: OF_TCTRL0 },
        Register {
            name: "TFLG0",
            offset: 0x10c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TIF", 0, 1)],
        },
        Register {
            name: "LDVAL1",
            offset: 0x110,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TSV", 0, 32)],
        },
        Register {
            name: "CVAL1",
            offset: 0x114,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("TVL", 0, 32)],
        },
        Register { name: "TCTRL1", offset: 0x118, bits: 32, access: ReadWrite, alternate: false, fields: OF_TCTRL0 },
        Register {
            name: "TFLG1",
            offset: 0x11c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TIF", 0, 1)],
        },
        Register {
            name: "LDVAL2",
            offset: 0x120,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TSV", 0, 32)],
        },
        Register {
            name: "CVAL2",
            offset: 0x124,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("TVL", 0, 32)],
        },
        Register { name: "TCTRL2", offset: 0x128, bits: 32, access: ReadWrite, alternate: false, fields: OF_TCTRL0 },
        Register {
            name: "TFLG2",
            offset: 0x12c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TIF", 0, 1)],
        },
        Register {
            name: "LDVAL3",
            offset: 0x130,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TSV", 0, 32)],
        },
        Register {
            name: "CVAL3",
            offset: 0x134,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("TVL", 0, 32)],
        },
        Register { name: "TCTRL3", offset: 0x138, bits: 32, access: ReadWrite, alternate: false, fields: OF_TCTRL0 },
        Register {
            name: "TFLG3",
            offset: 0x13c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TIF", 0, 1)],
        },
    ],
};

const OF_TCTRL0: &[Field] = &[Field::new("TEN", 0, 1), Field::new("TIE", 1, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MCR", 0x2, &[])];
