//! ECB of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "ecb",
    version: "nrf52",
    registers: &[
        word("TASKS_STARTECB", 0x0, WriteOnly, &[Field::new("TASKS_STARTECB", 0, 1)]),
        word("TASKS_STOPECB", 0x4, WriteOnly, &[Field::new("TASKS_STOPECB", 0, 1)]),
        word("EVENTS_ENDECB", 0x100, ReadWrite, &[Field::new("EVENTS_ENDECB", 0, 1)]),
        word("EVENTS_ERRORECB", 0x104, ReadWrite, &[Field::new("EVENTS_ERRORECB", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("ECBDATAPTR", 0x504, ReadWrite, &[Field::new("ECBDATAPTR", 0, 32)]),
    ],
};

const OF_INTENSET: &[Field] = &[Field::new("ENDECB", 0, 1), Field::new("ERRORECB", 1, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
