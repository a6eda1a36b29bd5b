//! TIMER3 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "timer",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_COUNT", 0x8, WriteOnly, &[Field::new("TASKS_COUNT", 0, 1)]),
        word("TASKS_CLEAR", 0xc, WriteOnly, &[Field::new("TASKS_CLEAR", 0, 1)]),
        word("TASKS_SHUTDOWN", 0x10, WriteOnly, &[Field::new("TASKS_SHUTDOWN", 0, 1)]),
        word("TASKS_CAPTURE[0]", 0x40, WriteOnly, &[Field::new("TASKS_CAPTURE[0]", 0, 1)]),
        word("TASKS_CAPTURE[1]", 0x44, WriteOnly, &[Field::new("TASKS_CAPTURE[1]", 0, 1)]),
        word("TASKS_CAPTURE[2]", 0x48, WriteOnly, &[Field::new("TASKS_CAPTURE[2]", 0, 1)]),
        word("TASKS_CAPTURE[3]", 0x4c, WriteOnly, &[Field::new("TASKS_CAPTURE[3]", 0, 1)]),
        word("TASKS_CAPTURE[4]", 0x50, WriteOnly, &[Field::new("TASKS_CAPTURE[4]", 0, 1)]),
        word("TASKS_CAPTURE[5]", 0x54, WriteOnly, &[Field::new("TASKS_CAPTURE[5]", 0, 1)]),
        word("EVENTS_COMPARE[0]", 0x140, ReadWrite, &[Field::new("EVENTS_COMPARE[0]", 0, 1)]),
        word("EVENTS_COMPARE[1]", 0x144, ReadWrite, &[Field::new("EVENTS_COMPARE[1]", 0, 1)]),
        word("EVENTS_COMPARE[2]", 0x148, ReadWrite, &[Field::new("EVENTS_COMPARE[2]", 0, 1)]),
        word("EVENTS_COMPARE[3]", 0x14c, ReadWrite, &[Field::new("EVENTS_COMPARE[3]", 0, 1)]),
        word("EVENTS_COMPARE[4]", 0x150, ReadWrite, &[Field::new("EVENTS_COMPARE[4]", 0, 1)]),
        word("EVENTS_COMPARE[5]", 0x154, ReadWrite, &[Field::new("EVENTS_COMPARE[5]", 0, 1)]),
        word(
            "SHORTS",
            0x200,
            ReadWrite,
            &[
                Field::new("COMPARE0_CLEAR", 0, 1),
                Field::new("COMPARE1_CLEAR", 1, 1),
                Field::new("COMPARE2_CLEAR", 2, 1),
                Field::new("COMPARE3_CLEAR", 3, 1),
                Field::new("COMPARE4_CLEAR", 4, 1),
                Field::new("COMPARE5_CLEAR", 5, 1),
                Field::new("COMPARE0_STOP", 8, 1),
                Field::new("COMPARE1_STOP", 9, 1),
                Field::new("COMPARE2_STOP", 10, 1),
                Field::new("COMPARE3_STOP", 11, 1),
                Field::new("COMPARE4_STOP", 12, 1),
                Field::new("COMPARE5_STOP", 13, 1),
            ],
        ),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("MODE", 0x504, ReadWrite, &[Field::new("MODE", 0, 2)]),
        word("BITMODE", 0x508, ReadWrite, &[Field::new("BITMODE", 0, 2)]),
        word("PRESCALER", 0x510, ReadWrite, &[Field::new("PRESCALER", 0, 4)]),
        word("CC[0]", 0x540, ReadWrite, &[Field::new("CC[0]", 0, 32)]),
        word("CC[1]", 0x544, ReadWrite, &[Field::new("CC[1]", 0, 32)]),
        word("CC[2]", 0x548, ReadWrite, &[Field::new("CC[2]", 0, 32)]),
        word("CC[3]", 0x54c, ReadWrite, &[Field::new("CC[3]", 0, 32)]),
        word("CC[4]", 0x550, ReadWrite, &[Field::new("CC[4]", 0, 32)]),
        word("CC[5]", 0x554, ReadWrite, &[Field::new("CC[5]", 0, 32)]),
    ],
};

const OF_INTENSET: &[Field] = &[
    Field::new("COMPARE0", 16, 1),
    Field::new("COMPARE1", 17, 1),
    Field::new("COMPARE2", 18, 1),
    Field::new("COMPARE3", 19, 1),
    Field::new("COMPARE4", 20, 1),
    Field::new("COMPARE5", 21, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("PRESCALER", 0x4, &[])];
