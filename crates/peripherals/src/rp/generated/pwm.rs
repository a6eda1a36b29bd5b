//! PWM of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pwm",
    version: "rp2040",
    registers: &[
        word("CH0_CSR", 0x0, ReadWrite, OF_CH0_CSR),
        word("CH0_DIV", 0x4, ReadWrite, OF_CH0_DIV),
        word("CH0_CTR", 0x8, ReadWrite, &[Field::new("CH0_CTR", 0, 16)]),
        word("CH0_CC", 0xc, ReadWrite, OF_CH0_CC),
        word("CH0_TOP", 0x10, ReadWrite, &[Field::new("CH0_TOP", 0, 16)]),
        word("CH1_CSR", 0x14, ReadWrite, OF_CH0_CSR),
        word("CH1_DIV", 0x18, ReadWrite, OF_CH0_DIV),
        word("CH1_CTR", 0x1c, ReadWrite, &[Field::new("CH1_CTR", 0, 16)]),
        word("CH1_CC", 0x20, ReadWrite, OF_CH0_CC),
        word("CH1_TOP", 0x24, ReadWrite, &[Field::new("CH1_TOP", 0, 16)]),
        word("CH2_CSR", 0x28, ReadWrite, OF_CH0_CSR),
        word("CH2_DIV", 0x2c, ReadWrite, OF_CH0_DIV),
        word("CH2_CTR", 0x30, ReadWrite, &[Field::new("CH2_CTR", 0, 16)]),
        word("CH2_CC", 0x34, ReadWrite, OF_CH0_CC),
        word("CH2_TOP", 0x38, ReadWrite, &[Field::new("CH2_TOP", 0, 16)]),
        word("CH3_CSR", 0x3c, ReadWrite, OF_CH0_CSR),
        word("CH3_DIV", 0x40, ReadWrite, OF_CH0_DIV),
        word("CH3_CTR", 0x44, ReadWrite, &[Field::new("CH3_CTR", 0, 16)]),
        word("CH3_CC", 0x48, ReadWrite, OF_CH0_CC),
        word("CH3_TOP", 0x4c, ReadWrite, &[Field::new("CH3_TOP", 0, 16)]),
        word("CH4_CSR", 0x50, ReadWrite, OF_CH0_CSR),
        word("CH4_DIV", 0x54, ReadWrite, OF_CH0_DIV),
        word("CH4_CTR", 0x58, ReadWrite, &[Field::new("CH4_CTR", 0, 16)]),
        word("CH4_CC", 0x5c, ReadWrite, OF_CH0_CC),
        word("CH4_TOP", 0x60, ReadWrite, &[Field::new("CH4_TOP", 0, 16)]),
        word("CH5_CSR", 0x64, ReadWrite, OF_CH0_CSR),
        word("CH5_DIV", 0x68, ReadWrite, OF_CH0_DIV),
        word("CH5_CTR", 0x6c, ReadWrite, &[Field::new("CH5_CTR", 0, 16)]),
        word("CH5_CC", 0x70, ReadWrite, OF_CH0_CC),
        word("CH5_TOP", 0x74, ReadWrite, &[Field::new("CH5_TOP", 0, 16)]),
        word("CH6_CSR", 0x78, ReadWrite, OF_CH0_CSR),
        word("CH6_DIV", 0x7c, ReadWrite, OF_CH0_DIV),
        word("CH6_CTR", 0x80, ReadWrite, &[Field::new("CH6_CTR", 0, 16)]),
        word("CH6_CC", 0x84, ReadWrite, OF_CH0_CC),
        word("CH6_TOP", 0x88, ReadWrite, &[Field::new("CH6_TOP", 0, 16)]),
        word("CH7_CSR", 0x8c, ReadWrite, OF_CH0_CSR),
        word("CH7_DIV", 0x90, ReadWrite, OF_CH0_DIV),
        word("CH7_CTR", 0x94, ReadWrite, &[Field::new("CH7_CTR", 0, 16)]),
        word("CH7_CC", 0x98, ReadWrite, OF_CH0_CC),
        word("CH7_TOP", 0x9c, ReadWrite, &[Field::new("CH7_TOP", 0, 16)]),
        word("EN", 0xa0, ReadWrite, OF_EN),
        word("INTR", 0xa4, ReadWrite, OF_EN),
        word("INTE", 0xa8, ReadWrite, OF_EN),
        word("INTF", 0xac, ReadWrite, OF_EN),
        word("INTS", 0xb0, ReadOnly, OF_EN),
    ],
};

const OF_CH0_CSR: &[Field] = &[
    Field::new("EN", 0, 1),
    Field::new("PH_CORRECT", 1, 1),
    Field::new("A_INV", 2, 1),
    Field::new("B_INV", 3, 1),
    Field::new("DIVMODE", 4, 2),
    Field::new("PH_RET", 6, 1),
    Field::new("PH_ADV", 7, 1),
];

const OF_CH0_DIV: &[Field] = &[Field::new("FRAC", 0, 4), Field::new("INT", 4, 8)];

const OF_CH0_CC: &[Field] = &[Field::new("A", 0, 16), Field::new("B", 16, 16)];

const OF_EN: &[Field] = &[
    Field::new("CH0", 0, 1),
    Field::new("CH1", 1, 1),
    Field::new("CH2", 2, 1),
    Field::new("CH3", 3, 1),
    Field::new("CH4", 4, 1),
    Field::new("CH5", 5, 1),
    Field::new("CH6", 6, 1),
    Field::new("CH7", 7, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("CH0_DIV", 0x10, &[]),
    some("CH0_TOP", 0xffff, &[]),
    some("CH1_DIV", 0x10, &[]),
    some("CH1_TOP", 0xffff, &[]),
    some("CH2_DIV", 0x10, &[]),
    some("CH2_TOP", 0xffff, &[]),
    some("CH3_DIV", 0x10, &[]),
    some("CH3_TOP", 0xffff, &[]),
    some("CH4_DIV", 0x10, &[]),
    some("CH4_TOP", 0xffff, &[]),
    some("CH5_DIV", 0x10, &[]),
    some("CH5_TOP", 0xffff, &[]),
    some("CH6_DIV", 0x10, &[]),
    some("CH6_TOP", 0xffff, &[]),
    some("CH7_DIV", 0x10, &[]),
    some("CH7_TOP", 0xffff, &[]),
];
