//! I2S0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "i2s",
    version: "k20",
    registers: &[
        word(
            "TCSR",
            0x0,
            ReadWrite,
            &[
                Field::new("FRDE", 0, 1),
                Field::new("FWDE", 1, 1),
                Field::new("FRIE", 8, 1),
                Field::new("FWIE", 9, 1),
                Field::new("FEIE", 10, 1),
                Field::new("SEIE", 11, 1),
                Field::new("WSIE", 12, 1),
                Field::new("FRF", 16, 1),
                Field::new("FWF", 17, 1),
                Field::new("FEF", 18, 1),
                Field::new("SEF", 19, 1),
                Field::new("WSF", 20, 1),
                Field::new("SR", 24, 1),
                Field::new("FR", 25, 1),
                Field::new("BCE", 28, 1),
                Field::new("DBGE", 29, 1),
                Field::new("STOPE", 30, 1),
                Field::new("TE", 31, 1),
            ],
        ),
        word("TCR1", 0x4, ReadWrite, &[Field::new("TFW", 0, 3)]),
        word("TCR2", 0x8, ReadWrite, OF_TCR2),
        word("TCR3", 0xc, ReadWrite, &[Field::new("WDFL", 0, 5), Field::new("TCE", 16, 2)]),
        word("TCR4", 0x10, ReadWrite, OF_TCR4),
        word("TCR5", 0x14, ReadWrite, OF_TCR5),
        word("TDR0", 0x20, WriteOnly, &[Field::new("TDR", 0, 32)]),
        word("TDR1", 0x24, WriteOnly, &[Field::new("TDR", 0, 32)]),
        word("TFR0", 0x40, ReadOnly, OF_TFR0),
        word("TFR1", 0x44, ReadOnly, OF_TFR0),
        word("TMR", 0x60, ReadWrite, &[Field::new("TWM", 0, 32)]),
        word(
            "RCSR",
            0x80,
            ReadWrite,
            &[
                Field::new("FRDE", 0, 1),
                Field::new("FWDE", 1, 1),
                Field::new("FRIE", 8, 1),
                Field::new("FWIE", 9, 1),
                Field::new("FEIE", 10, 1),
                Field::new("SEIE", 11, 1),
                Field::new("WSIE", 12, 1),
                Field::new("FRF", 16, 1),
                Field::new("FWF", 17, 1),
                Field::new("FEF", 18, 1),
                Field::new("SEF", 19, 1),
                Field::new("WSF", 20, 1),
                Field::new("SR", 24, 1),
                Field::new("FR", 25, 1),
                Field::new("BCE", 28, 1),
                Field::new("DBGE", 29, 1),
                Field::new("STOPE", 30, 1),
                Field::new("RE", 31, 1),
            ],
        ),
        word("RCR1", 0x84, ReadWrite, &[Field::new("RFW", 0, 3)]),
        word("RCR2", 0x88, ReadWrite, OF_TCR2),
        word("RCR3", 0x8c, ReadWrite, &[Field::new("WDFL", 0, 5), Field::new("RCE", 16, 2)]),
        word("RCR4", 0x90, ReadWrite, OF_TCR4),
        word("RCR5", 0x94, ReadWrite, OF_TCR5),
        word("RDR0", 0xa0, ReadOnly, &[Field::new("RDR", 0, 32)]),
        word("RDR1", 0xa4, ReadOnly, &[Field::new("RDR", 0, 32)]),
        word("RFR0", 0xc0, ReadOnly, OF_TFR0),
        word("RFR1", 0xc4, ReadOnly, OF_TFR0),
        word("RMR", 0xe0, ReadWrite, &[Field::new("RWM", 0, 32)]),
        word("MCR", 0x100, ReadWrite, &[Field::new("MICS", 24, 2), Field::new("MOE", 30, 1), Field::new("DUF", 31, 1)]),
        word("MDR", 0x104, ReadWrite, &[Field::new("DIVIDE", 0, 12), Field::new("FRACT", 12, 8)]),
    ],
};

const OF_TCR2: &[Field] = &[
    Field::new("DIV", 0, 8),
    Field::new("BCD", 24, 1),
    Field::new("BCP", 25, 1),
    Field::new("MSEL", 26, 2),
    Field::new("BCI", 28, 1),
    Field::new("BCS", 29, 1),
    Field::new("SYNC", 30, 2),
];

const OF_TCR4: &[Field] = &[
    Field::new("FSD", 0, 1),
    Field::new("FSP", 1, 1),
    Field::new("FSE", 3, 1),
    Field::new("MF", 4, 1),
    Field::new("SYWD", 8, 5),
    Field::new("FRSZ", 16, 5),
];

const OF_TCR5: &[Field] = &[Field::new("FBT", 8, 5), Field::new("W0W", 16, 5), Field::new("WNW", 24, 5)];

const OF_TFR0: &[Field] = &[Field::new("RFP", 0, 4), Field::new("WFP", 16, 4)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
