//! ADC of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "adc",
    version: "rp2040",
    registers: &[
        word(
            "CS",
            0x0,
            ReadWrite,
            &[
                Field::new("EN", 0, 1),
                Field::new("TS_EN", 1, 1),
                Field::new("START_ONCE", 2, 1),
                Field::new("START_MANY", 3, 1),
                Field::new("READY", 8, 1),
                Field::new("ERR", 9, 1),
                Field::new("ERR_STICKY", 10, 1),
                Field::new("AINSEL", 12, 3),
                Field::new("RROBIN", 16, 5),
            ],
        ),
        word("RESULT", 0x4, ReadOnly, &[Field::new("RESULT", 0, 12)]),
        word(
            "FCS",
            0x8,
            ReadWrite,
            &[
                Field::new("EN", 0, 1),
                Field::new("SHIFT", 1, 1),
                Field::new("ERR", 2, 1),
                Field::new("DREQ_EN", 3, 1),
                Field::new("EMPTY", 8, 1),
                Field::new("FULL", 9, 1),
                Field::new("UNDER", 10, 1),
                Field::new("OVER", 11, 1),
                Field::new("LEVEL", 16, 4),
                Field::new("THRESH", 24, 4),
            ],
        ),
        word("FIFO", 0xc, ReadOnly, &[Field::new("VAL", 0, 12), Field::new("ERR", 15, 1)]),
        word("DIV", 0x10, ReadWrite, &[Field::new("FRAC", 0, 8), Field::new("INT", 8, 16)]),
        word("INTR", 0x14, ReadOnly, &[Field::new("FIFO", 0, 1)]),
        word("INTE", 0x18, ReadWrite, &[Field::new("FIFO", 0, 1)]),
        word("INTF", 0x1c, ReadWrite, &[Field::new("FIFO", 0, 1)]),
        word("INTS", 0x20, ReadOnly, &[Field::new("FIFO", 0, 1)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
