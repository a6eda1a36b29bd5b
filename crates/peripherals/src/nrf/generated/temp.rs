//! TEMP of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "temp",
    version: "nrf52",
    registers: &[
        word("TASKS_START", 0x0, WriteOnly, &[Field::new("TASKS_START", 0, 1)]),
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("EVENTS_DATARDY", 0x100, ReadWrite, &[Field::new("EVENTS_DATARDY", 0, 1)]),
        word("INTENSET", 0x304, ReadWrite, &[Field::new("DATARDY", 0, 1)]),
        word("INTENCLR", 0x308, ReadWrite, &[Field::new("DATARDY", 0, 1)]),
        word("TEMP", 0x508, ReadOnly, &[Field::new("TEMP", 0, 32)]),
        word("A0", 0x520, ReadWrite, &[Field::new("A0", 0, 12)]),
        word("A1", 0x524, ReadWrite, &[Field::new("A1", 0, 12)]),
        word("A2", 0x528, ReadWrite, &[Field::new("A2", 0, 12)]),
        word("A3", 0x52c, ReadWrite, &[Field::new("A3", 0, 12)]),
        word("A4", 0x530, ReadWrite, &[Field::new("A4", 0, 12)]),
        word("A5", 0x534, ReadWrite, &[Field::new("A5", 0, 12)]),
        word("B0", 0x540, ReadWrite, &[Field::new("B0", 0, 14)]),
        word("B1", 0x544, ReadWrite, &[Field::new("B1", 0, 14)]),
        word("B2", 0x548, ReadWrite, &[Field::new("B2", 0, 14)]),
        word("B3", 0x54c, ReadWrite, &[Field::new("B3", 0, 14)]),
        word("B4", 0x550, ReadWrite, &[Field::new("B4", 0, 14)]),
        word("B5", 0x554, ReadWrite, &[Field::new("B5", 0, 14)]),
        word("T0", 0x560, ReadWrite, &[Field::new("T0", 0, 8)]),
        word("T1", 0x564, ReadWrite, &[Field::new("T1", 0, 8)]),
        word("T2", 0x568, ReadWrite, &[Field::new("T2", 0, 8)]),
        word("T3", 0x56c, ReadWrite, &[Field::new("T3", 0, 8)]),
        word("T4", 0x570, ReadWrite, &[Field::new("T4", 0, 8)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("A0", 0x326, &[]),
    some("A1", 0x348, &[]),
    some("A2", 0x3aa, &[]),
    some("A3", 0x40e, &[]),
    some("A4", 0x4bd, &[]),
    some("A5", 0x5a3, &[]),
    some("B0", 0x3fef, &[]),
    some("B1", 0x3fbe, &[]),
    some("B2", 0x3fbe, &[]),
    some("B3", 0x12, &[]),
    some("B4", 0x124, &[]),
    some("B5", 0x27c, &[]),
    some("T0", 0xe2, &[]),
    some("T2", 0x19, &[]),
    some("T3", 0x3c, &[]),
    some("T4", 0x50, &[]),
];
