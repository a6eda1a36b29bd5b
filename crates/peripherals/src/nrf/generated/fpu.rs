//! FPU of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Map, word};

/// The declared registers.
pub const MAP: Map = Map { kind: "fpu", version: "nrf52", registers: &[word("UNUSED", 0x0, ReadOnly, &[])] };

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
