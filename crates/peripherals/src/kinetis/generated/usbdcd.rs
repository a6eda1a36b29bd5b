//! USBDCD of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "usbdcd",
    version: "k20",
    registers: &[
        word(
            "CONTROL",
            0x0,
            ReadWrite,
            &[
                Field::new("IACK", 0, 1),
                Field::new("IF", 8, 1),
                Field::new("IE", 16, 1),
                Field::new("START", 24, 1),
                Field::new("SR", 25, 1),
            ],
        ),
        word("CLOCK", 0x4, ReadWrite, &[Field::new("CLOCK_UNIT", 0, 1), Field::new("CLOCK_SPEED", 2, 10)]),
        word(
            "STATUS",
            0x8,
            ReadOnly,
            &[
                Field::new("SEQ_RES", 16, 2),
                Field::new("SEQ_STAT", 18, 2),
                Field::new("ERR", 20, 1),
                Field::new("TO", 21, 1),
                Field::new("ACTIVE", 22, 1),
            ],
        ),
        word("TIMER0", 0x10, ReadWrite, &[Field::new("TUNITCON", 0, 12), Field::new("TSEQ_INIT", 16, 10)]),
        word("TIMER1", 0x14, ReadWrite, &[Field::new("TVDPSRC_ON", 0, 10), Field::new("TDCD_DBNC", 16, 10)]),
        word("TIMER2", 0x18, ReadWrite, &[Field::new("CHECK_DM", 0, 4), Field::new("TVDPSRC_CON", 16, 10)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("CONTROL", 0x10000, &[]),
    some("CLOCK", 0xc1, &[]),
    some("TIMER0", 0x100000, &[]),
    some("TIMER1", 0xa0028, &[]),
    some("TIMER2", 0x280001, &[]),
];
