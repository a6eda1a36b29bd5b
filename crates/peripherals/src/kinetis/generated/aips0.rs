//! AIPS0 of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "aips",
    version: "k20",
    registers: &[
        word(
            "MPRA",
            0x0,
            ReadWrite,
            &[
                Field::new("MPL3", 16, 1),
                Field::new("MTW3", 17, 1),
                Field::new("MTR3", 18, 1),
                Field::new("MPL2", 20, 1),
                Field::new("MTW2", 21, 1),
                Field::new("MTR2", 22, 1),
                Field::new("MPL1", 24, 1),
                Field::new("MTW1", 25, 1),
                Field::new("MTR1", 26, 1),
                Field::new("MPL0", 28, 1),
                Field::new("MTW0", 29, 1),
                Field::new("MTR0", 30, 1),
            ],
        ),
        word("PACRA", 0x20, ReadWrite, OF_PACRA),
        word("PACRB", 0x24, ReadWrite, OF_PACRA),
        word("PACRC", 0x28, ReadWrite, OF_PACRA),
        word("PACRD", 0x2c, ReadWrite, OF_PACRA),
        word("PACRE", 0x40, ReadWrite, OF_PACRA),
        word("PACRF", 0x44, ReadWrite, OF_PACRA),
        word("PACRG", 0x48, ReadWrite, OF_PACRA),
        word("PACRH", 0x4c, ReadWrite, OF_PACRA),
        word("PACRI", 0x50, ReadWrite, OF_PACRA),
        word("PACRJ", 0x54, ReadWrite, OF_PACRA),
        word("PACRK", 0x58, ReadWrite, OF_PACRA),
        word("PACRL", 0x5c, ReadWrite, OF_PACRA),
        word("PACRM", 0x60, ReadWrite, OF_PACRA),
        word("PACRN", 0x64, ReadWrite, OF_PACRA),
        word("PACRO", 0x68, ReadWrite, OF_PACRA),
        word("PACRP", 0x6c, ReadWrite, OF_PACRA),
    ],
};

const OF_PACRA: &[Field] = &[
    Field::new("TP7", 0, 1),
    Field::new("WP7", 1, 1),
    Field::new("SP7", 2, 1),
    Field::new("TP6", 4, 1),
    Field::new("WP6", 5, 1),
    Field::new("SP6", 6, 1),
    Field::new("TP5", 8, 1),
    Field::new("WP5", 9, 1),
    Field::new("SP5", 10, 1),
    Field::new("TP4", 12, 1),
    Field::new("WP4", 13, 1),
    Field::new("SP4", 14, 1),
    Field::new("TP3", 16, 1),
    Field::new("WP3", 17, 1),
    Field::new("SP3", 18, 1),
    Field::new("TP2", 20, 1),
    Field::new("WP2", 21, 1),
    Field::new("SP2", 22, 1),
    Field::new("TP1", 24, 1),
    Field::new("WP1", 25, 1),
    Field::new("SP1", 26, 1),
    Field::new("TP0", 28, 1),
    Field::new("WP0", 29, 1),
    Field::new("SP0", 30, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("MPRA", 0x77700000, &[]),
    some("PACRA", 0x44444444, &[]),
    some("PACRB", 0x44444444, &[]),
    some("PACRC", 0x44444444, &[]),
    some("PACRD", 0x44444444, &[]),
];
