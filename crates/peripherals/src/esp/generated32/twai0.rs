//! TWAI0 of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "twai",
    version: "esp32",
    registers: &[
        word(
            "MODE",
            0x0,
            ReadWrite,
            &[
                Field::new("RESET_MODE", 0, 1),
                Field::new("LISTEN_ONLY_MODE", 1, 1),
                Field::new("SELF_TEST_MODE", 2, 1),
                Field::new("RX_FILTER_MODE", 3, 1),
            ],
        ),
        word(
            "CMD",
            0x4,
            WriteOnly,
            &[
                Field::new("TX_REQ", 0, 1),
                Field::new("ABORT_TX", 1, 1),
                Field::new("RELEASE_BUF", 2, 1),
                Field::new("CLR_OVERRUN", 3, 1),
                Field::new("SELF_RX_REQ", 4, 1),
            ],
        ),
        word(
            "STATUS",
            0x8,
            ReadOnly,
            &[
                Field::new("RX_BUF_ST", 0, 1),
                Field::new("OVERRUN_ST", 1, 1),
                Field::new("TX_BUF_ST", 2, 1),
                Field::new("TX_COMPLETE", 3, 1),
                Field::new("RX_ST", 4, 1),
                Field::new("TX_ST", 5, 1),
                Field::new("ERR_ST", 6, 1),
                Field::new("BUS_OFF_ST", 7, 1),
                Field::new("MISS_ST", 8, 1),
            ],
        ),
        word(
            "INT_RAW",
            0xc,
            ReadOnly,
            &[
                Field::new("RX_INT_ST", 0, 1),
                Field::new("TX_INT_ST", 1, 1),
                Field::new("ERR_WARN_INT_ST", 2, 1),
                Field::new("OVERRUN_INT_ST", 3, 1),
                Field::new("ERR_PASSIVE_INT_ST", 5, 1),
                Field::new("ARB_LOST_INT_ST", 6, 1),
                Field::new("BUS_ERR_INT_ST", 7, 1),
            ],
        ),
        word(
            "INT_ENA",
            0x10,
            ReadWrite,
            &[
                Field::new("RX_INT_ENA", 0, 1),
                Field::new("TX_INT_ENA", 1, 1),
                Field::new("ERR_WARN_INT_ENA", 2, 1),
                Field::new("OVERRUN_INT_ENA", 3, 1),
                Field::new("BRP_DIV", 4, 1),
                Field::new("ERR_PASSIVE_INT_ENA", 5, 1),
                Field::new("ARB_LOST_INT_ENA", 6, 1),
                Field::new("BUS_ERR_INT_ENA", 7, 1),
            ],
        ),
        word("BUS_TIMING_0", 0x18, ReadWrite, &[Field::new("BAUD_PRESC", 0, 6), Field::new("SYNC_JUMP_WIDTH", 6, 2)]),
        word(
            "BUS_TIMING_1",
            0x1c,
            ReadWrite,
            &[Field::new("TIME_SEG1", 0, 4), Field::new("TIME_SEG2", 4, 3), Field::new("TIME_SAMP", 7, 1)],
        ),
        word("ARB_LOST_CAP", 0x2c, ReadOnly, &[Field::new("ARB_LOST_CAP", 0, 5)]),
        word(
            "ERR_CODE_CAP",
            0x30,
            ReadOnly,
            &[Field::new("ECC_SEGMENT", 0, 5), Field::new("ECC_DIRECTION", 5, 1), Field::new("ECC_TYPE", 6, 2)],
        ),
        word("ERR_WARNING_LIMIT", 0x34, ReadWrite, &[Field::new("ERR_WARNING_LIMIT", 0, 8)]),
        word("RX_ERR_CNT", 0x38, ReadWrite, &[Field::new("RX_ERR_CNT", 0, 8)]),
        word("TX_ERR_CNT", 0x3c, ReadWrite, &[Field::new("TX_ERR_CNT", 0, 8)]),
        word("DATA0", 0x40, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA1", 0x44, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA2", 0x48, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA3", 0x4c, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA4", 0x50, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA5", 0x54, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA6", 0x58, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA7", 0x5c, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA8", 0x60, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA9", 0x64, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA10", 0x68, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA11", 0x6c, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("DATA12", 0x70, ReadWrite, &[Field::new("TX_BYTE", 0, 8)]),
        word("RX_MESSAGE_CNT", 0x74, ReadOnly, &[Field::new("RX_MESSAGE_COUNTER", 0, 7)]),
        word(
            "CLOCK_DIVIDER",
            0x7c,
            ReadWrite,
            &[Field::new("CD", 0, 3), Field::new("CLOCK_OFF", 3, 1), Field::new("EXT_MODE", 7, 1)],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("MODE", 0x1, &[]), some("ERR_WARNING_LIMIT", 0x60, &[])];
