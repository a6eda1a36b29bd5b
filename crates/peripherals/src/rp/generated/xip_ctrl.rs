//! XIP_CTRL of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "xip_ctrl",
    version: "rp2040",
    registers: &[
        word(
            "CTRL",
            0x0,
            ReadWrite,
            &[Field::new("EN", 0, 1), Field::new("ERR_BADWRITE", 1, 1), Field::new("POWER_DOWN", 3, 1)],
        ),
        word("FLUSH", 0x4, WriteOnly, &[Field::new("FLUSH", 0, 1)]),
        word(
            "STAT",
            0x8,
            ReadOnly,
            &[Field::new("FLUSH_READY", 0, 1), Field::new("FIFO_EMPTY", 1, 1), Field::new("FIFO_FULL", 2, 1)],
        ),
        word("CTR_HIT", 0xc, ReadWrite, &[Field::new("CTR_HIT", 0, 32)]),
        word("CTR_ACC", 0x10, ReadWrite, &[Field::new("CTR_ACC", 0, 32)]),
        word("STREAM_ADDR", 0x14, ReadWrite, &[Field::new("STREAM_ADDR", 2, 30)]),
        word("STREAM_CTR", 0x18, ReadWrite, &[Field::new("STREAM_CTR", 0, 22)]),
        word("STREAM_FIFO", 0x1c, ReadOnly, &[Field::new("STREAM_FIFO", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("CTRL", 0x3, &[]), some("STAT", 0x2, &[])];
