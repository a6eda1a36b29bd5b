//! I2S of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "i2s",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("EVENTS_RXPTRUPD", 0x104, ReadWrite, &[Field::new("EVENTS_RXPTRUPD", 0, 1)]),
        word("EVENTS_STOPPED", 0x108, ReadWrite, &[Field::new("EVENTS_STOPPED", 0, 1)]),
        word("EVENTS_TXPTRUPD", 0x114, ReadWrite, &[Field::new("EVENTS_TXPTRUPD", 0, 1)]),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)]),
        word("CONFIG.MODE", 0x504, ReadWrite, &[Field::new("CONFIG.MODE", 0, 1)]),
        word("CONFIG.RXEN", 0x508, ReadWrite, &[Field::new("CONFIG.RXEN", 0, 1)]),
        word("CONFIG.TXEN", 0x50c, ReadWrite, &[Field::new("CONFIG.TXEN", 0, 1)]),
        word("CONFIG.MCKEN", 0x510, ReadWrite, &[Field::new("CONFIG.MCKEN", 0, 1)]),
        word("CONFIG.MCKFREQ", 0x514, ReadWrite, &[Field::new("CONFIG.MCKFREQ", 0, 32)]),
        word("CONFIG.RATIO", 0x518, ReadWrite, &[Field::new("CONFIG.RATIO", 0, 4)]),
        word("CONFIG.SWIDTH", 0x51c, ReadWrite, &[Field::new("CONFIG.SWIDTH", 0, 2)]),
        word("CONFIG.ALIGN", 0x520, ReadWrite, &[Field::new("CONFIG.ALIGN", 0, 1)]),
        word("CONFIG.FORMAT", 0x524, ReadWrite, &[Field::new("CONFIG.FORMAT", 0, 1)]),
        word("CONFIG.CHANNELS", 0x528, ReadWrite, &[Field::new("CONFIG.CHANNELS", 0, 2)]),
        word("RXD.PTR", 0x538, ReadWrite, &[Field::new("RXD.PTR", 0, 32)]),
        word("TXD.PTR", 0x540, ReadWrite, &[Field::new("TXD.PTR", 0, 32)]),
        word("RXTXD.MAXCNT", 0x550, ReadWrite, &[Field::new("RXTXD.MAXCNT", 0, 14)]),
        word("PSEL.MCK", 0x560, ReadWrite, OF_PSEL_MCK),
        word("PSEL.SCK", 0x564, ReadWrite, OF_PSEL_MCK),
        word("PSEL.LRCK", 0x568, ReadWrite, OF_PSEL_MCK),
        word("PSEL.SDIN", 0x56c, ReadWrite, OF_PSEL_MCK),
        word("PSEL.SDOUT", 0x570, ReadWrite, OF_PSEL_MCK),
    ],
};

const OF_INTEN: &[Field] = &[Field::new("RXPTRUPD", 1, 1), Field::new("STOPPED", 2, 1), Field::new("TXPTRUPD", 5, 1)];

const OF_PSEL_MCK: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("CONFIG.TXEN", 0x1, &[]),
    some("CONFIG.MCKEN", 0x1, &[]),
    some("CONFIG.MCKFREQ", 0x20000000, &[]),
    some("CONFIG.RATIO", 0x6, &[]),
    some("CONFIG.SWIDTH", 0x1, &[]),
    some("PSEL.MCK", 0xffffffff, &[]),
    some("PSEL.SCK", 0xffffffff, &[]),
    some("PSEL.LRCK", 0xffffffff, &[]),
    some("PSEL.SDIN", 0xffffffff, &[]),
    some("PSEL.SDOUT", 0xffffffff, &[]),
];
