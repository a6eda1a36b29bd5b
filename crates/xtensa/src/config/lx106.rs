//! The LX106 of the ESP8266: LX3.0.1 with few options. Source: the configuration headers that come with its toolchain
//! (core-isa.h of lx106).

use super::InterruptKind::{Edge, Level, Nmi, Software, Timer};
use super::{Configuration, Interrupt, Options, Vectors};

/// The core of the ESP8266.
pub static LX106: Configuration = Configuration {
    name: "LX106",
    options: Options {
        density: true,
        absolute_literals: true,
        mul16: true,
        mul32: true,
        nsa: true,
        relocatable_vectors: true,
        region_protection: true,
        debug: true,
        external_registers: true,
        ..Options::NONE
    },
    registers: 16,
    interrupts: &[
        Interrupt::new(1, Level),
        Interrupt::new(1, Level),
        Interrupt::new(1, Level),
        Interrupt::new(1, Level),
        Interrupt::new(1, Level),
        Interrupt::new(1, Level),
        Interrupt::new(1, Timer(0)),
        Interrupt::new(1, Software),
        Interrupt::new(1, Edge),
        Interrupt::new(1, Edge),
        Interrupt::new(1, Edge),
        Interrupt::new(1, Edge),
        Interrupt::new(1, Edge),
        Interrupt::new(1, Edge),
        Interrupt::new(3, Nmi),
    ],
    exception_level: 1,
    debug_level: 2,
    nmi_level: 3,
    levels: 3,
    timers: 1,
    misc: 0,
    breakpoints: 1,
    vectors: Vectors {
        overflow: [0; 3],
        underflow: [0; 3],
        levels: [0x10, 0x20, 0, 0, 0, 0],
        kernel: 0x30,
        user: 0x50,
        double: 0x70,
    },
    id: [0xC28C_DAFA, 0x1082_B6F6],
};
