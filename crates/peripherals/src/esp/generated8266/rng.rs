//! RNG of the ESP8266, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map =
    Map { kind: "rng", version: "esp8266", registers: &[word("RNG", 0x0, ReadOnly, &[Field::new("RNG", 0, 32)])] };

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
