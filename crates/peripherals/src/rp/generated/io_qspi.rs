//! IO_QSPI of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "io_qspi",
    version: "rp2040",
    registers: &[
        word("GPIO_QSPI_SCLK_STATUS", 0x0, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SCLK_CTRL", 0x4, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("GPIO_QSPI_SS_STATUS", 0x8, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SS_CTRL", 0xc, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("GPIO_QSPI_SD0_STATUS", 0x10, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SD0_CTRL", 0x14, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("GPIO_QSPI_SD1_STATUS", 0x18, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SD1_CTRL", 0x1c, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("GPIO_QSPI_SD2_STATUS", 0x20, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SD2_CTRL", 0x24, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("GPIO_QSPI_SD3_STATUS", 0x28, ReadOnly, OF_GPIO_QSPI_SCLK_STATUS),
        word("GPIO_QSPI_SD3_CTRL", 0x2c, ReadWrite, OF_GPIO_QSPI_SCLK_CTRL),
        word("INTR", 0x30, ReadWrite, OF_INTR),
        word("PROC0_INTE", 0x34, ReadWrite, OF_INTR),
        word("PROC0_INTF", 0x38, ReadWrite, OF_INTR),
        word("PROC0_INTS", 0x3c, ReadOnly, OF_INTR),
        word("PROC1_INTE", 0x40, ReadWrite, OF_INTR),
        word("PROC1_INTF", 0x44, ReadWrite, OF_INTR),
        word("PROC1_INTS", 0x48, ReadOnly, OF_INTR),
        word("DORMANT_WAKE_INTE", 0x4c, ReadWrite, OF_INTR),
        word("DORMANT_WAKE_INTF", 0x50, ReadWrite, OF_INTR),
        word("DORMANT_WAKE_INTS", 0x54, ReadOnly, OF_INTR),
    ],
};

const OF_GPIO_QSPI_SCLK_STATUS: &[Field] = &[
    Field::new("OUTFROMPERI", 8, 1),
    Field::new("OUTTOPAD", 9, 1),
    Field::new("OEFROMPERI", 12, 1),
    Field::new("OETOPAD", 13, 1),
    Field::new("INFROMPAD", 17, 1),
    Field::new("INTOPERI", 19, 1),
    Field::new("IRQFROMPAD", 24, 1),
    Field::new("IRQTOPROC", 26, 1),
];

const OF_GPIO_QSPI_SCLK_CTRL: &[Field] = &[
    Field::new("FUNCSEL", 0, 5),
    Field::new("OUTOVER", 8, 2),
    Field::new("OEOVER", 12, 2),
    Field::new("INOVER", 16, 2),
    Field::new("IRQOVER", 28, 2),
];

const OF_INTR: &[Field] = &[
    Field::new("GPIO_QSPI_SCLK_LEVEL_LOW", 0, 1),
    Field::new("GPIO_QSPI_SCLK_LEVEL_HIGH", 1, 1),
    Field::new("GPIO_QSPI_SCLK_EDGE_LOW", 2, 1),
    Field::new("GPIO_QSPI_SCLK_EDGE_HIGH", 3, 1),
    Field::new("GPIO_QSPI_SS_LEVEL_LOW", 4, 1),
    Field::new("GPIO_QSPI_SS_LEVEL_HIGH", 5, 1),
    Field::new("GPIO_QSPI_SS_EDGE_LOW", 6, 1),
    Field::new("GPIO_QSPI_SS_EDGE_HIGH", 7, 1),
    Field::new("GPIO_QSPI_SD0_LEVEL_LOW", 8, 1),
    Field::new("GPIO_QSPI_SD0_LEVEL_HIGH", 9, 1),
    Field::new("GPIO_QSPI_SD0_EDGE_LOW", 10, 1),
    Field::new("GPIO_QSPI_SD0_EDGE_HIGH", 11, 1),
    Field::new("GPIO_QSPI_SD1_LEVEL_LOW", 12, 1),
    Field::new("GPIO_QSPI_SD1_LEVEL_HIGH", 13, 1),
    Field::new("GPIO_QSPI_SD1_EDGE_LOW", 14, 1),
    Field::new("GPIO_QSPI_SD1_EDGE_HIGH", 15, 1),
    Field::new("GPIO_QSPI_SD2_LEVEL_LOW", 16, 1),
    Field::new("GPIO_QSPI_SD2_LEVEL_HIGH", 17, 1),
    Field::new("GPIO_QSPI_SD2_EDGE_LOW", 18, 1),
    Field::new("GPIO_QSPI_SD2_EDGE_HIGH", 19, 1),
    Field::new("GPIO_QSPI_SD3_LEVEL_LOW", 20, 1),
    Field::new("GPIO_QSPI_SD3_LEVEL_HIGH", 21, 1),
    Field::new("GPIO_QSPI_SD3_EDGE_LOW", 22, 1),
    Field::new("GPIO_QSPI_SD3_EDGE_HIGH", 23, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("GPIO_QSPI_SCLK_CTRL", 0x1f, &[]),
    some("GPIO_QSPI_SS_CTRL", 0x1f, &[]),
    some("GPIO_QSPI_SD0_CTRL", 0x1f, &[]),
    some("GPIO_QSPI_SD1_CTRL", 0x1f, &[]),
    some("GPIO_QSPI_SD2_CTRL", 0x1f, &[]),
    some("GPIO_QSPI_SD3_CTRL", 0x1f, &[]),
];
