//! CMT of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "cmt",
    version: "k20",
    registers: &[
        word(
            "CGH1_CGL1_CGH2_CGL2",
            0x0,
            ReadWrite,
            &[
                Field::new("CGH1.PH", 0, 8),
                Field::new("CGL1.PL", 8, 8),
                Field::new("CGH2.SH", 16, 8),
                Field::new("CGL2.SL", 24, 8),
            ],
        ),
        word(
            "OC_MSC_CMD1_CMD2",
            0x4,
            ReadWrite,
            &[
                Field::new("OC.IROPEN", 5, 1),
                Field::new("OC.CMTPOL", 6, 1),
                Field::new("OC.IROL", 7, 1),
                Field::new("MSC.MCGEN", 8, 1),
                Field::new("MSC.EOCIE", 9, 1),
                Field::new("MSC.FSK", 10, 1),
                Field::new("MSC.BASE", 11, 1),
                Field::new("MSC.EXSPC", 12, 1),
                Field::new("MSC.CMTDIV", 13, 2),
                Field::new("MSC.EOCF", 15, 1),
                Field::new("CMD1.MB", 16, 8),
                Field::new("CMD2.MB", 24, 8),
            ],
        ),
        word(
            "CMD3_CMD4_PPS_DMA",
            0x8,
            ReadWrite,
            &[
                Field::new("CMD3.SB", 0, 8),
                Field::new("CMD4.SB", 8, 8),
                Field::new("PPS.PPSDIV", 16, 4),
                Field::new("DMA.DMA", 24, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
