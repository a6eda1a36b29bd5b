//! SPI2 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, view, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "spi",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x10, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x14, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_SUSPEND", 0x1c, WriteOnly, &[Field::new("TASKS_SUSPEND", 0, 1)]),
        word("TASKS_RESUME", 0x20, WriteOnly, &[Field::new("TASKS_RESUME", 0, 1)]),
        word("TASKS_ACQUIRE", 0x24, WriteOnly, &[Field::new("TASKS_ACQUIRE", 0, 1)]),
        word("TASKS_RELEASE", 0x28, WriteOnly, &[Field::new("TASKS_RELEASE", 0, 1)]),
        word("EVENTS_STOPPED", 0x104, ReadWrite, &[Field::new("EVENTS_STOPPED", 0, 1)]),
        view("EVENTS_END", 0x104, ReadWrite, &[Field::new("EVENTS_END", 0, 1)]),
        word("EVENTS_READY", 0x108, ReadWrite, &[Field::new("EVENTS_READY", 0, 1)]),
        word("EVENTS_ENDRX", 0x110, ReadWrite, &[Field::new("EVENTS_ENDRX", 0, 1)]),
        word("EVENTS_END", 0x118, ReadWrite, &[Field::new("EVENTS_END", 0, 1)]),
        word("EVENTS_ENDTX", 0x120, ReadWrite, &[Field::new("EVENTS_ENDTX", 0, 1)]),
        word("EVENTS_ACQUIRED", 0x128, ReadWrite, &[Field::new("EVENTS_ACQUIRED", 0, 1)]),
        word("EVENTS_STARTED", 0x14c, ReadWrite, &[Field::new("EVENTS_STARTED", 0, 1)]),
        word("SHORTS", 0x200, ReadWrite, &[Field::new("END_ACQUIRE", 2, 1), Field::new("END_START", 17, 1)]),
        word("INTENSET", 0x304, ReadWrite, OF_INTENSET),
        word("INTENCLR", 0x308, ReadWrite, OF_INTENSET),
        word("STALLSTAT", 0x400, ReadWrite, &[Field::new("TX", 0, 1), Field::new("RX", 1, 1)]),
        view("SEMSTAT", 0x400, ReadOnly, &[Field::new("SEMSTAT", 0, 2)]),
        word("STATUS", 0x440, ReadWrite, &[Field::new("OVERREAD", 0, 1), Field::new("OVERFLOW", 1, 1)]),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 4)]),
        word("PSEL.SCK", 0x508, ReadWrite, OF_PSEL_SCK),
        word("PSEL.MOSI", 0x50c, ReadWrite, OF_PSEL_SCK),
        view("PSEL.MISO", 0x50c, ReadWrite, OF_PSEL_SCK),
        word("PSEL.MISO", 0x510, ReadWrite, OF_PSEL_SCK),
        view("PSEL.MOSI", 0x510, ReadWrite, OF_PSEL_SCK),
        word("PSEL.CSN", 0x514, ReadWrite, OF_PSEL_SCK),
        word("RXD", 0x518, ReadOnly, &[Field::new("RXD", 0, 8)]),
        word("TXD", 0x51c, ReadWrite, &[Field::new("TXD", 0, 8)]),
        word("FREQUENCY", 0x524, ReadWrite, &[Field::new("FREQUENCY", 0, 32)]),
        word("RXD.PTR", 0x534, ReadWrite, &[Field::new("RXD.PTR", 0, 32)]),
        word("RXD.MAXCNT", 0x538, ReadWrite, &[Field::new("RXD.MAXCNT", 0, 16)]),
        word("RXD.AMOUNT", 0x53c, ReadOnly, &[Field::new("RXD.AMOUNT", 0, 16)]),
        word("RXD.LIST", 0x540, ReadWrite, &[Field::new("RXD.LIST", 0, 2)]),
        word("TXD.PTR", 0x544, ReadWrite, &[Field::new("TXD.PTR", 0, 32)]),
        word("TXD.MAXCNT", 0x548, ReadWrite, &[Field::new("TXD.MAXCNT", 0, 16)]),
        word("TXD.AMOUNT", 0x54c, ReadOnly, &[Field::new("TXD.AMOUNT", 0, 16)]),
        word("TXD.LIST", 0x550, ReadWrite, &[Field::new("TXD.LIST", 0, 2)]),
        word(
            "CONFIG",
            0x554,
            ReadWrite,
            &[Field::new("ORDER", 0, 1), Field::new("CPHA", 1, 1), Field::new("CPOL", 2, 1)],
        ),
        word("DEF", 0x55c, ReadWrite, &[Field::new("DEF", 0, 8)]),
        word("IFTIMING.RXDELAY", 0x560, ReadWrite, &[Field::new("IFTIMING.RXDELAY", 0, 3)]),
        word("IFTIMING.CSNDUR", 0x564, ReadWrite, &[Field::new("IFTIMING.CSNDUR", 0, 8)]),
        word("CSNPOL", 0x568, ReadWrite, &[Field::new("CSNPOL", 0, 1)]),
        word("PSELDCX", 0x56c, ReadWrite, OF_PSEL_SCK),
        word("DCXCNT", 0x570, ReadWrite, &[Field::new("DCXCNT", 0, 4)]),
        word("ORC", 0x5c0, ReadWrite, &[Field::new("ORC", 0, 8)]),
    ],
};

const OF_INTENSET: &[Field] = &[
    Field::new("STOPPED", 1, 1),
    Field::new("READY", 2, 1),
    Field::new("ENDRX", 4, 1),
    Field::new("END", 6, 1),
    Field::new("ENDTX", 8, 1),
    Field::new("ACQUIRED", 10, 1),
    Field::new("STARTED", 19, 1),
];

const OF_PSEL_SCK: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("STALLSTAT", 0x1, &[]),
    some("PSEL.SCK", 0xffffffff, &[]),
    some("PSEL.MOSI", 0xffffffff, &[]),
    some("PSEL.MISO", 0xffffffff, &[]),
    some("PSEL.CSN", 0xffffffff, &[]),
    some("FREQUENCY", 0x4000000, &[]),
    some("IFTIMING.RXDELAY", 0x2, &[]),
    some("IFTIMING.CSNDUR", 0x2, &[]),
    some("PSELDCX", 0xffffffff, &[]),
];
