//! MCPWM0 of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "mcpwm",
    version: "esp32",
    registers: &[
        word("CLK_CFG", 0x0, ReadWrite, &[Field::new("CLK_PRESCALE", 0, 8)]),
        word("TIMER0_CFG0", 0x4, ReadWrite, OF_TIMER0_CFG0),
        word("TIMER0_CFG1", 0x8, ReadWrite, OF_TIMER0_CFG1),
        word("TIMER0_SYNC", 0xc, ReadWrite, OF_TIMER0_SYNC),
        word("TIMER0_STATUS", 0x10, ReadOnly, OF_TIMER0_STATUS),
        word("TIMER1_CFG0", 0x14, ReadWrite, OF_TIMER0_CFG0),
        word("TIMER1_CFG1", 0x18, ReadWrite, OF_TIMER0_CFG1),
        word("TIMER1_SYNC", 0x1c, ReadWrite, OF_TIMER0_SYNC),
        word("TIMER1_STATUS", 0x20, ReadOnly, OF_TIMER0_STATUS),
        word("TIMER2_CFG0", 0x24, ReadWrite, OF_TIMER0_CFG0),
        word("TIMER2_CFG1", 0x28, ReadWrite, OF_TIMER0_CFG1),
        word("TIMER2_SYNC", 0x2c, ReadWrite, OF_TIMER0_SYNC),
        word("TIMER2_STATUS", 0x30, ReadOnly, OF_TIMER0_STATUS),
        word(
            "TIMER_SYNCI_CFG",
            0x34,
            ReadWrite,
            &[
                Field::new("TIMER0_SYNCISEL", 0, 3),
                Field::new("TIMER1_SYNCISEL", 3, 3),
                Field::new("TIMER2_SYNCISEL", 6, 3),
                Field::new("EXTERNAL_SYNCI0_INVERT", 9, 1),
                Field::new("EXTERNAL_SYNCI1_INVERT", 10, 1),
                Field::new("EXTERNAL_SYNCI2_INVERT", 11, 1),
            ],
        ),
        word(
            "OPERATOR_TIMERSEL",
            0x38,
            ReadWrite,
            &[
                Field::new("OPERATOR0_TIMERSEL", 0, 2),
                Field::new("OPERATOR1_TIMERSEL", 2, 2),
                Field::new("OPERATOR2_TIMERSEL", 4, 2),
            ],
        ),
        word("CH0_GEN_STMP_CFG", 0x3c, ReadWrite, OF_CH0_GEN_STMP_CFG),
        word("CH0_GEN_TSTMP_A", 0x40, ReadWrite, &[Field::new("A", 0, 16)]),
        word("CH0_GEN_TSTMP_B", 0x44, ReadWrite, &[Field::new("B", 0, 16)]),
        word("CH0_GEN_CFG0", 0x48, ReadWrite, OF_CH0_GEN_CFG0),
        word("CH0_GEN_FORCE", 0x4c, ReadWrite, OF_CH0_GEN_FORCE),
        word("CH0_GENA", 0x50, ReadWrite, OF_CH0_GENA),
        word("CH0_GENB", 0x54, ReadWrite, OF_CH0_GENA),
        word("CH0_DT_CFG", 0x58, ReadWrite, OF_CH0_DT_CFG),
        word("CH0_DT_FED_CFG", 0x5c, ReadWrite, &[Field::new("FED", 0, 16)]),
        word("CH0_DT_RED_CFG", 0x60, ReadWrite, &[Field::new("RED", 0, 16)]),
        word("CH0_CARRIER_CFG", 0x64, ReadWrite, OF_CH0_CARRIER_CFG),
        word("CH0_FH_CFG0", 0x68, ReadWrite, OF_CH0_FH_CFG0),
        word("CH0_FH_CFG1", 0x6c, ReadWrite, OF_CH0_FH_CFG1),
        word("CH0_FH_STATUS", 0x70, ReadOnly, OF_CH0_FH_STATUS),
        word("CH1_GEN_STMP_CFG", 0x74, ReadWrite, OF_CH0_GEN_STMP_CFG),
        word("CH1_GEN_TSTMP_A", 0x78, ReadWrite, &[Field::new("A", 0, 16)]),
        word("CH1_GEN_TSTMP_B", 0x7c, ReadWrite, &[Field::new("B", 0, 16)]),
        word("CH1_GEN_CFG0", 0x80, ReadWrite, OF_CH0_GEN_CFG0),
        word("CH1_GEN_FORCE", 0x84, ReadWrite, OF_CH0_GEN_FORCE),
        word("CH1_GENA", 0x88, ReadWrite, OF_CH0_GENA),
        word("CH1_GENB", 0x8c, ReadWrite, OF_CH0_GENA),
        word("CH1_DT_CFG", 0x90, ReadWrite, OF_CH0_DT_CFG),
        word("CH1_DT_FED_CFG", 0x94, ReadWrite, &[Field::new("FED", 0, 16)]),
        word("CH1_DT_RED_CFG", 0x98, ReadWrite, &[Field::new("RED", 0, 16)]),
        word("CH1_CARRIER_CFG", 0x9c, ReadWrite, OF_CH0_CARRIER_CFG),
        word("CH1_FH_CFG0", 0xa0, ReadWrite, OF_CH0_FH_CFG0),
        word("CH1_FH_CFG1", 0xa4, ReadWrite, OF_CH0_FH_CFG1),
        word("CH1_FH_STATUS", 0xa8, ReadOnly, OF_CH0_FH_STATUS),
        word("CH2_GEN_STMP_CFG", 0xac, ReadWrite, OF_CH0_GEN_STMP_CFG),
        word("CH2_GEN_TSTMP_A", 0xb0, ReadWrite, &[Field::new("A", 0, 16)]),
        word("CH2_GEN_TSTMP_B", 0xb4, ReadWrite, &[Field::new("B", 0, 16)]),
        word("CH2_GEN_CFG0", 0xb8, ReadWrite, OF_CH0_GEN_CFG0),
        word("CH2_GEN_FORCE", 0xbc, ReadWrite, OF_CH0_GEN_FORCE),
        word("CH2_GENA", 0xc0, ReadWrite, OF_CH0_GENA),
        word("CH2_GENB", 0xc4, ReadWrite, OF_CH0_GENA),
        word("CH2_DT_CFG", 0xc8, ReadWrite, OF_CH0_DT_CFG),
        word("CH2_DT_FED_CFG", 0xcc, ReadWrite, &[Field::new("FED", 0, 16)]),
        word("CH2_DT_RED_CFG", 0xd0, ReadWrite, &[Field::new("RED", 0, 16)]),
        word("CH2_CARRIER_CFG", 0xd4, ReadWrite, OF_CH0_CARRIER_CFG),
        word("CH2_FH_CFG0", 0xd8, ReadWrite, OF_CH0_FH_CFG0),
        word("CH2_FH_CFG1", 0xdc, ReadWrite, OF_CH0_FH_CFG1),
        word("CH2_FH_STATUS", 0xe0, ReadOnly, OF_CH0_FH_STATUS),
        word(
            "FAULT_DETECT",
            0xe4,
            ReadWrite,
            &[
                Field::new("F0_EN", 0, 1),
                Field::new("F1_EN", 1, 1),
                Field::new("F2_EN", 2, 1),
                Field::new("F0_POLE", 3, 1),
                Field::new("F1_POLE", 4, 1),
                Field::new("F2_POLE", 5, 1),
                Field::new("EVENT_F0", 6, 1),
                Field::new("EVENT_F1", 7, 1),
                Field::new("EVENT_F2", 8, 1),
            ],
        ),
        word(
            "CAP_TIMER_CFG",
            0xe8,
            ReadWrite,
            &[
                Field::new("TIMER_EN", 0, 1),
                Field::new("SYNCI_EN", 1, 1),
                Field::new("SYNCI_SEL", 2, 3),
                Field::new("SYNC_SW", 5, 1),
            ],
        ),
        word("CAP_TIMER_PHASE", 0xec, ReadWrite, &[Field::new("TIMER_PHASE", 0, 32)]),
        word("CAP_CH0_CFG", 0xf0, ReadWrite, OF_CAP_CH0_CFG),
        word("CAP_CH1_CFG", 0xf4, ReadWrite, OF_CAP_CH0_CFG),
        word("CAP_CH2_CFG", 0xf8, ReadWrite, OF_CAP_CH0_CFG),
        word("CAP_CH0", 0xfc, ReadOnly, &[Field::new("VALUE", 0, 32)]),
        word("CAP_CH1", 0x100, ReadOnly, &[Field::new("VALUE", 0, 32)]),
        word("CAP_CH2", 0x104, ReadOnly, &[Field::new("VALUE", 0, 32)]),
        word(
            "CAP_STATUS",
            0x108,
            ReadOnly,
            &[Field::new("CAP0_EDGE", 0, 1), Field::new("CAP1_EDGE", 1, 1), Field::new("CAP2_EDGE", 2, 1)],
        ),
        word(
            "UPDATE_CFG",
            0x10c,
            ReadWrite,
            &[
                Field::new("GLOBAL_UP_EN", 0, 1),
                Field::new("GLOBAL_FORCE_UP", 1, 1),
                Field::new("OP0_UP_EN", 2, 1),
                Field::new("OP0_FORCE_UP", 3, 1),
                Field::new("OP1_UP_EN", 4, 1),
                Field::new("OP1_FORCE_UP", 5, 1),
                Field::new("OP2_UP_EN", 6, 1),
                Field::new("OP2_FORCE_UP", 7, 1),
            ],
        ),
        word("INT_ENA", 0x110, ReadWrite, OF_INT_ENA),
        word("INT_RAW", 0x114, ReadWrite, OF_INT_ENA),
        word("INT_ST", 0x118, ReadOnly, OF_INT_ENA),
        word("INT_CLR", 0x11c, WriteOnly, OF_INT_ENA),
        word("CLK", 0x120, ReadWrite, &[Field::new("EN", 0, 1)]),
        word("VERSION", 0x124, ReadWrite, &[Field::new("VERSION", 0, 32)]),
    ],
};

const OF_TIMER0_CFG0: &[Field] =
    &[Field::new("PRESCALE", 0, 8), Field::new("PERIOD", 8, 16), Field::new("PERIOD_UPMETHOD", 24, 2)];

const OF_TIMER0_CFG1: &[Field] = &[Field::new("START", 0, 3), Field::new("MOD", 3, 2)];

const OF_TIMER0_SYNC: &[Field] = &[
    Field::new("SYNCI_EN", 0, 1),
    Field::new("SW", 1, 1),
    Field::new("SYNCO_SEL", 2, 2),
    Field::new("PHASE", 4, 16),
    Field::new("PHASE_DIRECTION", 20, 1),
];

const OF_TIMER0_STATUS: &[Field] = &[Field::new("VALUE", 0, 16), Field::new("DIRECTION", 16, 1)];

const OF_CH0_GEN_STMP_CFG: &[Field] = &[
    Field::new("A_UPMETHOD", 0, 4),
    Field::new("B_UPMETHOD", 4, 4),
    Field::new("A_SHDW_FULL", 8, 1),
    Field::new("B_SHDW_FULL", 9, 1),
];

const OF_CH0_GEN_CFG0: &[Field] =
    &[Field::new("CFG_UPMETHOD", 0, 4), Field::new("T0_SEL", 4, 3), Field::new("T1_SEL", 7, 3)];

const OF_CH0_GEN_FORCE: &[Field] = &[
    Field::new("CNTUFORCE_UPMETHOD", 0, 6),
    Field::new("A_CNTUFORCE_MODE", 6, 2),
    Field::new("B_CNTUFORCE_MODE", 8, 2),
    Field::new("A_NCIFORCE", 10, 1),
    Field::new("A_NCIFORCE_MODE", 11, 2),
    Field::new("B_NCIFORCE", 13, 1),
    Field::new("B_NCIFORCE_MODE", 14, 2),
];

const OF_CH0_GENA: &[Field] = &[
    Field::new("UTEZ", 0, 2),
    Field::new("UTEP", 2, 2),
    Field::new("UTEA", 4, 2),
    Field::new("UTEB", 6, 2),
    Field::new("UT0", 8, 2),
    Field::new("UT1", 10, 2),
    Field::new("DTEZ", 12, 2),
    Field::new("DTEP", 14, 2),
    Field::new("DTEA", 16, 2),
    Field::new("DTEB", 18, 2),
    Field::new("DT0", 20, 2),
    Field::new("DT1", 22, 2),
];

const OF_CH0_DT_CFG: &[Field] = &[
    Field::new("FED_UPMETHOD", 0, 4),
    Field::new("RED_UPMETHOD", 4, 4),
    Field::new("DEB_MODE", 8, 1),
    Field::new("A_OUTSWAP", 9, 1),
    Field::new("B_OUTSWAP", 10, 1),
    Field::new("RED_INSEL", 11, 1),
    Field::new("FED_INSEL", 12, 1),
    Field::new("RED_OUTINVERT", 13, 1),
    Field::new("FED_OUTINVERT", 14, 1),
    Field::new("A_OUTBYPASS", 15, 1),
    Field::new("B_OUTBYPASS", 16, 1),
    Field::new("CLK_SEL", 17, 1),
];

const OF_CH0_CARRIER_CFG: &[Field] = &[
    Field::new("EN", 0, 1),
    Field::new("PRESCALE", 1, 4),
    Field::new("DUTY", 5, 3),
    Field::new("OSHTWTH", 8, 4),
    Field::new("OUT_INVERT", 12, 1),
    Field::new("IN_INVERT", 13, 1),
];

const OF_CH0_FH_CFG0: &[Field] = &[
    Field::new("SW_CBC", 0, 1),
    Field::new("F2_CBC", 1, 1),
    Field::new("F1_CBC", 2, 1),
    Field::new("F0_CBC", 3, 1),
    Field::new("SW_OST", 4, 1),
    Field::new("F2_OST", 5, 1),
    Field::new("F1_OST", 6, 1),
    Field::new("F0_OST", 7, 1),
    Field::new("A_CBC_D", 8, 2),
    Field::new("A_CBC_U", 10, 2),
    Field::new("A_OST_D", 12, 2),
    Field::new("A_OST_U", 14, 2),
    Field::new("B_CBC_D", 16, 2),
    Field::new("B_CBC_U", 18, 2),
    Field::new("B_OST_D", 20, 2),
    Field::new("B_OST_U", 22, 2),
];

const OF_CH0_FH_CFG1: &[Field] = &[
    Field::new("CLR_OST", 0, 1),
    Field::new("CBCPULSE", 1, 2),
    Field::new("FORCE_CBC", 3, 1),
    Field::new("FORCE_OST", 4, 1),
];

const OF_CH0_FH_STATUS: &[Field] = &[Field::new("CBC_ON", 0, 1), Field::new("OST_ON", 1, 1)];

const OF_CAP_CH0_CFG: &[Field] = &[
    Field::new("EN", 0, 1),
    Field::new("MODE", 1, 2),
    Field::new("PRESCALE", 3, 8),
    Field::new("IN_INVERT", 11, 1),
    Field::new("SW", 12, 1),
];

const OF_INT_ENA: &[Field] = &[
    Field::new("TIMER0_STOP", 0, 1),
    Field::new("TIMER1_STOP", 1, 1),
    Field::new("TIMER2_STOP", 2, 1),
    Field::new("TIMER0_TEZ", 3, 1),
    Field::new("TIMER1_TEZ", 4, 1),
    Field::new("TIMER2_TEZ", 5, 1),
    Field::new("TIMER0_TEP", 6, 1),
    Field::new("TIMER1_TEP", 7, 1),
    Field::new("TIMER2_TEP", 8, 1),
    Field::new("FAULT0", 9, 1),
    Field::new("FAULT1", 10, 1),
    Field::new("FAULT2", 11, 1),
    Field::new("FAULT0_CLR", 12, 1),
    Field::new("FAULT1_CLR", 13, 1),
    Field::new("FAULT2_CLR", 14, 1),
    Field::new("CMPR0_TEA", 15, 1),
    Field::new("CMPR1_TEA", 16, 1),
    Field::new("CMPR2_TEA", 17, 1),
    Field::new("CMPR0_TEB", 18, 1),
    Field::new("CMPR1_TEB", 19, 1),
    Field::new("CMPR2_TEB", 20, 1),
    Field::new("TZ0_CBC", 21, 1),
    Field::new("TZ1_CBC", 22, 1),
    Field::new("TZ2_CBC", 23, 1),
    Field::new("TZ0_OST", 24, 1),
    Field::new("TZ1_OST", 25, 1),
    Field::new("TZ2_OST", 26, 1),
    Field::new("CAP0", 27, 1),
    Field::new("CAP1", 28, 1),
    Field::new("CAP2", 29, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("TIMER0_CFG0", 0xff00, &[]),
    some("TIMER1_CFG0", 0xff00, &[]),
    some("TIMER2_CFG0", 0xff00, &[]),
    some("CH0_GEN_FORCE", 0x20, &[]),
    some("CH0_DT_CFG", 0x18000, &[]),
    some("CH1_GEN_FORCE", 0x20, &[]),
    some("CH1_DT_CFG", 0x18000, &[]),
    some("CH2_GEN_FORCE", 0x20, &[]),
    some("CH2_DT_CFG", 0x18000, &[]),
    some("UPDATE_CFG", 0x55, &[]),
];
