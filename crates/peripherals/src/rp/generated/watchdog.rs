//! WATCHDOG of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "watchdog",
    version: "rp2040",
    registers: &[
        word(
            "CTRL",
            0x0,
            ReadWrite,
            &[
                Field::new("TIME", 0, 24),
                Field::new("PAUSE_JTAG", 24, 1),
                Field::new("PAUSE_DBG0", 25, 1),
                Field::new("PAUSE_DBG1", 26, 1),
                Field::new("ENABLE", 30, 1),
                Field::new("TRIGGER", 31, 1),
            ],
        ),
        word("LOAD", 0x4, WriteOnly, &[Field::new("LOAD", 0, 24)]),
        word("REASON", 0x8, ReadOnly, &[Field::new("TIMER", 0, 1), Field::new("FORCE", 1, 1)]),
        word("SCRATCH0", 0xc, ReadWrite, &[Field::new("SCRATCH0", 0, 32)]),
        word("SCRATCH1", 0x10, ReadWrite, &[Field::new("SCRATCH1", 0, 32)]),
        word("SCRATCH2", 0x14, ReadWrite, &[Field::new("SCRATCH2", 0, 32)]),
        word("SCRATCH3", 0x18, ReadWrite, &[Field::new("SCRATCH3", 0, 32)]),
        word("SCRATCH4", 0x1c, ReadWrite, &[Field::new("SCRATCH4", 0, 32)]),
        word("SCRATCH5", 0x20, ReadWrite, &[Field::new("SCRATCH5", 0, 32)]),
        word("SCRATCH6", 0x24, ReadWrite, &[Field::new("SCRATCH6", 0, 32)]),
        word("SCRATCH7", 0x28, ReadWrite, &[Field::new("SCRATCH7", 0, 32)]),
        word(
            "TICK",
            0x2c,
            ReadWrite,
            &[
                Field::new("CYCLES", 0, 9),
                Field::new("ENABLE", 9, 1),
                Field::new("RUNNING", 10, 1),
                Field::new("COUNT", 11, 9),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CTRL", 0x7000000, &[]), some("TICK", 0x200, &[])];
