//! dbgmcu version c0, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of dbgmcu version c0 (DBGMCU).
pub const MAP: Map = Map {
    kind: "dbgmcu",
    version: "c0",
    registers: &[
        Register {
            name: "IDCODE",
            offset: 0x0,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("DEV_ID", 0, 16), Field::new("REV_ID", 16, 16)],
        },
        Register {
            name: "CR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DBG_STOP", 1, 1), Field::new("DBG_STANDBY", 2, 1)],
        },
        Register {
            name: "APB1FZR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("TIM3", 1, 1),
                Field::new("RTC", 10, 1),
                Field::new("WWDG", 11, 1),
                Field::new("IWDG", 12, 1),
                Field::new("I2C1", 21, 1),
            ],
        },
        Register {
            name: "APB2FZR",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("TIM1", 11, 1),
                Field::new("TIM14", 15, 1),
                Field::new("TIM16", 17, 1),
                Field::new("TIM17", 18, 1),
            ],
        },
    ],
};
