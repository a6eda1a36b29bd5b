//! CCM_AAR of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, view, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "ccm_aar",
    version: "nrf52",
    registers: &[
        word("TASKS_KSGEN", 0x0, WriteOnly, &[Field::new("TASKS_KSGEN", 0, 1)]),
        view("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_CRYPT", 0x4, WriteOnly, &[Field::new("TASKS_CRYPT", 0, 1)]),
        word("TASKS_STOP", 0x8, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_RATEOVERRIDE", 0xc, WriteOnly, &[Field::new("TASKS_RATEOVERRIDE", 0, 1)]),
        word("EVENTS_ENDKSGEN", 0x100, ReadWrite, &[Field::new("EVENTS_ENDKSGEN", 0, 1)]),
        view("EVENTS_END", 0x100, ReadWrite, &[Field::new("EVENTS_END", 0, 1)]),
        word("EVENTS_ENDCRYPT", 0x104, ReadWrite, &[Field::new("EVENTS_ENDCRYPT", 0, 1)]),
        view("EVENTS_RESOLVED", 0x104, ReadWrite, &[Field::new("EVENTS_RESOLVED", 0, 1)]),
        word("EVENTS_ERROR", 0x108, ReadWrite, &[Field::new("EVENTS_ERROR", 0, 1)]),
        view("EVENTS_NOTRESOLVED", 0x108, ReadWrite, &[Field::new("EVENTS_NOTRESOLVED", 0, 1)]),
        word("SHORTS", 0x200, ReadWrite, &[Field::new("ENDKSGEN_CRYPT", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("MICSTATUS", 0x400, ReadOnly, &[Field::new("MICSTATUS", 0, 1), Field::new("STATUS", 1, 3)]),
        view("STATUS", 0x400, ReadOnly, &[Field::new("STATUS", 0, 4)]),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 2)]),
        word(
            "MODE",
            0x504,
            ReadWrite,
            &[
                Field::new("MODE", 0, 1),
                Field::new("NIRK", 1, 4),
                Field::new("DATARATE", 16, 2),
                Field::new("LENGTH", 24, 1),
            ],
        ),
        view("NIRK", 0x504, ReadWrite, &[Field::new("NIRK", 0, 5)]),
        word("CNFPTR", 0x508, ReadWrite, &[Field::new("CNFPTR", 0, 32)]),
        view("IRKPTR", 0x508, ReadWrite, &[Field::new("IRKPTR", 0, 32)]),
        word("INPTR", 0x50c, ReadWrite, &[Field::new("INPTR", 0, 32)]),
        word("OUTPTR", 0x510, ReadWrite, &[Field::new("OUTPTR", 0, 32)]),
        view("ADDRPTR", 0x510, ReadWrite, &[Field::new("ADDRPTR", 0, 32)]),
        word("SCRATCHPTR", 0x514, ReadWrite, &[Field::new("SCRATCHPTR", 0, 32)]),
        word("MAXPACKETSIZE", 0x518, ReadWrite, &[Field::new("MAXPACKETSIZE", 0, 8)]),
        word("RATEOVERRIDE", 0x51c, ReadWrite, &[Field::new("RATEOVERRIDE", 0, 2)]),
    ],
};

const OF_INTENSET: &[Field] = &[Field::new("ENDKSGEN", 0, 1), Field::new("ENDCRYPT", 1, 1), Field::new("ERROR", 2, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MODE", 0x1, &[]), some("MAXPACKETSIZE", 0xfb, &[])];
