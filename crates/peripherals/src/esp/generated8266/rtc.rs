//! RTC of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtc",
    version: "esp8266",
    registers: &[
        word("CTL", 0x0, ReadWrite, &[Field::new("CTL", 0, 32)]),
        word("SLP_VAL", 0x4, ReadWrite, &[Field::new("SLP_VAL", 0, 32)]),
        word("SLP_CTL", 0x8, ReadWrite, &[Field::new("SLP_CTL", 0, 32)]),
        word("STATE1", 0x14, ReadWrite, &[Field::new("STATE1", 0, 32)]),
        word("SLP_CNT_VAL", 0x1c, ReadOnly, &[Field::new("SLP_CNT_VAL", 0, 32)]),
        word("INT_ENA", 0x20, ReadWrite, &[Field::new("INT_ENA", 0, 32)]),
        word("STORE0", 0x30, ReadWrite, &[Field::new("STORE0", 0, 32)]),
        word("STORE1", 0x34, ReadWrite, &[Field::new("STORE1", 0, 32)]),
        word("STORE2", 0x38, ReadWrite, &[Field::new("STORE2", 0, 32)]),
        word("STORE3", 0x3c, ReadWrite, &[Field::new("STORE3", 0, 32)]),
        word("GPIO_OUT", 0x68, ReadWrite, &[Field::new("GPIO_OUT", 0, 32)]),
        word("GPIO_ENABLE", 0x74, ReadWrite, &[Field::new("GPIO_ENABLE", 0, 32)]),
        word("GPIO_IN_DATA", 0x8c, ReadWrite, &[Field::new("GPIO_IN_DATA", 0, 32)]),
        word("GPIO_CONF", 0x90, ReadWrite, &[Field::new("GPIO_CONF", 0, 32)]),
        word("PAD_XPD_DCDC_CONF", 0xa0, ReadWrite, &[Field::new("PAD_XPD_DCDC_CONF", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
