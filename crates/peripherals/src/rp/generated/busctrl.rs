//! BUSCTRL of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "busctrl",
    version: "rp2040",
    registers: &[
        word(
            "BUS_PRIORITY",
            0x0,
            ReadWrite,
            &[
                Field::new("PROC0", 0, 1),
                Field::new("PROC1", 4, 1),
                Field::new("DMA_R", 8, 1),
                Field::new("DMA_W", 12, 1),
            ],
        ),
        word("BUS_PRIORITY_ACK", 0x4, ReadOnly, &[Field::new("BUS_PRIORITY_ACK", 0, 1)]),
        word("PERFCTR0", 0x8, ReadWrite, &[Field::new("PERFCTR0", 0, 24)]),
        word("PERFSEL0", 0xc, ReadWrite, &[Field::new("PERFSEL0", 0, 5)]),
        word("PERFCTR1", 0x10, ReadWrite, &[Field::new("PERFCTR1", 0, 24)]),
        word("PERFSEL1", 0x14, ReadWrite, &[Field::new("PERFSEL1", 0, 5)]),
        word("PERFCTR2", 0x18, ReadWrite, &[Field::new("PERFCTR2", 0, 24)]),
        word("PERFSEL2", 0x1c, ReadWrite, &[Field::new("PERFSEL2", 0, 5)]),
        word("PERFCTR3", 0x20, ReadWrite, &[Field::new("PERFCTR3", 0, 24)]),
        word("PERFSEL3", 0x24, ReadWrite, &[Field::new("PERFSEL3", 0, 5)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PERFSEL0", 0x1f, &[]),
    some("PERFSEL1", 0x1f, &[]),
    some("PERFSEL2", 0x1f, &[]),
    some("PERFSEL3", 0x1f, &[]),
];
