//! APB_CTRL of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "apb_ctrl",
    version: "esp32",
    registers: &[
        word(
            "SYSCLK_CONF",
            0x0,
            ReadWrite,
            &[
                Field::new("PRE_DIV_CNT", 0, 10),
                Field::new("CLK_320M_EN", 10, 1),
                Field::new("CLK_EN", 11, 1),
                Field::new("RST_TICK_CNT", 12, 1),
                Field::new("QUICK_CLK_CHNG", 13, 1),
            ],
        ),
        word("XTAL_TICK_CONF", 0x4, ReadWrite, &[Field::new("XTAL_TICK_NUM", 0, 8)]),
        word("PLL_TICK_CONF", 0x8, ReadWrite, &[Field::new("PLL_TICK_NUM", 0, 8)]),
        word("CK8M_TICK_CONF", 0xc, ReadWrite, &[Field::new("CK8M_TICK_NUM", 0, 8)]),
        word(
            "APB_SARADC_CTRL",
            0x10,
            ReadWrite,
            &[
                Field::new("SARADC_START_FORCE", 0, 1),
                Field::new("SARADC_START", 1, 1),
                Field::new("SARADC_SAR2_MUX", 2, 1),
                Field::new("SARADC_WORK_MODE", 3, 2),
                Field::new("SARADC_SAR_SEL", 5, 1),
                Field::new("SARADC_SAR_CLK_GATED", 6, 1),
                Field::new("SARADC_SAR_CLK_DIV", 7, 8),
                Field::new("SARADC_SAR1_PATT_LEN", 15, 4),
                Field::new("SARADC_SAR2_PATT_LEN", 19, 4),
                Field::new("SARADC_SAR1_PATT_P_CLEAR", 23, 1),
                Field::new("SARADC_SAR2_PATT_P_CLEAR", 24, 1),
                Field::new("SARADC_DATA_SAR_SEL", 25, 1),
                Field::new("SARADC_DATA_TO_I2S", 26, 1),
            ],
        ),
        word(
            "APB_SARADC_CTRL2",
            0x14,
            ReadWrite,
            &[
                Field::new("SARADC_MEAS_NUM_LIMIT", 0, 1),
                Field::new("SARADC_MAX_MEAS_NUM", 1, 8),
                Field::new("SARADC_SAR1_INV", 9, 1),
                Field::new("SARADC_SAR2_INV", 10, 1),
            ],
        ),
        word(
            "APB_SARADC_FSM",
            0x18,
            ReadWrite,
            &[
                Field::new("SARADC_RSTB_WAIT", 0, 8),
                Field::new("SARADC_STANDBY_WAIT", 8, 8),
                Field::new("SARADC_START_WAIT", 16, 8),
                Field::new("SARADC_SAMPLE_CYCLE", 24, 8),
            ],
        ),
        word("APB_SARADC_SAR1_PATT_TAB1", 0x1c, ReadWrite, &[Field::new("SARADC_SAR1_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR1_PATT_TAB2", 0x20, ReadWrite, &[Field::new("SARADC_SAR1_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR1_PATT_TAB3", 0x24, ReadWrite, &[Field::new("SARADC_SAR1_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR1_PATT_TAB4", 0x28, ReadWrite, &[Field::new("SARADC_SAR1_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR2_PATT_TAB1", 0x2c, ReadWrite, &[Field::new("SARADC_SAR2_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR2_PATT_TAB2", 0x30, ReadWrite, &[Field::new("SARADC_SAR2_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR2_PATT_TAB3", 0x34, ReadWrite, &[Field::new("SARADC_SAR2_PATT_TAB1", 0, 32)]),
        word("APB_SARADC_SAR2_PATT_TAB4", 0x38, ReadWrite, &[Field::new("SARADC_SAR2_PATT_TAB1", 0, 32)]),
        word("APLL_TICK_CONF", 0x3c, ReadWrite, &[Field::new("APLL_TICK_NUM", 0, 8)]),
        word("DATE", 0x7c, ReadWrite, &[Field::new("DATE", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("SYSCLK_CONF", 0x2000, &[]),
    some("XTAL_TICK_CONF", 0x27, &[]),
    some("PLL_TICK_CONF", 0x4f, &[]),
    some("CK8M_TICK_CONF", 0xb, &[]),
    some("APB_SARADC_CTRL", 0x7f8240, &[]),
    some("APB_SARADC_CTRL2", 0x1fe, &[]),
    some("APB_SARADC_FSM", 0x208ff08, &[]),
    some("APB_SARADC_SAR1_PATT_TAB1", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR1_PATT_TAB2", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR1_PATT_TAB3", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR1_PATT_TAB4", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR2_PATT_TAB1", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR2_PATT_TAB2", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR2_PATT_TAB3", 0xf0f0f0f, &[]),
    some("APB_SARADC_SAR2_PATT_TAB4", 0xf0f0f0f, &[]),
    some("APLL_TICK_CONF", 0x63, &[]),
];
