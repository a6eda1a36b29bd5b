//! dbgmcu version f1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of dbgmcu version f1 (DBGMCU).
pub const MAP: Map = Map {
    kind: "dbgmcu",
    version: "f1",
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
                Field::new("IWDG", 8, 1),
                Field::new("WWDG", 9, 1),
                Field::new("TIM1", 10, 1),
                Field::new("TIM2", 11, 1),
                Field::new("TIM3", 12, 1),
                Field::new("TIM4", 13, 1),
                Field::new("CAN1", 14, 1),
                Field::new("DBG_I2C1_SMBUS_TIMEOUT", 15, 1),
                Field::new("DBG_I2C2_SMBUS_TIMEOUT", 16, 1),
                Field::new("TIM8", 17, 1),
                Field::new("TIM5", 18, 1),
                Field::new("TIM6", 19, 1),
                Field::new("TIM7", 20, 1),
                Field::new("CAN2", 21, 1),
                Field::new("TIM15", 22, 1),
                Field::new("TIM16", 23, 1),
                Field::new("TIM17", 24, 1),
                Field::new("TIM12", 25, 1),
                Field::new("TIM13", 26, 1),
                Field::new("TIM14", 27, 1),
            ],
        },
    ],
};
