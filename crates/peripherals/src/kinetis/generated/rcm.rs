//! RCM of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "rcm",
    version: "k20",
    registers: &[
        word(
            "SRS0_SRS1",
            0x0,
            ReadOnly,
            &[
                Field::new("SRS0.WAKEUP", 0, 1),
                Field::new("SRS0.LVD", 1, 1),
                Field::new("SRS0.LOC", 2, 1),
                Field::new("SRS0.LOL", 3, 1),
                Field::new("SRS0.WDOG", 5, 1),
                Field::new("SRS0.PIN", 6, 1),
                Field::new("SRS0.POR", 7, 1),
                Field::new("SRS1.JTAG", 8, 1),
                Field::new("SRS1.LOCKUP", 9, 1),
                Field::new("SRS1.SW", 10, 1),
                Field::new("SRS1.MDM_AP", 11, 1),
                Field::new("SRS1.EZPT", 12, 1),
                Field::new("SRS1.SACKERR", 13, 1),
            ],
        ),
        word(
            "RPFC_RPFW_MR",
            0x4,
            ReadWrite,
            &[
                Field::new("RPFC.RSTFLTSRW", 0, 2),
                Field::new("RPFC.RSTFLTSS", 2, 1),
                Field::new("RPFW.RSTFLTSEL", 8, 5),
                Field::new("MR.EZP_MS", 25, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("SRS0_SRS1", 0x82, &[])];
