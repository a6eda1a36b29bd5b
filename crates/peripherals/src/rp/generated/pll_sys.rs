//! PLL_SYS of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pll",
    version: "rp2040",
    registers: &[
        word(
            "CS",
            0x0,
            ReadWrite,
            &[Field::new("REFDIV", 0, 6), Field::new("BYPASS", 8, 1), Field::new("LOCK", 31, 1)],
        ),
        word(
            "PWR",
            0x4,
            ReadWrite,
            &[
                Field::new("PD", 0, 1),
                Field::new("DSMPD", 2, 1),
                Field::new("POSTDIVPD", 3, 1),
                Field::new("VCOPD", 5, 1),
            ],
        ),
        word("FBDIV_INT", 0x8, ReadWrite, &[Field::new("FBDIV_INT", 0, 12)]),
        word("PRIM", 0xc, ReadWrite, &[Field::new("POSTDIV2", 12, 3), Field::new("POSTDIV1", 16, 3)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CS", 0x1, &[]), some("PWR", 0x2d, &[]), some("PRIM", 0x77000, &[])];
