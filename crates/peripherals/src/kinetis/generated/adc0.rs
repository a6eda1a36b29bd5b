//! ADC0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "adc",
    version: "k20",
    registers: &[
        word("SC1A", 0x0, ReadWrite, OF_SC1A),
        word("SC1B", 0x4, ReadWrite, OF_SC1A),
        word(
            "CFG1",
            0x8,
            ReadWrite,
            &[
                Field::new("ADICLK", 0, 2),
                Field::new("MODE", 2, 2),
                Field::new("ADLSMP", 4, 1),
                Field::new("ADIV", 5, 2),
                Field::new("ADLPC", 7, 1),
            ],
        ),
        word(
            "CFG2",
            0xc,
            ReadWrite,
            &[
                Field::new("ADLSTS", 0, 2),
                Field::new("ADHSC", 2, 1),
                Field::new("ADACKEN", 3, 1),
                Field::new("MUXSEL", 4, 1),
            ],
        ),
        word("RA", 0x10, ReadOnly, &[Field::new("D", 0, 16)]),
        word("RB", 0x14, ReadOnly, &[Field::new("D", 0, 16)]),
        word("CV1", 0x18, ReadWrite, &[Field::new("CV", 0, 16)]),
        word("CV2", 0x1c, ReadWrite, &[Field::new("CV", 0, 16)]),
        word(
            "SC2",
            0x20,
            ReadWrite,
            &[
                Field::new("REFSEL", 0, 2),
                Field::new("DMAEN", 2, 1),
                Field::new("ACREN", 3, 1),
                Field::new("ACFGT", 4, 1),
                Field::new("ACFE", 5, 1),
                Field::new("ADTRG", 6, 1),
                Field::new("ADACT", 7, 1),
            ],
        ),
        word(
            "SC3",
            0x24,
            ReadWrite,
            &[
                Field::new("AVGS", 0, 2),
                Field::new("AVGE", 2, 1),
                Field::new("ADCO", 3, 1),
                Field::new("CALF", 6, 1),
                Field::new("CAL", 7, 1),
            ],
        ),
        word("OFS", 0x28, ReadWrite, &[Field::new("OFS", 0, 16)]),
        word("PG", 0x2c, ReadWrite, &[Field::new("PG", 0, 16)]),
        word("MG", 0x30, ReadWrite, &[Field::new("MG", 0, 16)]),
        word("CLPD", 0x34, ReadWrite, &[Field::new("CLPD", 0, 6)]),
        word("CLPS", 0x38, ReadWrite, &[Field::new("CLPS", 0, 6)]),
        word("CLP4", 0x3c, ReadWrite, &[Field::new("CLP4", 0, 10)]),
        word("CLP3", 0x40, ReadWrite, &[Field::new("CLP3", 0, 9)]),
        word("CLP2", 0x44, ReadWrite, &[Field::new("CLP2", 0, 8)]),
        word("CLP1", 0x48, ReadWrite, &[Field::new("CLP1", 0, 7)]),
        word("CLP0", 0x4c, ReadWrite, &[Field::new("CLP0", 0, 6)]),
        word(
            "PGA",
            0x50,
            ReadWrite,
            &[Field::new("PGAG", 16, 4), Field::new("PGALPb", 20, 1), Field::new("PGAEN", 23, 1)],
        ),
        word("CLMD", 0x54, ReadWrite, &[Field::new("CLMD", 0, 6)]),
        word("CLMS", 0x58, ReadWrite, &[Field::new("CLMS", 0, 6)]),
        word("CLM4", 0x5c, ReadWrite, &[Field::new("CLM4", 0, 10)]),
        word("CLM3", 0x60, ReadWrite, &[Field::new("CLM3", 0, 9)]),
        word("CLM2", 0x64, ReadWrite, &[Field::new("CLM2", 0, 8)]),
        word("CLM1", 0x68, ReadWrite, &[Field::new("CLM1", 0, 7)]),
        word("CLM0", 0x6c, ReadWrite, &[Field::new("CLM0", 0, 6)]),
    ],
};

const OF_SC1A: &[Field] =
    &[Field::new("ADCH", 0, 5), Field::new("DIFF", 5, 1), Field::new("AIEN", 6, 1), Field::new("COCO", 7, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("SC1A", 0x1f, &[]),
    some("SC1B", 0x1f, &[]),
    some("OFS", 0x4, &[]),
    some("PG", 0x8200, &[]),
    some("MG", 0x8200, &[]),
    some("CLPD", 0xa, &[]),
    some("CLPS", 0x20, &[]),
    some("CLP4", 0x200, &[]),
    some("CLP3", 0x100, &[]),
    some("CLP2", 0x80, &[]),
    some("CLP1", 0x40, &[]),
    some("CLP0", 0x20, &[]),
    some("CLMD", 0xa, &[]),
    some("CLMS", 0x20, &[]),
    some("CLM4", 0x200, &[]),
    some("CLM3", 0x100, &[]),
    some("CLM2", 0x80, &[]),
    some("CLM1", 0x40, &[]),
    some("CLM0", 0x20, &[]),
];
