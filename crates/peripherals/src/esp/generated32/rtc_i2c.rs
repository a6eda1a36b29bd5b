//! RTC_I2C of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtc_i2c",
    version: "esp32",
    registers: &[
        word("SCL_LOW_PERIOD", 0x0, ReadWrite, &[Field::new("SCL_LOW_PERIOD", 0, 25)]),
        word(
            "CTRL",
            0x4,
            ReadWrite,
            &[
                Field::new("SDA_FORCE_OUT", 0, 1),
                Field::new("SCL_FORCE_OUT", 1, 1),
                Field::new("MS_MODE", 4, 1),
                Field::new("TRANS_START", 5, 1),
                Field::new("TX_LSB_FIRST", 6, 1),
                Field::new("RX_LSB_FIRST", 7, 1),
            ],
        ),
        word(
            "DEBUG_STATUS",
            0x8,
            ReadWrite,
            &[
                Field::new("ACK_VAL", 0, 1),
                Field::new("SLAVE_RW", 1, 1),
                Field::new("TIMED_OUT", 2, 1),
                Field::new("ARB_LOST", 3, 1),
                Field::new("BUS_BUSY", 4, 1),
                Field::new("SLAVE_ADDR_MATCH", 5, 1),
                Field::new("BYTE_TRANS", 6, 1),
                Field::new("MAIN_STATE", 25, 3),
                Field::new("SCL_STATE", 28, 3),
            ],
        ),
        word("TIMEOUT", 0xc, ReadWrite, &[Field::new("TIMEOUT", 0, 20)]),
        word("SLAVE_ADDR", 0x10, ReadWrite, &[Field::new("SLAVE_ADDR", 0, 15), Field::new("_10BIT", 31, 1)]),
        word("DATA", 0x1c, ReadWrite, &[Field::new("DATA", 0, 32)]),
        word(
            "INT_RAW",
            0x20,
            ReadWrite,
            &[
                Field::new("SLAVE_TRANS_COMPLETE", 3, 1),
                Field::new("ARBITRATION_LOST", 4, 1),
                Field::new("MASTER_TRANS_COMPLETE", 5, 1),
                Field::new("TRANS_COMPLETE", 6, 1),
                Field::new("TIME_OUT", 7, 1),
            ],
        ),
        word(
            "INT_CLR",
            0x24,
            ReadWrite,
            &[
                Field::new("SLAVE_TRANS_COMPLETE", 4, 1),
                Field::new("ARBITRATION_LOST", 5, 1),
                Field::new("MASTER_TRANS_COMPLETE", 6, 1),
                Field::new("TRANS_COMPLETE", 7, 1),
                Field::new("TIME_OUT", 8, 1),
            ],
        ),
        word("INT_ENA", 0x28, ReadWrite, &[Field::new("INT_ENA", 0, 32)]),
        word("INT_ST", 0x2c, ReadWrite, &[Field::new("INT_ST", 0, 32)]),
        word("SDA_DUTY", 0x30, ReadWrite, &[Field::new("SDA_DUTY", 0, 20)]),
        word("SCL_HIGH_PERIOD", 0x38, ReadWrite, &[Field::new("SCL_HIGH_PERIOD", 0, 20)]),
        word("SCL_START_PERIOD", 0x40, ReadWrite, &[Field::new("SCL_START_PERIOD", 0, 20)]),
        word("SCL_STOP_PERIOD", 0x44, ReadWrite, &[Field::new("SCL_STOP_PERIOD", 0, 20)]),
        word("CMD", 0x48, ReadWrite, &[Field::new("VAL", 0, 14), Field::new("DONE", 31, 1)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
