//! IO_MUX of the ESP32, written by `crates/peripherals/generate-esp`; do not edit.

use crate::bank::Modelled;
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "io_mux",
    version: "esp32",
    registers: &[
        word(
            "PIN_CTRL",
            0x0,
            ReadWrite,
            &[Field::new("CLK1", 0, 4), Field::new("CLK2", 4, 4), Field::new("CLK3", 8, 4)],
        ),
        word("GPIO36", 0x4, ReadWrite, OF_GPIO36),
        word("GPIO37", 0x8, ReadWrite, OF_GPIO36),
        word("GPIO38", 0xc, ReadWrite, OF_GPIO36),
        word("GPIO39", 0x10, ReadWrite, OF_GPIO36),
        word("GPIO34", 0x14, ReadWrite, OF_GPIO36),
        word("GPIO35", 0x18, ReadWrite, OF_GPIO36),
        word("GPIO32", 0x1c, ReadWrite, OF_GPIO36),
        word("GPIO33", 0x20, ReadWrite, OF_GPIO36),
        word("GPIO25", 0x24, ReadWrite, OF_GPIO36),
        word("GPIO26", 0x28, ReadWrite, OF_GPIO36),
        word("GPIO27", 0x2c, ReadWrite, OF_GPIO36),
        word("GPIO14", 0x30, ReadWrite, OF_GPIO36),
        word("GPIO12", 0x34, ReadWrite, OF_GPIO36),
        word("GPIO13", 0x38, ReadWrite, OF_GPIO36),
        word("GPIO15", 0x3c, ReadWrite, OF_GPIO36),
        word("GPIO2", 0x40, ReadWrite, OF_GPIO36),
        word("GPIO0", 0x44, ReadWrite, OF_GPIO36),
        word("GPIO4", 0x48, ReadWrite, OF_GPIO36),
        word("GPIO16", 0x4c, ReadWrite, OF_GPIO36),
        word("GPIO17", 0x50, ReadWrite, OF_GPIO36),
        word("GPIO9", 0x54, ReadWrite, OF_GPIO36),
        word("GPIO10", 0x58, ReadWrite, OF_GPIO36),
        word("GPIO11", 0x5c, ReadWrite, OF_GPIO36),
        word("GPIO6", 0x60, ReadWrite, OF_GPIO36),
        word("GPIO7", 0x64, ReadWrite, OF_GPIO36),
        word("GPIO8", 0x68, ReadWrite, OF_GPIO36),
        word("GPIO5", 0x6c, ReadWrite, OF_GPIO36),
        word("GPIO18", 0x70, ReadWrite, OF_GPIO36),
        word("GPIO19", 0x74, ReadWrite, OF_GPIO36),
        word("GPIO20", 0x78, ReadWrite, OF_GPIO36),
        word("GPIO21", 0x7c, ReadWrite, OF_GPIO36),
        word("GPIO22", 0x80, ReadWrite, OF_GPIO36),
        word("GPIO3", 0x84, ReadWrite, OF_GPIO36),
        word("GPIO1", 0x88, ReadWrite, OF_GPIO36),
        word("GPIO23", 0x8c, ReadWrite, OF_GPIO36),
        word("GPIO24", 0x90, ReadWrite, OF_GPIO36),
    ],
};

const OF_GPIO36: &[Field] = &[
    Field::new("MCU_OE", 0, 1),
    Field::new("SLP_SEL", 1, 1),
    Field::new("MCU_WPD", 2, 1),
    Field::new("MCU_WPU", 3, 1),
    Field::new("MCU_IE", 4, 1),
    Field::new("MCU_DRV", 5, 2),
    Field::new("FUN_WPD", 7, 1),
    Field::new("FUN_WPU", 8, 1),
    Field::new("FUN_IE", 9, 1),
    Field::new("FUN_DRV", 10, 2),
    Field::new("MCU_SEL", 12, 3),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[];
