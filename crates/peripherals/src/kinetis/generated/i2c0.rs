//! I2C0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "i2c",
    version: "k20",
    registers: &[
        word(
            "A1_F_C1_S",
            0x0,
            ReadWrite,
            &[
                Field::new("A1.AD", 1, 7),
                Field::new("F.ICR", 8, 6),
                Field::new("F.MULT", 14, 2),
                Field::new("C1.DMAEN", 16, 1),
                Field::new("C1.WUEN", 17, 1),
                Field::new("C1.RSTA", 18, 1),
                Field::new("C1.TXAK", 19, 1),
                Field::new("C1.TX", 20, 1),
                Field::new("C1.MST", 21, 1),
                Field::new("C1.IICIE", 22, 1),
                Field::new("C1.IICEN", 23, 1),
                Field::new("S.RXAK", 24, 1),
                Field::new("S.IICIF", 25, 1),
                Field::new("S.SRW", 26, 1),
                Field::new("S.RAM", 27, 1),
                Field::new("S.ARBL", 28, 1),
                Field::new("S.BUSY", 29, 1),
                Field::new("S.IAAS", 30, 1),
                Field::new("S.TCF", 31, 1),
            ],
        ),
        word(
            "D_C2_FLT_RA",
            0x4,
            ReadWrite,
            &[
                Field::new("D.DATA", 0, 8),
                Field::new("C2.AD", 8, 3),
                Field::new("C2.RMEN", 11, 1),
                Field::new("C2.SBRC", 12, 1),
                Field::new("C2.HDRS", 13, 1),
                Field::new("C2.ADEXT", 14, 1),
                Field::new("C2.GCAEN", 15, 1),
                Field::new("FLT.FLT", 16, 5),
                Field::new("RA.RAD", 25, 7),
            ],
        ),
        word(
            "SMB_A2_SLTH_SLTL",
            0x8,
            ReadWrite,
            &[
                Field::new("SMB.SHTF2IE", 0, 1),
                Field::new("SMB.SHTF2", 1, 1),
                Field::new("SMB.SHTF1", 2, 1),
                Field::new("SMB.SLTF", 3, 1),
                Field::new("SMB.TCKSEL", 4, 1),
                Field::new("SMB.SIICAEN", 5, 1),
                Field::new("SMB.ALERTEN", 6, 1),
                Field::new("SMB.FACK", 7, 1),
                Field::new("A2.SAD", 9, 7),
                Field::new("SLTH.SSLT", 16, 8),
                Field::new("SLTL.SSLT", 24, 8),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("A1_F_C1_S", 0x80000000, &[]), some("SMB_A2_SLTH_SLTL", 0xc200, &[])];
