//! SPI0 of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "spi",
    version: "rp2040",
    registers: &[
        word(
            "SSPCR0",
            0x0,
            ReadWrite,
            &[
                Field::new("DSS", 0, 4),
                Field::new("FRF", 4, 2),
                Field::new("SPO", 6, 1),
                Field::new("SPH", 7, 1),
                Field::new("SCR", 8, 8),
            ],
        ),
        word(
            "SSPCR1",
            0x4,
            ReadWrite,
            &[Field::new("LBM", 0, 1), Field::new("SSE", 1, 1), Field::new("MS", 2, 1), Field::new("SOD", 3, 1)],
        ),
        word("SSPDR", 0x8, ReadWrite, &[Field::new("DATA", 0, 16)]),
        word(
            "SSPSR",
            0xc,
            ReadOnly,
            &[
                Field::new("TFE", 0, 1),
                Field::new("TNF", 1, 1),
                Field::new("RNE", 2, 1),
                Field::new("RFF", 3, 1),
                Field::new("BSY", 4, 1),
            ],
        ),
        word("SSPCPSR", 0x10, ReadWrite, &[Field::new("CPSDVSR", 0, 8)]),
        word(
            "SSPIMSC",
            0x14,
            ReadWrite,
            &[Field::new("RORIM", 0, 1), Field::new("RTIM", 1, 1), Field::new("RXIM", 2, 1), Field::new("TXIM", 3, 1)],
        ),
        word(
            "SSPRIS",
            0x18,
            ReadOnly,
            &[
                Field::new("RORRIS", 0, 1),
                Field::new("RTRIS", 1, 1),
                Field::new("RXRIS", 2, 1),
                Field::new("TXRIS", 3, 1),
            ],
        ),
        word(
            "SSPMIS",
            0x1c,
            ReadOnly,
            &[
                Field::new("RORMIS", 0, 1),
                Field::new("RTMIS", 1, 1),
                Field::new("RXMIS", 2, 1),
                Field::new("TXMIS", 3, 1),
            ],
        ),
        word("SSPICR", 0x20, ReadWrite, &[Field::new("RORIC", 0, 1), Field::new("RTIC", 1, 1)]),
        word("SSPDMACR", 0x24, ReadWrite, &[Field::new("RXDMAE", 0, 1), Field::new("TXDMAE", 1, 1)]),
        word("SSPPERIPHID0", 0xfe0, ReadOnly, &[Field::new("PARTNUMBER0", 0, 8)]),
        word("SSPPERIPHID1", 0xfe4, ReadOnly, &[Field::new("PARTNUMBER1", 0, 4), Field::new("DESIGNER0", 4, 4)]),
        word("SSPPERIPHID2", 0xfe8, ReadOnly, &[Field::new("DESIGNER1", 0, 4), Field::new("REVISION", 4, 4)]),
        word("SSPPERIPHID3", 0xfec, ReadOnly, &[Field::new("CONFIGURATION", 0, 8)]),
        word("SSPPCELLID0", 0xff0, ReadOnly, &[Field::new("SSPPCELLID0", 0, 8)]),
        word("SSPPCELLID1", 0xff4, ReadOnly, &[Field::new("SSPPCELLID1", 0, 8)]),
        word("SSPPCELLID2", 0xff8, ReadOnly, &[Field::new("SSPPCELLID2", 0, 8)]),
        word("SSPPCELLID3", 0xffc, ReadOnly, &[Field::new("SSPPCELLID3", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("SSPSR", 0x3, &[]),
    some("SSPRIS", 0x8, &[]),
    some("SSPPERIPHID0", 0x22, &[]),
    some("SSPPERIPHID1", 0x10, &[]),
    some("SSPPERIPHID2", 0x34, &[]),
    some("SSPPCELLID0", 0xd, &[]),
    some("SSPPCELLID1", 0xf0, &[]),
    some("SSPPCELLID2", 0x5, &[]),
    some("SSPPCELLID3", 0xb1, &[]),
];
