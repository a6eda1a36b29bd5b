//! SYSCFG of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "syscfg",
    version: "rp2040",
    registers: &[
        word("PROC0_NMI_MASK", 0x0, ReadWrite, &[Field::new("PROC0_NMI_MASK", 0, 32)]),
        word("PROC1_NMI_MASK", 0x4, ReadWrite, &[Field::new("PROC1_NMI_MASK", 0, 32)]),
        word(
            "PROC_CONFIG",
            0x8,
            ReadWrite,
            &[
                Field::new("PROC0_HALTED", 0, 1),
                Field::new("PROC1_HALTED", 1, 1),
                Field::new("PROC0_DAP_INSTID", 24, 4),
                Field::new("PROC1_DAP_INSTID", 28, 4),
            ],
        ),
        word("PROC_IN_SYNC_BYPASS", 0xc, ReadWrite, &[Field::new("PROC_IN_SYNC_BYPASS", 0, 30)]),
        word("PROC_IN_SYNC_BYPASS_HI", 0x10, ReadWrite, &[Field::new("PROC_IN_SYNC_BYPASS_HI", 0, 6)]),
        word(
            "DBGFORCE",
            0x14,
            ReadWrite,
            &[
                Field::new("PROC0_SWDO", 0, 1),
                Field::new("PROC0_SWDI", 1, 1),
                Field::new("PROC0_SWCLK", 2, 1),
                Field::new("PROC0_ATTACH", 3, 1),
                Field::new("PROC1_SWDO", 4, 1),
                Field::new("PROC1_SWDI", 5, 1),
                Field::new("PROC1_SWCLK", 6, 1),
                Field::new("PROC1_ATTACH", 7, 1),
            ],
        ),
        word(
            "MEMPOWERDOWN",
            0x18,
            ReadWrite,
            &[
                Field::new("SRAM0", 0, 1),
                Field::new("SRAM1", 1, 1),
                Field::new("SRAM2", 2, 1),
                Field::new("SRAM3", 3, 1),
                Field::new("SRAM4", 4, 1),
                Field::new("SRAM5", 5, 1),
                Field::new("USB", 6, 1),
                Field::new("ROM", 7, 1),
            ],
        ),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("PROC_CONFIG", 0x10000000, &[]), some("DBGFORCE", 0x66, &[])];
