//! EGU0 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "egu",
    version: "nrf52",
    registers: &[
        word("TASKS_TRIGGER[0]", 0x0, WriteOnly, &[Field::new("TASKS_TRIGGER[0]", 0, 1)]),
        word("TASKS_TRIGGER[1]", 0x4, WriteOnly, &[Field::new("TASKS_TRIGGER[1]", 0, 1)]),
        word("TASKS_TRIGGER[2]", 0x8, WriteOnly, &[Field::new("TASKS_TRIGGER[2]", 0, 1)]),
        word("TASKS_TRIGGER[3]", 0xc, WriteOnly, &[Field::new("TASKS_TRIGGER[3]", 0, 1)]),
        word("TASKS_TRIGGER[4]", 0x10, WriteOnly, &[Field::new("TASKS_TRIGGER[4]", 0, 1)]),
        word("TASKS_TRIGGER[5]", 0x14, WriteOnly, &[Field::new("TASKS_TRIGGER[5]", 0, 1)]),
        word("TASKS_TRIGGER[6]", 0x18, WriteOnly, &[Field::new("TASKS_TRIGGER[6]", 0, 1)]),
        word("TASKS_TRIGGER[7]", 0x1c, WriteOnly, &[Field::new("TASKS_TRIGGER[7]", 0, 1)]),
        word("TASKS_TRIGGER[8]", 0x20, WriteOnly, &[Field::new("TASKS_TRIGGER[8]", 0, 1)]),
        word("TASKS_TRIGGER[9]", 0x24, WriteOnly, &[Field::new("TASKS_TRIGGER[9]", 0, 1)]),
        word("TASKS_TRIGGER[10]", 0x28, WriteOnly, &[Field::new("TASKS_TRIGGER[10]", 0, 1)]),
        word("TASKS_TRIGGER[11]", 0x2c, WriteOnly, &[Field::new("TASKS_TRIGGER[11]", 0, 1)]),
        word("TASKS_TRIGGER[12]", 0x30, WriteOnly, &[Field::new("TASKS_TRIGGER[12]", 0, 1)]),
        word("TASKS_TRIGGER[13]", 0x34, WriteOnly, &[Field::new("TASKS_TRIGGER[13]", 0, 1)]),
        word("TASKS_TRIGGER[14]", 0x38, WriteOnly, &[Field::new("TASKS_TRIGGER[14]", 0, 1)]),
        word("TASKS_TRIGGER[15]", 0x3c, WriteOnly, &[Field::new("TASKS_TRIGGER[15]", 0, 1)]),
        word("EVENTS_TRIGGERED[0]", 0x100, ReadWrite, &[Field::new("EVENTS_TRIGGERED[0]", 0, 1)]),
        word("EVENTS_TRIGGERED[1]", 0x104, ReadWrite, &[Field::new("EVENTS_TRIGGERED[1]", 0, 1)]),
        word("EVENTS_TRIGGERED[2]", 0x108, ReadWrite, &[Field::new("EVENTS_TRIGGERED[2]", 0, 1)]),
        word("EVENTS_TRIGGERED[3]", 0x10c, ReadWrite, &[Field::new("EVENTS_TRIGGERED[3]", 0, 1)]),
        word("EVENTS_TRIGGERED[4]", 0x110, ReadWrite, &[Field::new("EVENTS_TRIGGERED[4]", 0, 1)]),
        word("EVENTS_TRIGGERED[5]", 0x114, ReadWrite, &[Field::new("EVENTS_TRIGGERED[5]", 0, 1)]),
        word("EVENTS_TRIGGERED[6]", 0x118, ReadWrite, &[Field::new("EVENTS_TRIGGERED[6]", 0, 1)]),
        word("EVENTS_TRIGGERED[7]", 0x11c, ReadWrite, &[Field::new("EVENTS_TRIGGERED[7]", 0, 1)]),
        word("EVENTS_TRIGGERED[8]", 0x120, ReadWrite, &[Field::new("EVENTS_TRIGGERED[8]", 0, 1)]),
        word("EVENTS_TRIGGERED[9]", 0x124, ReadWrite, &[Field::new("EVENTS_TRIGGERED[9]", 0, 1)]),
        word("EVENTS_TRIGGERED[10]", 0x128, ReadWrite, &[Field::new("EVENTS_TRIGGERED[10]", 0, 1)]),
        word("EVENTS_TRIGGERED[11]", 0x12c, ReadWrite, &[Field::new("EVENTS_TRIGGERED[11]", 0, 1)]),
        word("EVENTS_TRIGGERED[12]", 0x130, ReadWrite, &[Field::new("EVENTS_TRIGGERED[12]", 0, 1)]),
        word("EVENTS_TRIGGERED[13]", 0x134, ReadWrite, &[Field::new("EVENTS_TRIGGERED[13]", 0, 1)]),
        word("EVENTS_TRIGGERED[14]", 0x138, ReadWrite, &[Field::new("EVENTS_TRIGGERED[14]", 0, 1)]),
        word("EVENTS_TRIGGERED[15]", 0x13c, ReadWrite, &[Field::new("EVENTS_TRIGGERED[15]", 0, 1)]),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
    ],
};

const OF_INTEN: &[Field] = &[
    Field::new("TRIGGERED0", 0, 1),
    Field::new("TRIGGERED1", 1, 1),
    Field::new("TRIGGERED2", 2, 1),
    Field::new("TRIGGERED3", 3, 1),
    Field::new("TRIGGERED4", 4, 1),
    Field::new("TRIGGERED5", 5, 1),
    Field::new("TRIGGERED6", 6, 1),
    Field::new("TRIGGERED7", 7, 1),
    Field::new("TRIGGERED8", 8, 1),
    Field::new("TRIGGERED9", 9, 1),
    Field::new("TRIGGERED10", 10, 1),
    Field::new("TRIGGERED11", 11, 1),
    Field::new("TRIGGERED12", 12, 1),
    Field::new("TRIGGERED13", 13, 1),
    Field::new("TRIGGERED14", 14, 1),
    Field::new("TRIGGERED15", 15, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
