//! CRYPTOCELL of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "cryptocell",
    version: "nrf52",
    registers: &[word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)])],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
