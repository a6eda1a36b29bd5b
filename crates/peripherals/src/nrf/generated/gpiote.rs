//! GPIOTE of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "gpiote",
    version: "nrf52",
    registers: &[
        word("TASKS_OUT[0]", 0x0, WriteOnly, &[Field::new("TASKS_OUT[0]", 0, 1)]),
        word("TASKS_OUT[1]", 0x4, WriteOnly, &[Field::new("TASKS_OUT[1]", 0, 1)]),
        word("TASKS_OUT[2]", 0x8, WriteOnly, &[Field::new("TASKS_OUT[2]", 0, 1)]),
        word("TASKS_OUT[3]", 0xc, WriteOnly, &[Field::new("TASKS_OUT[3]", 0, 1)]),
        word("TASKS_OUT[4]", 0x10, WriteOnly, &[Field::new("TASKS_OUT[4]", 0, 1)]),
        word("TASKS_OUT[5]", 0x14, WriteOnly, &[Field::new("TASKS_OUT[5]", 0, 1)]),
        word("TASKS_OUT[6]", 0x18, WriteOnly, &[Field::new("TASKS_OUT[6]", 0, 1)]),
        word("TASKS_OUT[7]", 0x1c, WriteOnly, &[Field::new("TASKS_OUT[7]", 0, 1)]),
        word("TASKS_SET[0]", 0x30, WriteOnly, &[Field::new("TASKS_SET[0]", 0, 1)]),
        word("TASKS_SET[1]", 0x34, WriteOnly, &[Field::new("TASKS_SET[1]", 0, 1)]),
        word("TASKS_SET[2]", 0x38, WriteOnly, &[Field::new("TASKS_SET[2]", 0, 1)]),
        word("TASKS_SET[3]", 0x3c, WriteOnly, &[Field::new("TASKS_SET[3]", 0, 1)]),
        word("TASKS_SET[4]", 0x40, WriteOnly, &[Field::new("TASKS_SET[4]", 0, 1)]),
        word("TASKS_SET[5]", 0x44, WriteOnly, &[Field::new("TASKS_SET[5]", 0, 1)]),
        word("TASKS_SET[6]", 0x48, WriteOnly, &[Field::new("TASKS_SET[6]", 0, 1)]),
        word("TASKS_SET[7]", 0x4c, WriteOnly, &[Field::new("TASKS_SET[7]", 0, 1)]),
        word("TASKS_CLR[0]", 0x60, WriteOnly, &[Field::new("TASKS_CLR[0]", 0, 1)]),
        word("TASKS_CLR[1]", 0x64, WriteOnly, &[Field::new("TASKS_CLR[1]", 0, 1)]),
        word("TASKS_CLR[2]", 0x68, WriteOnly, &[Field::new("TASKS_CLR[2]", 0, 1)]),
        word("TASKS_CLR[3]", 0x6c, WriteOnly, &[Field::new("TASKS_CLR[3]", 0, 1)]),
        word("TASKS_CLR[4]", 0x70, WriteOnly, &[Field::new("TASKS_CLR[4]", 0, 1)]),
        word("TASKS_CLR[5]", 0x74, WriteOnly, &[Field::new("TASKS_CLR[5]", 0, 1)]),
        word("TASKS_CLR[6]", 0x78, WriteOnly, &[Field::new("TASKS_CLR[6]", 0, 1)]),
        word("TASKS_CLR[7]", 0x7c, WriteOnly, &[Field::new("TASKS_CLR[7]", 0, 1)]),
        word("EVENTS_IN[0]", 0x100, ReadWrite, &[Field::new("EVENTS_IN[0]", 0, 1)]),
        word("EVENTS_IN[1]", 0x104, ReadWrite, &[Field::new("EVENTS_IN[1]", 0, 1)]),
        word("EVENTS_IN[2]", 0x108, ReadWrite, &[Field::new("EVENTS_IN[2]", 0, 1)]),
        word("EVENTS_IN[3]", 0x10c, ReadWrite, &[Field::new("EVENTS_IN[3]", 0, 1)]),
        word("EVENTS_IN[4]", 0x110, ReadWrite, &[Field::new("EVENTS_IN[4]", 0, 1)]),
        word("EVENTS_IN[5]", 0x114, ReadWrite, &[Field::new("EVENTS_IN[5]", 0, 1)]),
        word("EVENTS_IN[6]", 0x118, ReadWrite, &[Field::new("EVENTS_IN[6]", 0, 1)]),
        word("EVENTS_IN[7]", 0x11c, ReadWrite, &[Field::new("EVENTS_IN[7]", 0, 1)]),
        word("EVENTS_PORT", 0x17c, ReadWrite, &[Field::new("EVENTS_PORT", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("CONFIG[0]", 0x510, ReadWrite, OF_CONFIG_0),
        word("CONFIG[1]", 0x514, ReadWrite, OF_CONFIG_0),
        word("CONFIG[2]", 0x518, ReadWrite, OF_CONFIG_0),
        word("CONFIG[3]", 0x51c, ReadWrite, OF_CONFIG_0),
        word("CONFIG[4]", 0x520, ReadWrite, OF_CONFIG_0),
        word("CONFIG[5]", 0x524, ReadWrite, OF_CONFIG_0),
        word("CONFIG[6]", 0x528, ReadWrite, OF_CONFIG_0),
        word("CONFIG[7]", 0x52c, ReadWrite, OF_CONFIG_0),
    ],
};

const OF_INTENSET: &[Field] = &[
    Field::new("IN0", 0, 1),
    Field::new("IN1", 1, 1),
    Field::new("IN2", 2, 1),
    Field::new("IN3", 3, 1),
    Field::new("IN4", 4, 1),
    Field::new("IN5", 5, 1),
    Field::new("IN6", 6, 1),
    Field::new("IN7", 7, 1),
    Field::new("PORT", 31, 1),
];

const OF_CONFIG_0: &[Field] = &[
    Field::new("MODE", 0, 2),
    Field::new("PSEL", 8, 5),
    Field::new("PORT", 13, 1),
    Field::new("POLARITY", 16, 2),
    Field::new("OUTINIT", 20, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
