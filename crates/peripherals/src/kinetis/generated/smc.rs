//! SMC of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "smc",
    version: "k20",
    registers: &[word(
        "PMPROT_PMCTRL_VLLSCTRL_PMSTAT",
        0x0,
        ReadWrite,
        &[
            Field::new("PMPROT.AVLLS", 1, 1),
            Field::new("PMPROT.ALLS", 3, 1),
            Field::new("PMPROT.AVLP", 5, 1),
            Field::new("PMCTRL.STOPM", 8, 3),
            Field::new("PMCTRL.STOPA", 11, 1),
            Field::new("PMCTRL.RUNM", 13, 2),
            Field::new("VLLSCTRL.VLLSM", 16, 3),
            Field::new("PMSTAT.PMSTAT", 24, 7),
        ],
    )],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("PMPROT_PMCTRL_VLLSCTRL_PMSTAT", 0x1030000, &[])];
