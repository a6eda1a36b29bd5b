//! RNG of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map =
    Map { kind: "rng", version: "esp32", registers: &[word("DATA", 0x144, ReadOnly, &[Field::new("DATA", 0, 32)])] };

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
