//! PDM of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pdm",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("EVENTS_STARTED", 0x100, ReadWrite, &[Field::new("EVENTS_STARTED", 0, 1)]),
        word("EVENTS_STOPPED", 0x104, ReadWrite, &[Field::new("EVENTS_STOPPED", 0, 1)]),
        word("EVENTS_END", 0x108, ReadWrite, &[Field::new("EVENTS_END", 0, 1)]),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)]),
        word("PDMCLKCTRL", 0x504, ReadWrite, &[Field::new("FREQ", 0, 32)]),
        word("MODE", 0x508, ReadWrite, &[Field::new("OPERATION", 0, 1), Field::new("EDGE", 1, 1)]),
        word("GAINL", 0x518, ReadWrite, &[Field::new("GAINL", 0, 7)]),
        word("GAINR", 0x51c, ReadWrite, &[Field::new("GAINR", 0, 7)]),
        word("RATIO", 0x520, ReadWrite, &[Field::new("RATIO", 0, 1)]),
        word("PSEL.CLK", 0x540, ReadWrite, OF_PSEL_CLK),
        word("PSEL.DIN", 0x544, ReadWrite, OF_PSEL_CLK),
        word("SAMPLE.PTR", 0x560, ReadWrite, &[Field::new("SAMPLEPTR", 0, 32)]),
        word("SAMPLE.MAXCNT", 0x564, ReadWrite, &[Field::new("BUFFSIZE", 0, 15)]),
    ],
};

const OF_INTEN: &[Field] = &[Field::new("STARTED", 0, 1), Field::new("STOPPED", 1, 1), Field::new("END", 2, 1)];

const OF_PSEL_CLK: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PDMCLKCTRL", 0x8400000, &[]),
    some("GAINL", 0x28, &[]),
    some("GAINR", 0x28, &[]),
    some("PSEL.CLK", 0xffffffff, &[]),
    some("PSEL.DIN", 0xffffffff, &[]),
];
