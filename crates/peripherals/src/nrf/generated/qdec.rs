//! QDEC of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "qdec",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_READCLRACC", 0x8, WriteOnly, &[Field::new("TASKS_READCLRACC", 0, 1)]),
        word("TASKS_RDCLRACC", 0xc, WriteOnly, &[Field::new("TASKS_RDCLRACC", 0, 1)]),
        word("TASKS_RDCLRDBL", 0x10, WriteOnly, &[Field::new("TASKS_RDCLRDBL", 0, 1)]),
        word("EVENTS_SAMPLERDY", 0x100, ReadWrite, &[Field::new("EVENTS_SAMPLERDY", 0, 1)]),
        word("EVENTS_REPORTRDY", 0x104, ReadWrite, &[Field::new("EVENTS_REPORTRDY", 0, 1)]),
        word("EVENTS_ACCOF", 0x108, ReadWrite, &[Field::new("EVENTS_ACCOF", 0, 1)]),
        word("EVENTS_DBLRDY", 0x10c, ReadWrite, &[Field::new("EVENTS_DBLRDY", 0, 1)]),
        word("EVENTS_STOPPED", 0x110, ReadWrite, &[Field::new("EVENTS_STOPPED", 0, 1)]),
        word(
            "SHORTS",
            0x200,
            ReadWrite,
            &[
                Field::new("REPORTRDY_READCLRACC", 0, 1),
                Field::new("SAMPLERDY_STOP", 1, 1),
                Field::new("REPORTRDY_RDCLRACC", 2, 1),
                Field::new("REPORTRDY_STOP", 3, 1),
                Field::new("DBLRDY_RDCLRDBL", 4, 1),
                Field::new("DBLRDY_STOP", 5, 1),
                Field::new("SAMPLERDY_READCLRACC", 6, 1),
            ],
        ),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)]),
        word("LEDPOL", 0x504, ReadWrite, &[Field::new("LEDPOL", 0, 1)]),
        word("SAMPLEPER", 0x508, ReadWrite, &[Field::new("SAMPLEPER", 0, 4)]),
        word("SAMPLE", 0x50c, ReadOnly, &[Field::new("SAMPLE", 0, 32)]),
        word("REPORTPER", 0x510, ReadWrite, &[Field::new("REPORTPER", 0, 4)]),
        word("ACC", 0x514, ReadOnly, &[Field::new("ACC", 0, 32)]),
        word("ACCREAD", 0x518, ReadOnly, &[Field::new("ACCREAD", 0, 32)]),
        word("PSEL.LED", 0x51c, ReadWrite, OF_PSEL_LED),
        word("PSEL.A", 0x520, ReadWrite, OF_PSEL_LED),
        word("PSEL.B", 0x524, ReadWrite, OF_PSEL_LED),
        word("DBFEN", 0x528, ReadWrite, &[Field::new("DBFEN", 0, 1)]),
        word("LEDPRE", 0x540, ReadWrite, &[Field::new("LEDPRE", 0, 9)]),
        word("ACCDBL", 0x544, ReadOnly, &[Field::new("ACCDBL", 0, 4)]),
        word("ACCDBLREAD", 0x548, ReadOnly, &[Field::new("ACCDBLREAD", 0, 4)]),
    ],
};

const OF_INTENSET: &[Field] = &[
    Field::new("SAMPLERDY", 0, 1),
    Field::new("REPORTRDY", 1, 1),
    Field::new("ACCOF", 2, 1),
    Field::new("DBLRDY", 3, 1),
    Field::new("STOPPED", 4, 1),
];

const OF_PSEL_LED: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PSEL.LED", 0xffffffff, &[]),
    some("PSEL.A", 0xffffffff, &[]),
    some("PSEL.B", 0xffffffff, &[]),
    some("LEDPRE", 0x10, &[]),
];
