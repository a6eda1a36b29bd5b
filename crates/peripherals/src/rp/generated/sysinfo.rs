//! SYSINFO of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "sysinfo",
    version: "rp2040",
    registers: &[
        word(
            "CHIP_ID",
            0x0,
            ReadOnly,
            &[Field::new("MANUFACTURER", 0, 12), Field::new("PART", 12, 16), Field::new("REVISION", 28, 4)],
        ),
        word("PLATFORM", 0x4, ReadOnly, &[Field::new("FPGA", 0, 1), Field::new("ASIC", 1, 1)]),
        word("GITREF_RP2040", 0x10, ReadOnly, &[Field::new("GITREF_RP2040", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
