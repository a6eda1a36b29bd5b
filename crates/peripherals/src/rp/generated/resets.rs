//! RESETS of the RP2040, written by `crates/peripherals/generate-rp`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "resets",
    version: "rp2040",
    registers: &[
        word("RESET", 0x0, ReadWrite, OF_RESET),
        word("WDSEL", 0x4, ReadWrite, OF_RESET),
        word("RESET_DONE", 0x8, ReadOnly, OF_RESET),
    ],
};

const OF_RESET: &[Field] = &[
    Field::new("ADC", 0, 1),
    Field::new("BUSCTRL", 1, 1),
    Field::new("DMA", 2, 1),
    Field::new("I2C0", 3, 1),
    Field::new("I2C1", 4, 1),
    Field::new("IO_BANK0", 5, 1),
    Field::new("IO_QSPI", 6, 1),
    Field::new("JTAG", 7, 1),
    Field::new("PADS_BANK0", 8, 1),
    Field::new("PADS_QSPI", 9, 1),
    Field::new("PIO0", 10, 1),
    Field::new("PIO1", 11, 1),
    Field::new("PLL_SYS", 12, 1),
    Field::new("PLL_USB", 13, 1),
    Field::new("PWM", 14, 1),
    Field::new("RTC", 15, 1),
    Field::new("SPI0", 16, 1),
    Field::new("SPI1", 17, 1),
    Field::new("SYSCFG", 18, 1),
    Field::new("SYSINFO", 19, 1),
    Field::new("TBMAN", 20, 1),
    Field::new("TIMER", 21, 1),
    Field::new("UART0", 22, 1),
    Field::new("UART1", 23, 1),
    Field::new("USBCTRL", 24, 1),
];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[some("RESET", 0x1ffffff, &[])];
