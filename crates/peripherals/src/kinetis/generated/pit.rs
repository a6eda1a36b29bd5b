//! PIT of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pit",
    version: "k20",
    registers: &[
        word("MCR", 0x0, ReadWrite, &[Field::new("FRZ", 0, 1), Field::new("MDIS", 1, 1)]),
        word("LDVAL0", 0x100, ReadWrite, &[Field::new("TSV", 0, 32)]),
        word("CVAL0", 0x104, ReadOnly, &[Field::new("TVL", 0, 32)]),
        word("TCTRL0", 0x108, ReadWrite, OF_TCTRL0),
        word("TFLG0", 0x10c, ReadWrite, &[Field::new("TIF", 0, 1)]),
        word("LDVAL1", 0x110, ReadWrite, &[Field::new("TSV", 0, 32)]),
        word("CVAL1", 0x114, ReadOnly, &[Field::new("TVL", 0, 32)]),
        word("TCTRL1", 0x118, ReadWrite, OF_TCTRL0),
        word("TFLG1", 0x11c, ReadWrite, &[Field::new("TIF", 0, 1)]),
        word("LDVAL2", 0x120, ReadWrite, &[Field::new("TSV", 0, 32)]),
        word("CVAL2", 0x124, ReadOnly, &[Field::new("TVL", 0, 32)]),
        word("TCTRL2", 0x128, ReadWrite, OF_TCTRL0),
        word("TFLG2", 0x12c, ReadWrite, &[Field::new("TIF", 0, 1)]),
        word("LDVAL3", 0x130, ReadWrite, &[Field::new("TSV", 0, 32)]),
        word("CVAL3", 0x134, ReadOnly, &[Field::new("TVL", 0, 32)]),
        word("TCTRL3", 0x138, ReadWrite, OF_TCTRL0),
        word("TFLG3", 0x13c, ReadWrite, &[Field::new("TIF", 0, 1)]),
    ],
};

const OF_TCTRL0: &[Field] = &[Field::new("TEN", 0, 1), Field::new("TIE", 1, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MCR", 0x2, &[])];
