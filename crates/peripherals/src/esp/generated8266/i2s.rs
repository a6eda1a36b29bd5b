//! I2S of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "i2s",
    version: "esp8266",
    registers: &[
        word("I2STXFIFO", 0x0, ReadWrite, &[Field::new("I2STXFIFO", 0, 32)]),
        word("I2SRXFIFO", 0x4, ReadWrite, &[Field::new("I2SRXFIFO", 0, 32)]),
        word(
            "I2SCONF",
            0x8,
            ReadWrite,
            &[
                Field::new("I2S_I2S_TX_RESET", 0, 1),
                Field::new("I2S_I2S_RX_RESET", 1, 1),
                Field::new("I2S_I2S_TX_FIFO_RESET", 2, 1),
                Field::new("I2S_I2S_RX_FIFO_RESET", 3, 1),
                Field::new("I2S_TRANS_SLAVE_MOD", 4, 1),
                Field::new("I2S_RECE_SLAVE_MOD", 5, 1),
                Field::new("I2S_RIGHT_FIRST", 6, 1),
                Field::new("I2S_MSB_RIGHT", 7, 1),
                Field::new("I2S_I2S_TX_START", 8, 1),
                Field::new("I2S_I2S_RX_START", 9, 1),
                Field::new("I2S_TRANS_MSB_SHIFT", 10, 1),
                Field::new("I2S_RECE_MSB_SHIFT", 11, 1),
                Field::new("I2S_BITS_MOD", 12, 4),
                Field::new("I2S_CLKM_DIV_NUM", 16, 6),
                Field::new("I2S_BCK_DIV_NUM", 22, 6),
            ],
        ),
        word(
            "I2SINT_RAW",
            0xc,
            ReadWrite,
            &[
                Field::new("I2S_I2S_RX_TAKE_DATA_INT_RAW", 0, 1),
                Field::new("I2S_I2S_TX_PUT_DATA_INT_RAW", 1, 1),
                Field::new("I2S_I2S_RX_WFULL_INT_RAW", 2, 1),
                Field::new("I2S_I2S_RX_REMPTY_INT_RAW", 3, 1),
                Field::new("I2S_I2S_TX_WFULL_INT_RAW", 4, 1),
                Field::new("I2S_I2S_TX_REMPTY_INT_RAW", 5, 1),
            ],
        ),
        word(
            "I2SINT_ST",
            0x10,
            ReadWrite,
            &[
                Field::new("I2S_I2S_RX_TAKE_DATA_INT_ST", 0, 1),
                Field::new("I2S_I2S_TX_PUT_DATA_INT_ST", 1, 1),
                Field::new("I2S_I2S_RX_WFULL_INT_ST", 2, 1),
                Field::new("I2S_I2S_RX_REMPTY_INT_ST", 3, 1),
                Field::new("I2S_I2S_TX_WFULL_INT_ST", 4, 1),
                Field::new("I2S_I2S_TX_REMPTY_INT_ST", 5, 1),
            ],
        ),
        word(
            "I2SINT_ENA",
            0x14,
            ReadWrite,
            &[
                Field::new("I2S_I2S_RX_TAKE_DATA_INT_ENA", 0, 1),
                Field::new("I2S_I2S_TX_PUT_DATA_INT_ENA", 1, 1),
                Field::new("I2S_I2S_RX_WFULL_INT_ENA", 2, 1),
                Field::new("I2S_I2S_RX_REMPTY_INT_ENA", 3, 1),
                Field::new("I2S_I2S_TX_WFULL_INT_ENA", 4, 1),
                Field::new("I2S_I2S_TX_REMPTY_INT_ENA", 5, 1),
            ],
        ),
        word(
            "I2SINT_CLR",
            0x18,
            ReadWrite,
            &[
                Field::new("I2S_I2S_TAKE_DATA_INT_CLR", 0, 1),
                Field::new("I2S_I2S_PUT_DATA_INT_CLR", 1, 1),
                Field::new("I2S_I2S_RX_WFULL_INT_CLR", 2, 1),
                Field::new("I2S_I2S_RX_REMPTY_INT_CLR", 3, 1),
                Field::new("I2S_I2S_TX_WFULL_INT_CLR", 4, 1),
                Field::new("I2S_I2S_TX_REMPTY_INT_CLR", 5, 1),
            ],
        ),
        word(
            "I2STIMING",
            0x1c,
            ReadWrite,
            &[
                Field::new("I2S_TRANS_BCK_IN_DELAY", 0, 2),
                Field::new("I2S_TRANS_WS_IN_DELAY", 2, 2),
                Field::new("I2S_RECE_BCK_IN_DELAY", 4, 2),
                Field::new("I2S_RECE_WS_IN_DELAY", 6, 2),
                Field::new("I2S_RECE_SD_IN_DELAY", 8, 2),
                Field::new("I2S_TRANS_BCK_OUT_DELAY", 10, 2),
                Field::new("I2S_TRANS_WS_OUT_DELAY", 12, 2),
                Field::new("I2S_TRANS_SD_OUT_DELAY", 14, 2),
                Field::new("I2S_RECE_WS_OUT_DELAY", 16, 2),
                Field::new("I2S_RECE_BCK_OUT_DELAY", 18, 2),
                Field::new("I2S_TRANS_DSYNC_SW", 20, 1),
                Field::new("I2S_RECE_DSYNC_SW", 21, 1),
                Field::new("I2S_TRANS_BCK_IN_INV", 22, 1),
            ],
        ),
        word(
            "FIFO_CONF",
            0x20,
            ReadWrite,
            &[
                Field::new("I2S_I2S_RX_DATA_NUM", 0, 6),
                Field::new("I2S_I2S_TX_DATA_NUM", 6, 6),
                Field::new("I2S_I2S_DSCR_EN", 12, 1),
                Field::new("I2S_I2S_TX_FIFO_MOD", 13, 3),
                Field::new("I2S_I2S_RX_FIFO_MOD", 16, 3),
            ],
        ),
        word("I2SRXEOF_NUM", 0x24, ReadWrite, &[Field::new("I2S_I2S_RX_EOF_NUM", 0, 32)]),
        word("I2SCONF_SIGLE_DATA", 0x28, ReadWrite, &[Field::new("I2S_I2S_SIGLE_DATA", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
