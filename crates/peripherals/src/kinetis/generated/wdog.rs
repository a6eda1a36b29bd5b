//! WDOG of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "wdog",
    version: "k20",
    registers: &[
        word(
            "STCTRLH_STCTRLL",
            0x0,
            ReadWrite,
            &[
                Field::new("STCTRLH.WDOGEN", 0, 1),
                Field::new("STCTRLH.CLKSRC", 1, 1),
                Field::new("STCTRLH.IRQRSTEN", 2, 1),
                Field::new("STCTRLH.WINEN", 3, 1),
                Field::new("STCTRLH.ALLOWUPDATE", 4, 1),
                Field::new("STCTRLH.DBGEN", 5, 1),
                Field::new("STCTRLH.STOPEN", 6, 1),
                Field::new("STCTRLH.WAITEN", 7, 1),
                Field::new("STCTRLH.TESTWDOG", 10, 1),
                Field::new("STCTRLH.TESTSEL", 11, 1),
                Field::new("STCTRLH.BYTESEL", 12, 2),
                Field::new("STCTRLH.DISTESTWDOG", 14, 1),
                Field::new("STCTRLL.INTFLG", 31, 1),
            ],
        ),
        word(
            "TOVALH_TOVALL",
            0x4,
            ReadWrite,
            &[Field::new("TOVALH.TOVALHIGH", 0, 16), Field::new("TOVALL.TOVALLOW", 16, 16)],
        ),
        word("WINH_WINL", 0x8, ReadWrite, &[Field::new("WINH.WINHIGH", 0, 16), Field::new("WINL.WINLOW", 16, 16)]),
        word(
            "REFRESH_UNLOCK",
            0xc,
            ReadWrite,
            &[Field::new("REFRESH.WDOGREFRESH", 0, 16), Field::new("UNLOCK.WDOGUNLOCK", 16, 16)],
        ),
        word(
            "TMROUTH_TMROUTL",
            0x10,
            ReadWrite,
            &[Field::new("TMROUTH.TIMEROUTHIGH", 0, 16), Field::new("TMROUTL.TIMEROUTLOW", 16, 16)],
        ),
        word(
            "RSTCNT_PRESC",
            0x14,
            ReadWrite,
            &[Field::new("RSTCNT.RSTCNT", 0, 16), Field::new("PRESC.PRESCVAL", 24, 3)],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("STCTRLH_STCTRLL", 0x101d3, &[]),
    some("TOVALH_TOVALL", 0x4b4c004c, &[]),
    some("WINH_WINL", 0x100000, &[]),
    some("REFRESH_UNLOCK", 0xd928b480, &[]),
    some("RSTCNT_PRESC", 0x4000000, &[]),
];
