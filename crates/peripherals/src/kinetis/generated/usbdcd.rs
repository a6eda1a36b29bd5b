//! USBDCD of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "usbdcd",
    version: "k20",
    registers: &[
        Register {
            name: "CONTROL",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("IACK", 0, 1),
                Field::new("IF", 8, 1),
                Field::new("IE", 16, 1),
                Field::new("START", 24, 1),
                Field::new("SR", 25, 1),
            ],
        },
        Register {
            name: "CLOCK",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CLOCK_UNIT", 0, 1), Field::new("CLOCK_SPEED", 2, 10)],
        },
        Register {
            name: "STATUS",
            offset: 0x8,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[
                Field::new("SEQ_RES", 16, 2),
                Field::new("SEQ_STAT", 18, 2),
                Field::new("ERR", 20, 1),
                Field::new("TO", 21, 1),
                Field::new("ACTIVE", 22, 1),
            ],
        },
        Register {
            name: "TIMER0",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TUNITCON", 0, 12), Field::new("TSEQ_INIT", 16, 10)],
        },
        Register {
            name: "TIMER1",
            offset: 0x14,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("TVDPSRC_ON", 0, 10), Field::new("TDCD_DBNC", 16, 10)],
        },
        Register {
            name: "TIMER2",
            offset: 0x18,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CHECK_DM", 0, 4), Field::new("TVDPSRC_CON", 16, 10)],
        },
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
