//! PADS_QSPI of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pads_qspi",
    version: "rp2040",
    registers: &[
        word("VOLTAGE_SELECT", 0x0, ReadWrite, &[Field::new("VOLTAGE_SELECT", 0, 1)]),
        word("GPIO_QSPI_SCLK", 0x4, ReadWrite, OF_GPIO_QSPI_SCLK),
        word("GPIO_QSPI_SD0", 0x8, ReadWrite, OF_GPIO_QSPI_SCLK),
        word("GPIO_QSPI_SD1", 0xc, ReadWrite, OF_GPIO_QSPI_SCLK),
        word("GPIO_QSPI_SD2", 0x10, ReadWrite, OF_GPIO_QSPI_SCLK),
        word("GPIO_QSPI_SD3", 0x14, ReadWrite, OF_GPIO_QSPI_SCLK),
        word("GPIO_QSPI_SS", 0x18, ReadWrite, OF_GPIO_QSPI_SCLK),
    ],
};

const OF_GPIO_QSPI_SCLK: &[Field] = &[
    Field::new("SLEWFAST", 0, 1),
    Field::new("SCHMITT", 1, 1),
    Field::new("PDE", 2, 1),
    Field::new("PUE", 3, 1),
    Field::new("DRIVE", 4, 2),
    Field::new("IE", 6, 1),
    Field::new("OD", 7, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("GPIO_QSPI_SCLK", 0x56, &[]),
    some("GPIO_QSPI_SD0", 0x52, &[]),
    some("GPIO_QSPI_SD1", 0x52, &[]),
    some("GPIO_QSPI_SD2", 0x52, &[]),
    some("GPIO_QSPI_SD3", 0x52, &[]),
    some("GPIO_QSPI_SS", 0x5a, &[]),
];
