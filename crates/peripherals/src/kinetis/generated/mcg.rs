//! MCG of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "mcg",
    version: "k20",
    registers: &[
        word(
            "C1_C2_C3_C4",
            0x0,
            ReadWrite,
            &[
                Field::new("C1.IREFSTEN", 0, 1),
                Field::new("C1.IRCLKEN", 1, 1),
                Field::new("C1.IREFS", 2, 1),
                Field::new("C1.FRDIV", 3, 3),
                Field::new("C1.CLKS", 6, 2),
                Field::new("C2.IRCS", 8, 1),
                Field::new("C2.LP", 9, 1),
                Field::new("C2.EREFS0", 10, 1),
                Field::new("C2.HGO0", 11, 1),
                Field::new("C2.RANGE0", 12, 2),
                Field::new("C2.LOCRE0", 15, 1),
                Field::new("C3.SCTRIM", 16, 8),
                Field::new("C4.SCFTRIM", 24, 1),
                Field::new("C4.FCTRIM", 25, 4),
                Field::new("C4.DRST_DRS", 29, 2),
                Field::new("C4.DMX32", 31, 1),
            ],
        ),
        word(
            "C5_C6_S",
            0x4,
            ReadWrite,
            &[
                Field::new("C5.PRDIV0", 0, 5),
                Field::new("C5.PLLSTEN0", 5, 1),
                Field::new("C5.PLLCLKEN0", 6, 1),
                Field::new("C6.VDIV0", 8, 5),
                Field::new("C6.CME0", 13, 1),
                Field::new("C6.PLLS", 14, 1),
                Field::new("C6.LOLIE0", 15, 1),
                Field::new("S.IRCST", 16, 1),
                Field::new("S.OSCINIT0", 17, 1),
                Field::new("S.CLKST", 18, 2),
                Field::new("S.IREFST", 20, 1),
                Field::new("S.PLLST", 21, 1),
                Field::new("S.LOCK0", 22, 1),
                Field::new("S.LOLS0", 23, 1),
            ],
        ),
        word(
            "SC_ATCVH_ATCVL",
            0x8,
            ReadWrite,
            &[
                Field::new("SC.LOCS0", 0, 1),
                Field::new("SC.FCRDIV", 1, 3),
                Field::new("SC.FLTPRSRV", 4, 1),
                Field::new("SC.ATMF", 5, 1),
                Field::new("SC.ATMS", 6, 1),
                Field::new("SC.ATME", 7, 1),
                Field::new("ATCVH.ATCVH", 16, 8),
                Field::new("ATCVL.ATCVL", 24, 8),
            ],
        ),
        word(
            "C7_C8",
            0xc,
            ReadWrite,
            &[
                Field::new("C7.OSCSEL", 0, 1),
                Field::new("C8.LOCS1", 8, 1),
                Field::new("C8.CME1", 13, 1),
                Field::new("C8.LOLRE", 14, 1),
                Field::new("C8.LOCRE1", 15, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("C1_C2_C3_C4", 0x8004, &[]),
    some("C5_C6_S", 0x100000, &[]),
    some("SC_ATCVH_ATCVL", 0x2, &[]),
    some("C7_C8", 0x8000, &[]),
];
