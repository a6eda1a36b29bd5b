//! adccommon version v2, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of adccommon version v2 (ADC_COMMON).
pub const MAP: Map = Map {
    kind: "adccommon",
    version: "v2",
    registers: &[
        Register {
            name: "CSR",
            offset: 0x0,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[
                Field::new("AWD0", 0, 1),
                Field::new("EOC0", 1, 1),
                Field::new("JEOC0", 2, 1),
                Field::new("JSTRT0", 3, 1),
                Field::new("STRT0", 4, 1),
                Field::new("OVR0", 5, 1),
                Field::new("AWD1", 8, 1),
                Field::new("EOC1", 9, 1),
                Field::new("JEOC1", 10, 1),
                Field::new("JSTRT1", 11, 1),
                Field::new("STRT1", 12, 1),
                Field::new("OVR1", 13, 1),
                Field::new("AWD2", 16, 1),
                Field::new("EOC2", 17, 1),
                Field::new("JEOC2", 18, 1),
                Field::new("JSTRT2", 19, 1),
                Field::new("STRT2", 20, 1),
                Field::new("OVR2", 21, 1),
            ],
        },
        Register {
            name: "CCR",
            offset: 0x4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[
                Field::new("MULTI", 0, 5),
                Field::new("DELAY", 8, 4),
                Field::new("DDS", 13, 1),
                Field::new("DMA", 14, 2),
                Field::new("ADCPRE", 16, 2),
                Field::new("VBATE", 22, 1),
                Field::new("TSVREFE", 23, 1),
            ],
        },
        Register {
            name: "CDR",
            offset: 0x8,
            bits: 32,
            access: ReadOnly,
            alternate: false,
            fields: &[Field::new("DATA0", 0, 16), Field::new("DATA1", 16, 16)],
        },
    ],
};
