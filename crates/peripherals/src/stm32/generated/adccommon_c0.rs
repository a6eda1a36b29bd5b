//! adccommon version c0, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of adccommon version c0 (ADC_COMMON).
pub const MAP: Map = Map {
    kind: "adccommon",
    version: "c0",
    registers: &[Register {
        name: "CCR",
        offset: 0x8,
        bits: 32,
        access: ReadWrite,
        alternate: false,
        fields: &[Field::new("PRESC", 18, 4), Field::new("VREFEN", 22, 1), Field::new("TSEN", 23, 1)],
    }],
};
