//! HINF of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "hinf",
    version: "esp32",
    registers: &[
        word("CFG_DATA0", 0x0, ReadWrite, &[Field::new("USER_ID_FN1", 0, 16), Field::new("DEVICE_ID_FN1", 16, 16)]),
        word(
            "CFG_DATA1",
            0x4,
            ReadWrite,
            &[
                Field::new("SDIO_ENABLE", 0, 1),
                Field::new("SDIO_IOREADY1", 1, 1),
                Field::new("HIGHSPEED_ENABLE", 2, 1),
                Field::new("HIGHSPEED_MODE", 3, 1),
                Field::new("SDIO_CD_ENABLE", 4, 1),
                Field::new("SDIO_IOREADY2", 5, 1),
                Field::new("SDIO_INT_MASK", 6, 1),
                Field::new("IOENABLE2", 7, 1),
                Field::new("CD_DISABLE", 8, 1),
                Field::new("FUNC1_EPS", 9, 1),
                Field::new("EMP", 10, 1),
                Field::new("IOENABLE1", 11, 1),
                Field::new("SDIO20_CONF0", 12, 4),
                Field::new("SDIO_VER", 16, 12),
                Field::new("FUNC2_EPS", 28, 1),
                Field::new("SDIO20_CONF1", 29, 3),
            ],
        ),
        word(
            "CFG_DATA7",
            0x1c,
            ReadWrite,
            &[
                Field::new("PIN_STATE", 0, 8),
                Field::new("CHIP_STATE", 8, 8),
                Field::new("SDIO_RST", 16, 1),
                Field::new("SDIO_IOREADY0", 17, 1),
            ],
        ),
        word("CIS_CONF0", 0x20, ReadWrite, &[Field::new("CIS_CONF_W0", 0, 32)]),
        word("CIS_CONF1", 0x24, ReadWrite, &[Field::new("CIS_CONF_W1", 0, 32)]),
        word("CIS_CONF2", 0x28, ReadWrite, &[Field::new("CIS_CONF_W2", 0, 32)]),
        word("CIS_CONF3", 0x2c, ReadWrite, &[Field::new("CIS_CONF_W3", 0, 32)]),
        word("CIS_CONF4", 0x30, ReadWrite, &[Field::new("CIS_CONF_W4", 0, 32)]),
        word("CIS_CONF5", 0x34, ReadWrite, &[Field::new("CIS_CONF_W5", 0, 32)]),
        word("CIS_CONF6", 0x38, ReadWrite, &[Field::new("CIS_CONF_W6", 0, 32)]),
        word("CIS_CONF7", 0x3c, ReadWrite, &[Field::new("CIS_CONF_W7", 0, 32)]),
        word("CFG_DATA16", 0x40, ReadWrite, &[Field::new("USER_ID_FN2", 0, 16), Field::new("DEVICE_ID_FN2", 16, 16)]),
        word("DATE", 0xfc, ReadWrite, &[Field::new("DATE", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("CFG_DATA0", 0x22226666, &[]),
    some("CFG_DATA1", 0x1110011, &[]),
    some("CFG_DATA7", 0x20000, &[]),
    some("CIS_CONF0", 0xffffffff, &[]),
    some("CIS_CONF1", 0xffffffff, &[]),
    some("CIS_CONF2", 0xffffffff, &[]),
    some("CIS_CONF3", 0xffffffff, &[]),
    some("CIS_CONF4", 0xffffffff, &[]),
    some("CIS_CONF5", 0xffffffff, &[]),
    some("CIS_CONF6", 0xffffffff, &[]),
    some("CIS_CONF7", 0xffffffff, &[]),
    some("CFG_DATA16", 0x33336666, &[]),
];
