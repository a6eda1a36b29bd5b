//! bdma version v1, written by `crates/peripherals/generate`; do not edit.

use crate::register::{Access::*, Field, Map, Register};

/// The declared registers of bdma version v1 (DMA).
pub const MAP: Map = Map {
    kind: "bdma",
    version: "v1",
    registers: &[
        Register { name: "ISR", offset: 0x0, bits: 32, access: ReadOnly, alternate: false, fields: OF_ISR },
        Register { name: "IFCR", offset: 0x4, bits: 32, access: WriteOnly, alternate: false, fields: OF_ISR },
        Register { name: "CCR1", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR1 },
        Register {
            name: "CNDTR1",
            offset: 0xc,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("NDT", 0, 16)],
        },
        Register {
            name: "CPAR1",
            offset: 0x10,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CPAR1", 0, 32)],
        },
        Register {
            name: "CMAR1",
            offset: 0x14,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CMAR1", 0, 32)],
        },
        Register { name: "CCR2", offset: 0x1c, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR1 },
        Register {
            name: "CNDTR2",
            offset: 0x20,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("NDT", 0, 16)],
        },
        Register {
            name: "CPAR2",
            offset: 0x24,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CPAR2", 0, 32)],
        },
        Register {
            name: "CMAR2",
            offset: 0x28,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CMAR2", 0, 32)],
        },
        Register { name: "CCR3", offset: 0x30, bits: 32, access: ReadWrite, alternate: false, fields: OF_CCR1 },
        Register {
            name: "CNDTR3",
            offset: 0x34,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("NDT", 0, 16)],
        },
        Register {
            name: "CPAR3",
            offset: 0x38,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CPAR3", 0, 32)],
        },
        Register {
            name: "CMAR3",
            offset: 0x3c,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CMAR3", 0, 32)],
        },
    ],
};

const OF_ISR: &[Field] = &[
    Field::new("GIF1", 0, 1),
    Field::new("TCIF1", 1, 1),
    Field::new("HTIF1", 2, 1),
    Field::new("TEIF1", 3, 1),
    Field::new("GIF2", 4, 1),
    Field::new("TCIF2", 5, 1),
    Field::new("HTIF2", 6, 1),
    Field::new("TEIF2", 7, 1),
    Field::new("GIF3", 8, 1),
    Field::new("TCIF3", 9, 1),
    Field::new("HTIF3", 10, 1),
    Field::new("TEIF3", 11, 1),
];

const OF_CCR1: &[Field] = &[
    Field::new("EN", 0, 1),
    Field::new("TCIE", 1, 1),
    Field::new("HTIE", 2, 1),
    Field::new("TEIE", 3, 1),
    Field::new("DIR", 4, 1),
    Field::new("CIRC", 5, 1),
    Field::new("PINC", 6, 1),
    Field::new("MINC", 7, 1),
    Field::new("PSIZE", 8, 2),
    Field::new("MSIZE", 10, 2),
    Field::new("PL", 12, 2),
    Field::new("MEM2MEM", 14, 1),
];
