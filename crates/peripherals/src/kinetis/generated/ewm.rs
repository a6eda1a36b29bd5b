//! EWM of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "ewm",
    version: "k20",
    registers: &[word(
        "CTRL_SERV_CMPL_CMPH",
        0x0,
        ReadWrite,
        &[
            Field::new("CTRL.EWMEN", 0, 1),
            Field::new("CTRL.ASSIN", 1, 1),
            Field::new("CTRL.INEN", 2, 1),
            Field::new("CTRL.INTEN", 3, 1),
            Field::new("SERV.SERVICE", 8, 8),
            Field::new("CMPL.COMPAREL", 16, 8),
            Field::new("CMPH.COMPAREH", 24, 8),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CTRL_SERV_CMPL_CMPH", 0xff000000, &[])];
