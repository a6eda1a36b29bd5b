//! LLWU of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "llwu",
    version: "k20",
    registers: &[
        word(
            "PE1_PE2_PE3_PE4",
            0x0,
            ReadWrite,
            &[
                Field::new("PE1.WUPE0", 0, 2),
                Field::new("PE1.WUPE1", 2, 2),
                Field::new("PE1.WUPE2", 4, 2),
                Field::new("PE1.WUPE3", 6, 2),
                Field::new("PE2.WUPE4", 8, 2),
                Field::new("PE2.WUPE5", 10, 2),
                Field::new("PE2.WUPE6", 12, 2),
                Field::new("PE2.WUPE7", 14, 2),
                Field::new("PE3.WUPE8", 16, 2),
                Field::new("PE3.WUPE9", 18, 2),
                Field::new("PE3.WUPE10", 20, 2),
                Field::new("PE3.WUPE11", 22, 2),
                Field::new("PE4.WUPE12", 24, 2),
                Field::new("PE4.WUPE13", 26, 2),
                Field::new("PE4.WUPE14", 28, 2),
                Field::new("PE4.WUPE15", 30, 2),
            ],
        ),
        word(
            "ME_F1_F2_F3",
            0x4,
            ReadWrite,
            &[
                Field::new("ME.WUME0", 0, 1),
                Field::new("ME.WUME1", 1, 1),
                Field::new("ME.WUME2", 2, 1),
                Field::new("ME.WUME3", 3, 1),
                Field::new("ME.WUME4", 4, 1),
                Field::new("ME.WUME5", 5, 1),
                Field::new("ME.WUME6", 6, 1),
                Field::new("ME.WUME7", 7, 1),
                Field::new("F1.WUF0", 8, 1),
                Field::new("F1.WUF1", 9, 1),
                Field::new("F1.WUF2", 10, 1),
                Field::new("F1.WUF3", 11, 1),
                Field::new("F1.WUF4", 12, 1),
                Field::new("F1.WUF5", 13, 1),
                Field::new("F1.WUF6", 14, 1),
                Field::new("F1.WUF7", 15, 1),
                Field::new("F2.WUF8", 16, 1),
                Field::new("F2.WUF9", 17, 1),
                Field::new("F2.WUF10", 18, 1),
                Field::new("F2.WUF11", 19, 1),
                Field::new("F2.WUF12", 20, 1),
                Field::new("F2.WUF13", 21, 1),
                Field::new("F2.WUF14", 22, 1),
                Field::new("F2.WUF15", 23, 1),
                Field::new("F3.MWUF0", 24, 1),
                Field::new("F3.MWUF1", 25, 1),
                Field::new("F3.MWUF2", 26, 1),
                Field::new("F3.MWUF3", 27, 1),
                Field::new("F3.MWUF4", 28, 1),
                Field::new("F3.MWUF5", 29, 1),
                Field::new("F3.MWUF6", 30, 1),
                Field::new("F3.MWUF7", 31, 1),
            ],
        ),
        word(
            "FILT1_FILT2_RST",
            0x8,
            ReadWrite,
            &[
                Field::new("FILT1.FILTSEL", 0, 4),
                Field::new("FILT1.FILTE", 5, 2),
                Field::new("FILT1.FILTF", 7, 1),
                Field::new("FILT2.FILTSEL", 8, 4),
                Field::new("FILT2.FILTE", 13, 2),
                Field::new("FILT2.FILTF", 15, 1),
                Field::new("RST.RSTFILT", 16, 1),
                Field::new("RST.LLRSTE", 17, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("FILT1_FILT2_RST", 0x20000, &[])];
