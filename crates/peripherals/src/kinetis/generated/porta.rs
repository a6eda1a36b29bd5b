//! PORTA of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, Register};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "port",
    version: "k20",
    registers: &[
        Register { name: "PCR0", offset: 0x0, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR1", offset: 0x4, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR2", offset: 0x8, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR3", offset: 0xc, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR4", offset: 0x10, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR5", offset: 0x14, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR6", offset: 0x18, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR7", offset: 0x1c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR8", offset: 0x20, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR9", offset: 0x24, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR10", offset: 0x28, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR11", offset: 0x2c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR12", offset: 0x30, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR13", offset: 0x34, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR14", offset: 0x38, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR15", offset: 0x3c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR16", offset: 0x40, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR17", offset: 0x44, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR18", offset: 0x48, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR19", offset: 0x4c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR20", offset: 0x50, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR21", offset: 0x54, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR22", offset: 0x58, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR23", offset: 0x5c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR24", offset: 0x60, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR25", offset: 0x64, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR26", offset: 0x68, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR27", offset: 0x6c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR28", offset: 0x70, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR29", offset: 0x74, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR30", offset: 0x78, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "PCR31", offset: 0x7c, bits: 32, access: ReadWrite, alternate: false, fields: OF_PCR0 },
        Register { name: "GPCLR", offset: 0x80, bits: 32, access: WriteOnly, alternate: false, fields: OF_GPCLR },
        Register { name: "GPCHR", offset: 0x84, bits: 32, access: WriteOnly, alternate: false, fields: OF_GPCLR },
        Register {
            name: "ISFR",
            offset: 0xa0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("ISF", 0, 32)],
        },
        Register {
            name: "DFER",
            offset: 0xc0,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("DFE", 0, 32)],
        },
        Register {
            name: "DFCR",
            offset: 0xc4,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("CS", 0, 1)],
        },
        Register {
            name: "DFWR",
            offset: 0xc8,
            bits: 32,
            access: ReadWrite,
            alternate: false,
            fields: &[Field::new("FILT", 0, 5)],
        },
    ],
};

const OF_PCR0: &[Field] = &[
    Field::new("PS", 0, 1),
    Field::new("PE", 1, 1),
    Field::new("SRE", 2, 1),
    Field::new("PFE", 4, 1),
    Field::new("ODE", 5, 1),
    Field::new("DSE", 6, 1),
    Field::new("MUX", 8, 3),
    Field::new("LK", 15, 1),
    Field::new("IRQC", 16, 4),
    Field::new("ISF", 24, 1),
];

const OF_GPCLR: &[Field] = &[Field::new("GPWD", 0, 16), Field::new("GPWE", 16, 16)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
