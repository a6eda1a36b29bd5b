//! syscfg version f4, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of syscfg version f4 (SYSCFG).
pub const MAP: Map = Map {
    kind: "syscfg",
    version: "f4",
    registers: &[
        Register {
            name: "MEMRMP",
            offset: 0x0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("MEM_MODE", 0, 3), Field::new("SWP_FMC", 10, 2)],
        },
        Register {
            name: "PMC",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("ADC1DC2", 16, 1), Field::new("ADC2DC2", 17, 1), Field::new("ADC3DC2", 18, 1)],
        },
        Register {
            name: "EXTICR1",
            offset: 0x8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI0", 0, 4),
                Field::new("EXTI1", 4, 4),
                Field::new("EXTI2", 8, 4),
                Field::new("EXTI3", 12, 4),
            ],
        },
        Register {
            name: "EXTICR2",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI4", 0, 4),
                Field::new("EXTI5", 4, 4),
                Field::new("EXTI6", 8, 4),
                Field::new("EXTI7", 12, 4),
            ],
        },
        Register {
            name: "EXTICR3",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI8", 0, 4),
                Field::new("EXTI9", 4, 4),
                Field::new("EXTI10", 8, 4),
                Field::new("EXTI11", 12, 4),
            ],
        },
        Register {
            name: "EXTICR4",
            offset: 0x14,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("EXTI12", 0, 4),
                Field::new("EXTI13", 4, 4),
                Field::new("EXTI14", 8, 4),
                Field::new("EXTI15", 12, 4),
            ],
        },
        Register {
            name: "CMPCR",
            offset: 0x20,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("CMP_PD", 0, 1), Field::new("READY", 8, 1)],
        },
    ],
};
