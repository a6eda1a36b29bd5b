//! TBMAN of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "tbman",
    version: "rp2040",
    registers: &[word("PLATFORM", 0x0, ReadOnly, &[Field::new("ASIC", 0, 1), Field::new("FPGA", 1, 1)])],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("PLATFORM", 0x5, &[])];
