//! RNG of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rng",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("EVENTS_VALRDY", 0x100, ReadWrite, &[Field::new("EVENTS_VALRDY", 0, 1)]),
        word("SHORTS", 0x200, ReadWrite, &[Field::new("VALRDY_STOP", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, &[Field::new("VALRDY", 0, 1)]),
        word("INTENCLR", 0x308, ReadWrite, &[Field::new("VALRDY", 0, 1)]),
        word("CONFIG", 0x504, ReadWrite, &[Field::new("DERCEN", 0, 1)]),
        word("VALUE", 0x508, ReadOnly, &[Field::new("VALUE", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
