//! dbgmcu version f4, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of dbgmcu version f4 (DBGMCU).
pub const MAP: Map = Map {
    kind: "dbgmcu",
    version: "f4",
    registers: &[
        Register {
            name: "IDCODE",
            offset: 0x0,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("DEV_ID", 0, 12), Field::new("REV_ID", 16, 16)],
        },
        Register {
            name: "CR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("DBG_SLEEP", 0, 1),
                Field::new("DBG_STOP", 1, 1),
                Field::new("DBG_STANDBY", 2, 1),
                Field::new("TRACE_IOEN", 5, 1),
                Field::new("TRACE_MODE", 6, 2),
            ],
        },
        Register {
            name: "APB1FZR",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("TIM2", 0, 1),
                Field::new("TIM3", 1, 1),
                Field::new("TIM4", 2, 1),
                Field::new("TIM5", 3, 1),
                Field::new("TIM6", 4, 1),
                Field::new("TIM7", 5, 1),
                Field::new("TIM12", 6, 1),
                Field::new("TIM13", 7, 1),
                Field::new("TIM14", 8, 1),
                Field::new("RTC", 10, 1),
                Field::new("WWDG", 11, 1),
                Field::new("IWDG", 12, 1),
                Field::new("I2C1_SMBUS_TIMEOUT", 21, 1),
                Field::new("I2C2_SMBUS_TIMEOUT", 22, 1),
                Field::new("I2C3_SMBUS_TIMEOUT", 23, 1),
                Field::new("I2CFMP_SMBUS_TIMEOUT", 24, 1),
                Field::new("CAN1", 25, 1),
                Field::new("CAN2", 26, 1),
            ],
        },
        Register {
            name: "APB2FZR",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("TIM1", 0, 1),
                Field::new("TIM8", 1, 1),
                Field::new("TIM9", 16, 1),
                Field::new("TIM10", 17, 1),
                Field::new("TIM11", 18, 1),
            ],
        },
    ],
};
