//! WDT of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "wdt",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("EVENTS_TIMEOUT", 0x100, ReadWrite, &[Field::new("EVENTS_TIMEOUT", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, &[Field::new("TIMEOUT", 0, 1)]),
        word("INTENCLR", 0x308, ReadWrite, &[Field::new("TIMEOUT", 0, 1)]),
        word("RUNSTATUS", 0x400, ReadOnly, &[Field::new("RUNSTATUS", 0, 1)]),
        word("REQSTATUS", 0x404, ReadOnly, OF_REQSTATUS),
        word("CRV", 0x504, ReadWrite, &[Field::new("CRV", 0, 32)]),
        word("RREN", 0x508, ReadWrite, OF_REQSTATUS),
        word("CONFIG", 0x50c, ReadWrite, &[Field::new("SLEEP", 0, 1), Field::new("HALT", 3, 1)]),
        word("RR[0]", 0x600, WriteOnly, &[Field::new("RR[0]", 0, 32)]),
        word("RR[1]", 0x604, WriteOnly, &[Field::new("RR[1]", 0, 32)]),
        word("RR[2]", 0x608, WriteOnly, &[Field::new("RR[2]", 0, 32)]),
        word("RR[3]", 0x60c, WriteOnly, &[Field::new("RR[3]", 0, 32)]),
        word("RR[4]", 0x610, WriteOnly, &[Field::new("RR[4]", 0, 32)]),
        word("RR[5]", 0x614, WriteOnly, &[Field::new("RR[5]", 0, 32)]),
        word("RR[6]", 0x618, WriteOnly, &[Field::new("RR[6]", 0, 32)]),
        word("RR[7]", 0x61c, WriteOnly, &[Field::new("RR[7]", 0, 32)]),
    ],
};

const OF_REQSTATUS: &[Field] = &[
    Field::new("RR0", 0, 1),
    Field::new("RR1", 1, 1),
    Field::new("RR2", 2, 1),
    Field::new("RR3", 3, 1),
    Field::new("RR4", 4, 1),
    Field::new("RR5", 5, 1),
    Field::new("RR6", 6, 1),
    Field::new("RR7", 7, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] =
    &[some("REQSTATUS", 0x1, &[]), some("CRV", 0xffffffff, &[]), some("RREN", 0x1, &[]), some("CONFIG", 0x1, &[])];
