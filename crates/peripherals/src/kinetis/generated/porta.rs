//! PORTA of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "port",
    version: "k20",
    registers: &[
        word("PCR0", 0x0, ReadWrite, OF_PCR0),
        word("PCR1", 0x4, ReadWrite, OF_PCR0),
        word("PCR2", 0x8, ReadWrite, OF_PCR0),
        word("PCR3", 0xc, ReadWrite, OF_PCR0),
        word("PCR4", 0x10, ReadWrite, OF_PCR0),
        word("PCR5", 0x14, ReadWrite, OF_PCR0),
        word("PCR6", 0x18, ReadWrite, OF_PCR0),
        word("PCR7", 0x1c, ReadWrite, OF_PCR0),
        word("PCR8", 0x20, ReadWrite, OF_PCR0),
        word("PCR9", 0x24, ReadWrite, OF_PCR0),
        word("PCR10", 0x28, ReadWrite, OF_PCR0),
        word("PCR11", 0x2c, ReadWrite, OF_PCR0),
        word("PCR12", 0x30, ReadWrite, OF_PCR0),
        word("PCR13", 0x34, ReadWrite, OF_PCR0),
        word("PCR14", 0x38, ReadWrite, OF_PCR0),
        word("PCR15", 0x3c, ReadWrite, OF_PCR0),
        word("PCR16", 0x40, ReadWrite, OF_PCR0),
        word("PCR17", 0x44, ReadWrite, OF_PCR0),
        word("PCR18", 0x48, ReadWrite, OF_PCR0),
        word("PCR19", 0x4c, ReadWrite, OF_PCR0),
        word("PCR20", 0x50, ReadWrite, OF_PCR0),
        word("PCR21", 0x54, ReadWrite, OF_PCR0),
        word("PCR22", 0x58, ReadWrite, OF_PCR0),
        word("PCR23", 0x5c, ReadWrite, OF_PCR0),
        word("PCR24", 0x60, ReadWrite, OF_PCR0),
        word("PCR25", 0x64, ReadWrite, OF_PCR0),
        word("PCR26", 0x68, ReadWrite, OF_PCR0),
        word("PCR27", 0x6c, ReadWrite, OF_PCR0),
        word("PCR28", 0x70, ReadWrite, OF_PCR0),
        word("PCR29", 0x74, ReadWrite, OF_PCR0),
        word("PCR30", 0x78, ReadWrite, OF_PCR0),
        word("PCR31", 0x7c, ReadWrite, OF_PCR0),
        word("GPCLR", 0x80, WriteOnly, OF_GPCLR),
        word("GPCHR", 0x84, WriteOnly, OF_GPCLR),
        word("ISFR", 0xa0, ReadWrite, &[Field::new("ISF", 0, 32)]),
        word("DFER", 0xc0, ReadWrite, &[Field::new("DFE", 0, 32)]),
        word("DFCR", 0xc4, ReadWrite, &[Field::new("CS", 0, 1)]),
        word("DFWR", 0xc8, ReadWrite, &[Field::new("FILT", 0, 5)]),
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
