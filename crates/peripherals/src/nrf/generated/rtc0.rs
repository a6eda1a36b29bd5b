//! RTC0 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtc",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_CLEAR", 0x8, WriteOnly, &[Field::new("TASKS_CLEAR", 0, 1)]),
        word("TASKS_TRIGOVRFLW", 0xc, WriteOnly, &[Field::new("TASKS_TRIGOVRFLW", 0, 1)]),
        word("EVENTS_TICK", 0x100, ReadWrite, &[Field::new("EVENTS_TICK", 0, 1)]),
        word("EVENTS_OVRFLW", 0x104, ReadWrite, &[Field::new("EVENTS_OVRFLW", 0, 1)]),
        word("EVENTS_COMPARE[0]", 0x140, ReadWrite, &[Field::new("EVENTS_COMPARE[0]", 0, 1)]),
        word("EVENTS_COMPARE[1]", 0x144, ReadWrite, &[Field::new("EVENTS_COMPARE[1]", 0, 1)]),
        word("EVENTS_COMPARE[2]", 0x148, ReadWrite, &[Field::new("EVENTS_COMPARE[2]", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("EVTEN", 0x340, ReadWrite, OF_INTENSET),
        word("EVTENSET", 0x344, ReadWrite, OF_INTENSET),
        word("EVTENCLR", 0x348, ReadWrite, OF_INTENSET),
        word("COUNTER", 0x504, ReadOnly, &[Field::new("COUNTER", 0, 24)]),
        word("PRESCALER", 0x508, ReadWrite, &[Field::new("PRESCALER", 0, 12)]),
        word("CC[0]", 0x540, ReadWrite, &[Field::new("COMPARE", 0, 24)]),
        word("CC[1]", 0x544, ReadWrite, &[Field::new("COMPARE", 0, 24)]),
        word("CC[2]", 0x548, ReadWrite, &[Field::new("COMPARE", 0, 24)]),
    ],
};

const OF_INTENSET: &[Field] = &[
    Field::new("TICK", 0, 1),
    Field::new("OVRFLW", 1, 1),
    Field::new("COMPARE0", 16, 1),
    Field::new("COMPARE1", 17, 1),
    Field::new("COMPARE2", 18, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
