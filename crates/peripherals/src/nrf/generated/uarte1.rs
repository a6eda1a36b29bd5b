//! UARTE1 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "uarte",
    version: "nrf52",
    registers: &[
        word("TASKS_STARTRX", 0x0, WriteOnly, &[Field::new("TASKS_STARTRX", 0, 1)]),
        word("TASKS_STOPRX", 0x4, WriteOnly, &[Field::new("TASKS_STOPRX", 0, 1)]),
        word("TASKS_STARTTX", 0x8, WriteOnly, &[Field::new("TASKS_STARTTX", 0, 1)]),
        word("TASKS_STOPTX", 0xc, WriteOnly, &[Field::new("TASKS_STOPTX", 0, 1)]),
        word("TASKS_FLUSHRX", 0x2c, WriteOnly, &[Field::new("TASKS_FLUSHRX", 0, 1)]),
        word("EVENTS_CTS", 0x100, ReadWrite, &[Field::new("EVENTS_CTS", 0, 1)]),
        word("EVENTS_NCTS", 0x104, ReadWrite, &[Field::new("EVENTS_NCTS", 0, 1)]),
        word("EVENTS_RXDRDY", 0x108, ReadWrite, &[Field::new("EVENTS_RXDRDY", 0, 1)]),
        word("EVENTS_ENDRX", 0x110, ReadWrite, &[Field::new("EVENTS_ENDRX", 0, 1)]),
        word("EVENTS_TXDRDY", 0x11c, ReadWrite, &[Field::new("EVENTS_TXDRDY", 0, 1)]),
        word("EVENTS_ENDTX", 0x120, ReadWrite, &[Field::new("EVENTS_ENDTX", 0, 1)]),
        word("EVENTS_ERROR", 0x124, ReadWrite, &[Field::new("EVENTS_ERROR", 0, 1)]),
        word("EVENTS_RXTO", 0x144, ReadWrite, &[Field::new("EVENTS_RXTO", 0, 1)]),
        word("EVENTS_RXSTARTED", 0x14c, ReadWrite, &[Field::new("EVENTS_RXSTARTED", 0, 1)]),
        word("EVENTS_TXSTARTED", 0x150, ReadWrite, &[Field::new("EVENTS_TXSTARTED", 0, 1)]),
        word("EVENTS_TXSTOPPED", 0x158, ReadWrite, &[Field::new("EVENTS_TXSTOPPED", 0, 1)]),
        word("SHORTS", 0x200, ReadWrite, &[Field::new("ENDRX_STARTRX", 5, 1), Field::new("ENDRX_STOPRX", 6, 1)]),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
        word(
            "ERRORSRC",
            0x480,
            ReadWrite,
            &[
                Field::new("OVERRUN", 0, 1),
                Field::new("PARITY", 1, 1),
                Field::new("FRAMING", 2, 1),
                Field::new("BREAK", 3, 1),
            ],
        ),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 4)]),
        word("PSEL.RTS", 0x508, ReadWrite, OF_PSEL_RTS),
        word("PSEL.TXD", 0x50c, ReadWrite, OF_PSEL_RTS),
        word("PSEL.CTS", 0x510, ReadWrite, OF_PSEL_RTS),
        word("PSEL.RXD", 0x514, ReadWrite, OF_PSEL_RTS),
        word("BAUDRATE", 0x524, ReadWrite, &[Field::new("BAUDRATE", 0, 32)]),
        word("RXD.PTR", 0x534, ReadWrite, &[Field::new("RXD.PTR", 0, 32)]),
        word("RXD.MAXCNT", 0x538, ReadWrite, &[Field::new("RXD.MAXCNT", 0, 16)]),
        word("RXD.AMOUNT", 0x53c, ReadOnly, &[Field::new("RXD.AMOUNT", 0, 16)]),
        word("TXD.PTR", 0x544, ReadWrite, &[Field::new("TXD.PTR", 0, 32)]),
        word("TXD.MAXCNT", 0x548, ReadWrite, &[Field::new("TXD.MAXCNT", 0, 16)]),
        word("TXD.AMOUNT", 0x54c, ReadOnly, &[Field::new("TXD.AMOUNT", 0, 16)]),
        word(
            "CONFIG",
            0x56c,
            ReadWrite,
            &[Field::new("HWFC", 0, 1), Field::new("PARITY", 1, 3), Field::new("STOP", 4, 1)],
        ),
    ],
};

const OF_INTEN: &[Field] = &[
    Field::new("CTS", 0, 1),
    Field::new("NCTS", 1, 1),
    Field::new("RXDRDY", 2, 1),
    Field::new("ENDRX", 4, 1),
    Field::new("TXDRDY", 7, 1),
    Field::new("ENDTX", 8, 1),
    Field::new("ERROR", 9, 1),
    Field::new("RXTO", 17, 1),
    Field::new("RXSTARTED", 19, 1),
    Field::new("TXSTARTED", 20, 1),
    Field::new("TXSTOPPED", 22, 1),
];

const OF_PSEL_RTS: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PSEL.RTS", 0xffffffff, &[]),
    some("PSEL.TXD", 0xffffffff, &[]),
    some("PSEL.CTS", 0xffffffff, &[]),
    some("PSEL.RXD", 0xffffffff, &[]),
    some("BAUDRATE", 0x4000000, &[]),
];
