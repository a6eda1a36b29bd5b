//! TIMER of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "timer",
    version: "rp2040",
    registers: &[
        word("TIMEHW", 0x0, WriteOnly, &[Field::new("TIMEHW", 0, 32)]),
        word("TIMELW", 0x4, WriteOnly, &[Field::new("TIMELW", 0, 32)]),
        word("TIMEHR", 0x8, ReadOnly, &[Field::new("TIMEHR", 0, 32)]),
        word("TIMELR", 0xc, ReadOnly, &[Field::new("TIMELR", 0, 32)]),
        word("ALARM0", 0x10, ReadWrite, &[Field::new("ALARM0", 0, 32)]),
        word("ALARM1", 0x14, ReadWrite, &[Field::new("ALARM1", 0, 32)]),
        word("ALARM2", 0x18, ReadWrite, &[Field::new("ALARM2", 0, 32)]),
        word("ALARM3", 0x1c, ReadWrite, &[Field::new("ALARM3", 0, 32)]),
        word("ARMED", 0x20, ReadWrite, &[Field::new("ARMED", 0, 4)]),
        word("TIMERAWH", 0x24, ReadOnly, &[Field::new("TIMERAWH", 0, 32)]),
        word("TIMERAWL", 0x28, ReadOnly, &[Field::new("TIMERAWL", 0, 32)]),
        word("DBGPAUSE", 0x2c, ReadWrite, &[Field::new("DBG0", 1, 1), Field::new("DBG1", 2, 1)]),
        word("PAUSE", 0x30, ReadWrite, &[Field::new("PAUSE", 0, 1)]),
        word("INTR", 0x34, ReadWrite, OF_INTR),
        word("INTE", 0x38, ReadWrite, OF_INTR),
        word("INTF", 0x3c, ReadWrite, OF_INTR),
        word("INTS", 0x40, ReadOnly, OF_INTR),
    ],
};

const OF_INTR: &[Field] = &[
    Field::new("ALARM_0", 0, 1),
    Field::new("ALARM_1", 1, 1),
    Field::new("ALARM_2", 2, 1),
    Field::new("ALARM_3", 3, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("DBGPAUSE", 0x7, &[])];
