//! COMP_LPCOMP of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "comp_lpcomp",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_SAMPLE", 0x8, WriteOnly, &[Field::new("TASKS_SAMPLE", 0, 1)]),
        word("EVENTS_READY", 0x100, ReadWrite, &[Field::new("EVENTS_READY", 0, 1)]),
        word("EVENTS_DOWN", 0x104, ReadWrite, &[Field::new("EVENTS_DOWN", 0, 1)]),
        word("EVENTS_UP", 0x108, ReadWrite, &[Field::new("EVENTS_UP", 0, 1)]),
        word("EVENTS_CROSS", 0x10c, ReadWrite, &[Field::new("EVENTS_CROSS", 0, 1)]),
        word(
            "SHORTS",
            0x200,
            ReadWrite,
            &[
                Field::new("READY_SAMPLE", 0, 1),
                Field::new("READY_STOP", 1, 1),
                Field::new("DOWN_STOP", 2, 1),
                Field::new("UP_STOP", 3, 1),
                Field::new("CROSS_STOP", 4, 1),
            ],
        ),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
        word("RESULT", 0x400, ReadOnly, &[Field::new("RESULT", 0, 1)]),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 2)]),
        word("PSEL", 0x504, ReadWrite, &[Field::new("PSEL", 0, 3)]),
        word("REFSEL", 0x508, ReadWrite, &[Field::new("REFSEL", 0, 3), Field::new("REFSEL", 3, 1)]),
        word("EXTREFSEL", 0x50c, ReadWrite, &[Field::new("EXTREFSEL", 0, 3)]),
        word("ANADETECT", 0x520, ReadWrite, &[Field::new("ANADETECT", 0, 2)]),
        word("TH", 0x530, ReadWrite, &[Field::new("THDOWN", 0, 6), Field::new("THUP", 8, 6)]),
        word("MODE", 0x534, ReadWrite, &[Field::new("SP", 0, 2), Field::new("MAIN", 8, 1)]),
        word("HYST", 0x538, ReadWrite, &[Field::new("HYST", 0, 1)]),
    ],
};

const OF_INTEN: &[Field] =
    &[Field::new("READY", 0, 1), Field::new("DOWN", 1, 1), Field::new("UP", 2, 1), Field::new("CROSS", 3, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("REFSEL", 0x4, &[])];
