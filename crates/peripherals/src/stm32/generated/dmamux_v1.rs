//! dmamux version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of dmamux version v1 (DMAMUX).
pub const MAP: Map = Map {
    kind: "dmamux",
    version: "v1",
    registers: &[
        Register { name: "CCR0", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR0 },
        Register { name: "CCR1", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR0 },
        Register { name: "CCR2", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR0 },
        Register { name: "CSR", offset: 0x80, bits: 32, access: ReadOnly, alternate: false, fields: OF_CSR },
        Register { name: "CFR", offset: 0x84, bits: 32, access: WriteOnly, alternate: false, fields: OF_CSR },
        Register { name: "RGCR0", offset: 0x100, bits: 32, access: ReadWrite, alternate: false, fields: OF_RGCR0 },
        Register { name: "RGCR1", offset: 0x104, bits: 32, access: ReadWrite, alternate: false, fields: OF_RGCR0 },
        Register { name: "RGCR2", offset: 0x108, bits: 32, access: ReadWrite, alternate: false, fields: OF_RGCR0 },
        Register { name: "RGCR3", offset: 0x10c, bits: 32, access: ReadWrite, alternate: false, fields: OF_RGCR0 },
        Register { name: "RGSR", offset: 0x140, bits: 32, access: ReadOnly, alternate: false, fields: OF_RGSR },
        Register { name: "RGCFR", offset: 0x144, bits: 32, access: WriteOnly, alternate: false, fields: OF_RGSR },
    ],
};

const OF_CCR0: &[Field] = &[
    Field::new("DMAREQ_ID", 0, 8),
    Field::new("SOIE", 8, 1),
    Field::new("EGE", 9, 1),
    Field::new("SE", 16, 1),
    Field::new("SPOL", 17, 2),
    Field::new("NBREQ", 19, 5),
    Field::new("SYNC_ID", 24, 5),
];

const OF_CSR: &[Field] = &[Field::new("SOF0", 0, 1), Field::new("SOF1", 1, 1), Field::new("SOF2", 2, 1)];

const OF_RGCR0: &[Field] = &[
    Field::new("SIG_ID", 0, 5),
    Field::new("OIE", 8, 1),
    Field::new("GE", 16, 1),
    Field::new("GPOL", 17, 2),
    Field::new("GNBREQ", 19, 5),
];

const OF_RGSR: &[Field] =
    &[Field::new("OF0", 0, 1), Field::new("OF1", 1, 1), Field::new("OF2", 2, 1), Field::new("OF3", 3, 1)];
