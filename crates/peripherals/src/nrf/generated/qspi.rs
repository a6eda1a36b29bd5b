//! QSPI of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "qspi",
    version: "nrf52",
    registers: &[
        word("TASKS_ACTIVATE", 0x0, WriteOnly, &[Field::new("TASKS_ACTIVATE", 0, 1)]),
        word("TASKS_READSTART", 0x4, WriteOnly, &[Field::new("TASKS_READSTART", 0, 1)]),
        word("TASKS_WRITESTART", 0x8, WriteOnly, &[Field::new("TASKS_WRITESTART", 0, 1)]),
        word("TASKS_ERASESTART", 0xc, WriteOnly, &[Field::new("TASKS_ERASESTART", 0, 1)]),
        word("TASKS_DEACTIVATE", 0x10, WriteOnly, &[Field::new("TASKS_DEACTIVATE", 0, 1)]),
        word("EVENTS_READY", 0x100, ReadWrite, &[Field::new("EVENTS_READY", 0, 1)]),
        word("INTEN", 0x300, ReadWrite, &[Field::new("READY", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, &[Field::new("READY", 0, 1)]),
        word("INTENCLR", 0x308, ReadWrite, &[Field::new("READY", 0, 1)]),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)]),
        word("READ.SRC", 0x504, ReadWrite, &[Field::new("READ.SRC", 0, 32)]),
        word("READ.DST", 0x508, ReadWrite, &[Field::new("READ.DST", 0, 32)]),
        word("READ.CNT", 0x50c, ReadWrite, &[Field::new("READ.CNT", 0, 18)]),
        word("WRITE.DST", 0x510, ReadWrite, &[Field::new("WRITE.DST", 0, 32)]),
        word("WRITE.SRC", 0x514, ReadWrite, &[Field::new("WRITE.SRC", 0, 32)]),
        word("WRITE.CNT", 0x518, ReadWrite, &[Field::new("WRITE.CNT", 0, 18)]),
        word("ERASE.PTR", 0x51c, ReadWrite, &[Field::new("ERASE.PTR", 0, 32)]),
        word("ERASE.LEN", 0x520, ReadWrite, &[Field::new("ERASE.LEN", 0, 2)]),
        word("PSEL.SCK", 0x524, ReadWrite, OF_PSEL_SCK),
        word("PSEL.CSN", 0x528, ReadWrite, OF_PSEL_SCK),
        word("PSEL.IO0", 0x530, ReadWrite, OF_PSEL_SCK),
        word("PSEL.IO1", 0x534, ReadWrite, OF_PSEL_SCK),
        word("PSEL.IO2", 0x538, ReadWrite, OF_PSEL_SCK),
        word("PSEL.IO3", 0x53c, ReadWrite, OF_PSEL_SCK),
        word("XIPOFFSET", 0x540, ReadWrite, &[Field::new("XIPOFFSET", 0, 32)]),
        word(
            "IFCONFIG0",
            0x544,
            ReadWrite,
            &[
                Field::new("READOC", 0, 3),
                Field::new("WRITEOC", 3, 3),
                Field::new("ADDRMODE", 6, 1),
                Field::new("DPMENABLE", 7, 1),
                Field::new("PPSIZE", 12, 1),
            ],
        ),
        word(
            "IFCONFIG1",
            0x600,
            ReadWrite,
            &[
                Field::new("SCKDELAY", 0, 8),
                Field::new("DPMEN", 24, 1),
                Field::new("SPIMODE", 25, 1),
                Field::new("SCKFREQ", 28, 4),
            ],
        ),
        word(
            "STATUS",
            0x604,
            ReadOnly,
            &[Field::new("DPM", 2, 1), Field::new("READY", 3, 1), Field::new("SREG", 24, 8)],
        ),
        word("DPMDUR", 0x614, ReadWrite, &[Field::new("ENTER", 0, 16), Field::new("EXIT", 16, 16)]),
        word(
            "ADDRCONF",
            0x624,
            ReadWrite,
            &[
                Field::new("OPCODE", 0, 8),
                Field::new("BYTE0", 8, 8),
                Field::new("BYTE1", 16, 8),
                Field::new("MODE", 24, 2),
                Field::new("WIPWAIT", 26, 1),
                Field::new("WREN", 27, 1),
            ],
        ),
        word(
            "CINSTRCONF",
            0x634,
            ReadWrite,
            &[
                Field::new("OPCODE", 0, 8),
                Field::new("LENGTH", 8, 4),
                Field::new("LIO2", 12, 1),
                Field::new("LIO3", 13, 1),
                Field::new("WIPWAIT", 14, 1),
                Field::new("WREN", 15, 1),
                Field::new("LFEN", 16, 1),
                Field::new("LFSTOP", 17, 1),
            ],
        ),
        word(
            "CINSTRDAT0",
            0x638,
            ReadWrite,
            &[
                Field::new("BYTE0", 0, 8),
                Field::new("BYTE1", 8, 8),
                Field::new("BYTE2", 16, 8),
                Field::new("BYTE3", 24, 8),
            ],
        ),
        word(
            "CINSTRDAT1",
            0x63c,
            ReadWrite,
            &[
                Field::new("BYTE4", 0, 8),
                Field::new("BYTE5", 8, 8),
                Field::new("BYTE6", 16, 8),
                Field::new("BYTE7", 24, 8),
            ],
        ),
        word("IFTIMING", 0x640, ReadWrite, &[Field::new("RXDELAY", 8, 3)]),
    ],
};

const OF_PSEL_SCK: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("PSEL.SCK", 0xffffffff, &[]),
    some("PSEL.CSN", 0xffffffff, &[]),
    some("PSEL.IO0", 0xffffffff, &[]),
    some("PSEL.IO1", 0xffffffff, &[]),
    some("PSEL.IO2", 0xffffffff, &[]),
    some("PSEL.IO3", 0xffffffff, &[]),
    some("IFCONFIG1", 0x40480, &[]),
    some("DPMDUR", 0xffffffff, &[]),
    some("ADDRCONF", 0xb7, &[]),
    some("CINSTRCONF", 0x2000, &[]),
    some("IFTIMING", 0x200, &[]),
];
