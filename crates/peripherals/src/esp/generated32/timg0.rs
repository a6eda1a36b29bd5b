//! TIMG0 of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "timg",
    version: "esp32",
    registers: &[
        word("T0_CONFIG", 0x0, ReadWrite, OF_T0_CONFIG),
        word("T0_LO", 0x4, ReadOnly, &[Field::new("LO", 0, 32)]),
        word("T0_HI", 0x8, ReadOnly, &[Field::new("HI", 0, 32)]),
        word("T0_UPDATE", 0xc, ReadWrite, &[Field::new("UPDATE", 31, 1)]),
        word("T0_ALARMLO", 0x10, ReadWrite, &[Field::new("ALARM_LO", 0, 32)]),
        word("T0_ALARMHI", 0x14, ReadWrite, &[Field::new("ALARM_HI", 0, 32)]),
        word("T0_LOADLO", 0x18, ReadWrite, &[Field::new("LOAD_LO", 0, 32)]),
        word("T0_LOADHI", 0x1c, ReadWrite, &[Field::new("LOAD_HI", 0, 32)]),
        word("T0_LOAD", 0x20, WriteOnly, &[Field::new("LOAD", 0, 32)]),
        word("T1_CONFIG", 0x24, ReadWrite, OF_T0_CONFIG),
        word("T1_LO", 0x28, ReadOnly, &[Field::new("LO", 0, 32)]),
        word("T1_HI", 0x2c, ReadOnly, &[Field::new("HI", 0, 32)]),
        word("T1_UPDATE", 0x30, ReadWrite, &[Field::new("UPDATE", 31, 1)]),
        word("T1_ALARMLO", 0x34, ReadWrite, &[Field::new("ALARM_LO", 0, 32)]),
        word("T1_ALARMHI", 0x38, ReadWrite, &[Field::new("ALARM_HI", 0, 32)]),
        word("T1_LOADLO", 0x3c, ReadWrite, &[Field::new("LOAD_LO", 0, 32)]),
        word("T1_LOADHI", 0x40, ReadWrite, &[Field::new("LOAD_HI", 0, 32)]),
        word("T1_LOAD", 0x44, WriteOnly, &[Field::new("LOAD", 0, 32)]),
        word(
            "WDTCONFIG0",
            0x48,
            ReadWrite,
            &[
                Field::new("WDT_FLASHBOOT_MOD_EN", 14, 1),
                Field::new("WDT_SYS_RESET_LENGTH", 15, 3),
                Field::new("WDT_CPU_RESET_LENGTH", 18, 3),
                Field::new("WDT_LEVEL_INT_EN", 21, 1),
                Field::new("WDT_EDGE_INT_EN", 22, 1),
                Field::new("WDT_STG3", 23, 2),
                Field::new("WDT_STG2", 25, 2),
                Field::new("WDT_STG1", 27, 2),
                Field::new("WDT_STG0", 29, 2),
                Field::new("WDT_EN", 31, 1),
            ],
        ),
        word("WDTCONFIG1", 0x4c, ReadWrite, &[Field::new("WDT_CLK_PRESCALE", 16, 16)]),
        word("WDTCONFIG2", 0x50, ReadWrite, &[Field::new("HOLD", 0, 32)]),
        word("WDTCONFIG3", 0x54, ReadWrite, &[Field::new("HOLD", 0, 32)]),
        word("WDTCONFIG4", 0x58, ReadWrite, &[Field::new("HOLD", 0, 32)]),
        word("WDTCONFIG5", 0x5c, ReadWrite, &[Field::new("HOLD", 0, 32)]),
        word("WDTFEED", 0x60, WriteOnly, &[Field::new("WDT_FEED", 0, 32)]),
        word("WDTWPROTECT", 0x64, ReadWrite, &[Field::new("WDT_WKEY", 0, 32)]),
        word(
            "RTCCALICFG",
            0x68,
            ReadWrite,
            &[
                Field::new("RTC_CALI_START_CYCLING", 12, 1),
                Field::new("RTC_CALI_CLK_SEL", 13, 2),
                Field::new("RTC_CALI_RDY", 15, 1),
                Field::new("RTC_CALI_MAX", 16, 15),
                Field::new("RTC_CALI_START", 31, 1),
            ],
        ),
        word("RTCCALICFG1", 0x6c, ReadOnly, &[Field::new("RTC_CALI_VALUE", 7, 25)]),
        word(
            "LACTCONFIG",
            0x70,
            ReadWrite,
            &[
                Field::new("RTC_ONLY", 7, 1),
                Field::new("CPST_EN", 8, 1),
                Field::new("LAC_EN", 9, 1),
                Field::new("ALARM_EN", 10, 1),
                Field::new("LEVEL_INT_EN", 11, 1),
                Field::new("EDGE_INT_EN", 12, 1),
                Field::new("DIVIDER", 13, 16),
                Field::new("AUTORELOAD", 29, 1),
                Field::new("INCREASE", 30, 1),
                Field::new("EN", 31, 1),
            ],
        ),
        word("LACTRTC", 0x74, ReadWrite, &[Field::new("RTC_STEP_LEN", 6, 26)]),
        word("LACTLO", 0x78, ReadOnly, &[Field::new("LO", 0, 32)]),
        word("LACTHI", 0x7c, ReadOnly, &[Field::new("HI", 0, 32)]),
        word("LACTUPDATE", 0x80, WriteOnly, &[Field::new("UPDATE", 0, 32)]),
        word("LACTALARMLO", 0x84, ReadWrite, &[Field::new("ALARM_LO", 0, 32)]),
        word("LACTALARMHI", 0x88, ReadWrite, &[Field::new("ALARM_HI", 0, 32)]),
        word("LACTLOADLO", 0x8c, ReadWrite, &[Field::new("LOAD_LO", 0, 32)]),
        word("LACTLOADHI", 0x90, ReadWrite, &[Field::new("LOAD_HI", 0, 32)]),
        word("LACTLOAD", 0x94, WriteOnly, &[Field::new("LOAD", 0, 32)]),
        word("INT_ENA", 0x98, ReadWrite, OF_INT_ENA),
        word("INT_RAW", 0x9c, ReadOnly, OF_INT_ENA),
        word("INT_ST", 0xa0, ReadOnly, OF_INT_ENA),
        word("INT_CLR", 0xa4, WriteOnly, OF_INT_ENA),
        word("NTIMERS_DATE", 0xf8, ReadWrite, &[Field::new("NTIMERS_DATE", 0, 32)]),
        word("TIMGCLK", 0xfc, ReadWrite, &[Field::new("CLK_EN", 31, 1)]),
    ],
};

const OF_T0_CONFIG: &[Field] = &[
    Field::new("ALARM_EN", 10, 1),
    Field::new("LEVEL_INT_EN", 11, 1),
    Field::new("EDGE_INT_EN", 12, 1),
    Field::new("DIVIDER", 13, 16),
    Field::new("AUTORELOAD", 29, 1),
    Field::new("INCREASE", 30, 1),
    Field::new("EN", 31, 1),
];

const OF_INT_ENA: &[Field] =
    &[Field::new("T0", 0, 1), Field::new("T1", 1, 1), Field::new("WDT", 2, 1), Field::new("LACT", 3, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("T0_CONFIG", 0x60002000, &[]),
    some("T1_CONFIG", 0x60002000, &[]),
    some("WDTCONFIG0", 0x4c000, &[]),
    some("WDTCONFIG1", 0x10000, &[]),
    some("WDTCONFIG2", 0x18cba80, &[]),
    some("WDTCONFIG3", 0x18cba80, &[]),
    some("WDTCONFIG4", 0x18cba80, &[]),
    some("WDTCONFIG5", 0x18cba80, &[]),
    some("WDTWPROTECT", 0x50d83aa1, &[]),
    some("RTCCALICFG", 0x13000, &[]),
    some("LACTCONFIG", 0x60002300, &[]),
];
