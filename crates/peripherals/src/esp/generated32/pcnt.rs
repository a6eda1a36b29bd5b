//! PCNT of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pcnt",
    version: "esp32",
    registers: &[
        word("UNIT0_CONF0", 0x0, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT0_CONF1", 0x4, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT0_CONF2", 0x8, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT1_CONF0", 0xc, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT1_CONF1", 0x10, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT1_CONF2", 0x14, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT2_CONF0", 0x18, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT2_CONF1", 0x1c, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT2_CONF2", 0x20, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT3_CONF0", 0x24, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT3_CONF1", 0x28, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT3_CONF2", 0x2c, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT4_CONF0", 0x30, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT4_CONF1", 0x34, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT4_CONF2", 0x38, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT5_CONF0", 0x3c, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT5_CONF1", 0x40, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT5_CONF2", 0x44, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT6_CONF0", 0x48, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT6_CONF1", 0x4c, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT6_CONF2", 0x50, ReadWrite, OF_UNIT0_CONF2),
        word("UNIT7_CONF0", 0x54, ReadWrite, OF_UNIT0_CONF0),
        word("UNIT7_CONF1", 0x58, ReadWrite, OF_UNIT0_CONF1),
        word("UNIT7_CONF2", 0x5c, ReadWrite, OF_UNIT0_CONF2),
        word("U0_CNT", 0x60, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U1_CNT", 0x64, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U2_CNT", 0x68, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U3_CNT", 0x6c, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U4_CNT", 0x70, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U5_CNT", 0x74, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U6_CNT", 0x78, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("U7_CNT", 0x7c, ReadOnly, &[Field::new("CNT", 0, 16)]),
        word("INT_RAW", 0x80, ReadOnly, OF_INT_RAW),
        word("INT_ST", 0x84, ReadOnly, OF_INT_RAW),
        word("INT_ENA", 0x88, ReadWrite, OF_INT_RAW),
        word("INT_CLR", 0x8c, WriteOnly, OF_INT_RAW),
        word("U0_STATUS", 0x90, ReadWrite, OF_U0_STATUS),
        word("U1_STATUS", 0x94, ReadWrite, OF_U0_STATUS),
        word("U2_STATUS", 0x98, ReadWrite, OF_U0_STATUS),
        word("U3_STATUS", 0x9c, ReadWrite, OF_U0_STATUS),
        word("U4_STATUS", 0xa0, ReadWrite, OF_U0_STATUS),
        word("U5_STATUS", 0xa4, ReadWrite, OF_U0_STATUS),
        word("U6_STATUS", 0xa8, ReadWrite, OF_U0_STATUS),
        word("U7_STATUS", 0xac, ReadWrite, OF_U0_STATUS),
        word(
            "CTRL",
            0xb0,
            ReadWrite,
            &[
                Field::new("CNT_RST_U0", 0, 1),
                Field::new("CNT_PAUSE_U0", 1, 1),
                Field::new("CNT_RST_U1", 2, 1),
                Field::new("CNT_PAUSE_U1", 3, 1),
                Field::new("CNT_RST_U2", 4, 1),
                Field::new("CNT_PAUSE_U2", 5, 1),
                Field::new("CNT_RST_U3", 6, 1),
                Field::new("CNT_PAUSE_U3", 7, 1),
                Field::new("CNT_RST_U4", 8, 1),
                Field::new("CNT_PAUSE_U4", 9, 1),
                Field::new("CNT_RST_U5", 10, 1),
                Field::new("CNT_PAUSE_U5", 11, 1),
                Field::new("CNT_RST_U6", 12, 1),
                Field::new("CNT_PAUSE_U6", 13, 1),
                Field::new("CNT_RST_U7", 14, 1),
                Field::new("CNT_PAUSE_U7", 15, 1),
                Field::new("CLK_EN", 16, 1),
            ],
        ),
        word("DATE", 0xfc, ReadWrite, &[Field::new("DATE", 0, 32)]),
    ],
};

const OF_UNIT0_CONF0: &[Field] = &[
    Field::new("FILTER_THRES", 0, 10),
    Field::new("FILTER_EN", 10, 1),
    Field::new("THR_ZERO_EN", 11, 1),
    Field::new("THR_H_LIM_EN", 12, 1),
    Field::new("THR_L_LIM_EN", 13, 1),
    Field::new("THR_THRES0_EN", 14, 1),
    Field::new("THR_THRES1_EN", 15, 1),
    Field::new("CH0_NEG_MODE", 16, 2),
    Field::new("CH0_POS_MODE", 18, 2),
    Field::new("CH0_HCTRL_MODE", 20, 2),
    Field::new("CH0_LCTRL_MODE", 22, 2),
    Field::new("CH1_NEG_MODE", 24, 2),
    Field::new("CH1_POS_MODE", 26, 2),
    Field::new("CH1_HCTRL_MODE", 28, 2),
    Field::new("CH1_LCTRL_MODE", 30, 2),
];

const OF_UNIT0_CONF1: &[Field] = &[Field::new("CNT_THRES0", 0, 16), Field::new("CNT_THRES1", 16, 16)];

const OF_UNIT0_CONF2: &[Field] = &[Field::new("CNT_H_LIM", 0, 16), Field::new("CNT_L_LIM", 16, 16)];

const OF_INT_RAW: &[Field] = &[
    Field::new("CNT_THR_EVENT_U0", 0, 1),
    Field::new("CNT_THR_EVENT_U1", 1, 1),
    Field::new("CNT_THR_EVENT_U2", 2, 1),
    Field::new("CNT_THR_EVENT_U3", 3, 1),
    Field::new("CNT_THR_EVENT_U4", 4, 1),
    Field::new("CNT_THR_EVENT_U5", 5, 1),
    Field::new("CNT_THR_EVENT_U6", 6, 1),
    Field::new("CNT_THR_EVENT_U7", 7, 1),
];

const OF_U0_STATUS: &[Field] = &[
    Field::new("ZERO_MODE", 0, 2),
    Field::new("THRES1", 2, 1),
    Field::new("THRES0", 3, 1),
    Field::new("L_LIM", 4, 1),
    Field::new("H_LIM", 5, 1),
    Field::new("ZERO", 6, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("UNIT0_CONF0", 0x3c10, &[]),
    some("UNIT1_CONF0", 0x3c10, &[]),
    some("UNIT2_CONF0", 0x3c10, &[]),
    some("UNIT3_CONF0", 0x3c10, &[]),
    some("UNIT4_CONF0", 0x3c10, &[]),
    some("UNIT5_CONF0", 0x3c10, &[]),
    some("UNIT6_CONF0", 0x3c10, &[]),
    some("UNIT7_CONF0", 0x3c10, &[]),
    some("CTRL", 0x5555, &[]),
];
