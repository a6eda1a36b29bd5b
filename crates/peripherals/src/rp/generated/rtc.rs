//! RTC of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rtc",
    version: "rp2040",
    registers: &[
        word("CLKDIV_M1", 0x0, ReadWrite, &[Field::new("CLKDIV_M1", 0, 16)]),
        word("SETUP_0", 0x4, ReadWrite, OF_SETUP_0),
        word("SETUP_1", 0x8, ReadWrite, OF_SETUP_1),
        word(
            "CTRL",
            0xc,
            ReadWrite,
            &[
                Field::new("RTC_ENABLE", 0, 1),
                Field::new("RTC_ACTIVE", 1, 1),
                Field::new("LOAD", 4, 1),
                Field::new("FORCE_NOTLEAPYEAR", 8, 1),
            ],
        ),
        word(
            "IRQ_SETUP_0",
            0x10,
            ReadWrite,
            &[
                Field::new("DAY", 0, 5),
                Field::new("MONTH", 8, 4),
                Field::new("YEAR", 12, 12),
                Field::new("DAY_ENA", 24, 1),
                Field::new("MONTH_ENA", 25, 1),
                Field::new("YEAR_ENA", 26, 1),
                Field::new("MATCH_ENA", 28, 1),
                Field::new("MATCH_ACTIVE", 29, 1),
            ],
        ),
        word(
            "IRQ_SETUP_1",
            0x14,
            ReadWrite,
            &[
                Field::new("SEC", 0, 6),
                Field::new("MIN", 8, 6),
                Field::new("HOUR", 16, 5),
                Field::new("DOTW", 24, 3),
                Field::new("SEC_ENA", 28, 1),
                Field::new("MIN_ENA", 29, 1),
                Field::new("HOUR_ENA", 30, 1),
                Field::new("DOTW_ENA", 31, 1),
            ],
        ),
        word("RTC_1", 0x18, ReadOnly, OF_SETUP_0),
        word("RTC_0", 0x1c, ReadOnly, OF_SETUP_1),
        word("INTR", 0x20, ReadOnly, &[Field::new("RTC", 0, 1)]),
        word("INTE", 0x24, ReadWrite, &[Field::new("RTC", 0, 1)]),
        word("INTF", 0x28, ReadWrite, &[Field::new("RTC", 0, 1)]),
        word("INTS", 0x2c, ReadOnly, &[Field::new("RTC", 0, 1)]),
    ],
};

const OF_SETUP_0: &[Field] = &[Field::new("DAY", 0, 5), Field::new("MONTH", 8, 4), Field::new("YEAR", 12, 12)];

const OF_SETUP_1: &[Field] =
    &[Field::new("SEC", 0, 6), Field::new("MIN", 8, 6), Field::new("HOUR", 16, 5), Field::new("DOTW", 24, 3)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
