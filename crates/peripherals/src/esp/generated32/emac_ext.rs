//! EMAC_EXT of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "emac_ext",
    version: "esp32",
    registers: &[
        word(
            "EX_CLKOUT_CONF",
            0x0,
            ReadWrite,
            &[Field::new("DIV_NUM", 0, 4), Field::new("H_DIV_NUM", 4, 4), Field::new("DLY_NUM", 8, 2)],
        ),
        word(
            "EX_OSCCLK_CONF",
            0x4,
            ReadWrite,
            &[
                Field::new("DIV_NUM_10M", 0, 6),
                Field::new("H_DIV_NUM_10M", 6, 6),
                Field::new("DIV_NUM_100M", 12, 6),
                Field::new("H_DIV_NUM_100M", 18, 6),
                Field::new("CLK_SEL", 24, 1),
            ],
        ),
        word(
            "EX_CLK_CTRL",
            0x8,
            ReadWrite,
            &[
                Field::new("EXT_EN", 0, 1),
                Field::new("INT_EN", 1, 1),
                Field::new("RX_125_CLK_EN", 2, 1),
                Field::new("MII_CLK_TX_EN", 3, 1),
                Field::new("MII_CLK_RX_EN", 4, 1),
                Field::new("CLK_EN", 5, 1),
            ],
        ),
        word(
            "EX_PHYINF_CONF",
            0xc,
            ReadWrite,
            &[
                Field::new("INT_REVMII_RX_CLK_SEL", 0, 1),
                Field::new("EXT_REVMII_RX_CLK_SEL", 1, 1),
                Field::new("SBD_FLOWCTRL", 2, 1),
                Field::new("CORE_PHY_ADDR", 3, 5),
                Field::new("REVMII_PHY_ADDR", 8, 5),
                Field::new("PHY_INTF_SEL", 13, 3),
                Field::new("SS_MODE", 16, 1),
                Field::new("SBD_CLK_GATING_EN", 17, 1),
                Field::new("PMT_CTRL_EN", 18, 1),
                Field::new("SCR_SMI_DLY_RX_SYNC", 19, 1),
                Field::new("TX_ERR_OUT_EN", 20, 1),
            ],
        ),
        word("PD_SEL", 0x10, ReadWrite, &[Field::new("RAM_PD_EN", 0, 2)]),
        word("EX_DATE", 0xfc, ReadWrite, &[Field::new("EX_DATE", 0, 32)]),
    ],
};

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
