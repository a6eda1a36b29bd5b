//! Written by `generate-litex/generate.py` from LiteX 2024.12; do not edit.
//!
//! Options: cpu_type=vexriscv, cpu_variant=secure, csr_data_width=32, integrated_rom_size=1048576,
//! integrated_sram_size=8192, integrated_main_ram_size=268435456, timer_uptime=True, uart_name=sim,
//! with_ethernet=True, with_gpio=True.

use cyclescope_peripherals::riscv::litex::{Bank, Csr};
use cyclescope_peripherals::riscv::{Instance, Kind, Wire};

/// Frequency of the system's clock.
pub const CLOCK_HZ: u64 = 1_000_000;

/// Memories by name: base and bytes.
pub const MEMORIES: &[(&str, u32, u32)] = &[
    ("rom", 0x00000000, 0x100000),
    ("sram", 0x10000000, 0x2000),
    ("main_ram", 0x40000000, 0x10000000),
    ("ethmac", 0x80000000, 0x2000),
    ("ethmac_rx", 0x80000000, 0x1000),
    ("ethmac_tx", 0x80001000, 0x1000),
];

/// The region of control and status registers: base and bytes.
pub const CSR: (u32, u32) = (0xf0000000, 0x10000);

/// Interrupt inputs by number and name.
pub const INTERRUPTS: &[(u8, &str)] = &[(0, "uart"), (1, "timer0"), (2, "ethmac"), (3, "gpio")];

const CTRL: Bank = Bank {
    name: "ctrl",
    base: 0xf0000000,
    registers: &[
        Csr { name: "reset", offset: 0x0, words: 1 },
        Csr { name: "scratch", offset: 0x4, words: 1 },
        Csr { name: "bus_errors", offset: 0x8, words: 1 },
    ],
};

const ETHMAC: Bank = Bank {
    name: "ethmac",
    base: 0xf0000800,
    registers: &[
        Csr { name: "sram_writer_slot", offset: 0x0, words: 1 },
        Csr { name: "sram_writer_length", offset: 0x4, words: 1 },
        Csr { name: "sram_writer_errors", offset: 0x8, words: 1 },
        Csr { name: "sram_writer_ev_status", offset: 0xc, words: 1 },
        Csr { name: "sram_writer_ev_pending", offset: 0x10, words: 1 },
        Csr { name: "sram_writer_ev_enable", offset: 0x14, words: 1 },
        Csr { name: "sram_reader_start", offset: 0x18, words: 1 },
        Csr { name: "sram_reader_ready", offset: 0x1c, words: 1 },
        Csr { name: "sram_reader_level", offset: 0x20, words: 1 },
        Csr { name: "sram_reader_slot", offset: 0x24, words: 1 },
        Csr { name: "sram_reader_length", offset: 0x28, words: 1 },
        Csr { name: "sram_reader_ev_status", offset: 0x2c, words: 1 },
        Csr { name: "sram_reader_ev_pending", offset: 0x30, words: 1 },
        Csr { name: "sram_reader_ev_enable", offset: 0x34, words: 1 },
    ],
};

const ETHPHY: Bank =
    Bank { name: "ethphy", base: 0xf0001000, registers: &[Csr { name: "crg_reset", offset: 0x0, words: 1 }] };

const GPIO: Bank = Bank {
    name: "gpio",
    base: 0xf0001800,
    registers: &[
        Csr { name: "oe", offset: 0x0, words: 1 },
        Csr { name: "in", offset: 0x4, words: 1 },
        Csr { name: "out", offset: 0x8, words: 1 },
        Csr { name: "mode", offset: 0xc, words: 1 },
        Csr { name: "edge", offset: 0x10, words: 1 },
        Csr { name: "ev_status", offset: 0x14, words: 1 },
        Csr { name: "ev_pending", offset: 0x18, words: 1 },
        Csr { name: "ev_enable", offset: 0x1c, words: 1 },
    ],
};

const TIMER0: Bank = Bank {
    name: "timer0",
    base: 0xf0002800,
    registers: &[
        Csr { name: "load", offset: 0x0, words: 1 },
        Csr { name: "reload", offset: 0x4, words: 1 },
        Csr { name: "en", offset: 0x8, words: 1 },
        Csr { name: "update_value", offset: 0xc, words: 1 },
        Csr { name: "value", offset: 0x10, words: 1 },
        Csr { name: "ev_status", offset: 0x14, words: 1 },
        Csr { name: "ev_pending", offset: 0x18, words: 1 },
        Csr { name: "ev_enable", offset: 0x1c, words: 1 },
        Csr { name: "uptime_latch", offset: 0x20, words: 1 },
        Csr { name: "uptime_cycles", offset: 0x24, words: 2 },
    ],
};

const UART: Bank = Bank {
    name: "uart",
    base: 0xf0003000,
    registers: &[
        Csr { name: "rxtx", offset: 0x0, words: 1 },
        Csr { name: "txfull", offset: 0x4, words: 1 },
        Csr { name: "rxempty", offset: 0x8, words: 1 },
        Csr { name: "ev_status", offset: 0xc, words: 1 },
        Csr { name: "ev_pending", offset: 0x10, words: 1 },
        Csr { name: "ev_enable", offset: 0x14, words: 1 },
        Csr { name: "txempty", offset: 0x18, words: 1 },
        Csr { name: "rxfull", offset: 0x1c, words: 1 },
    ],
};

/// The cores, by address.
pub static INSTANCES: &[Instance] = &[
    Instance { name: "ctrl", base: 0xf0000000, bytes: 0x800, kind: Kind::LiteXControl(&CTRL), wires: &[] },
    Instance {
        name: "ethmac",
        base: 0xf0000800,
        bytes: 0x800,
        kind: Kind::LiteXAbsent(&ETHMAC),
        wires: &[Wire::Core(34)],
    },
    Instance { name: "ethphy", base: 0xf0001000, bytes: 0x800, kind: Kind::LiteXAbsent(&ETHPHY), wires: &[] },
    Instance { name: "gpio", base: 0xf0001800, bytes: 0x800, kind: Kind::LiteXAbsent(&GPIO), wires: &[Wire::Core(35)] },
    Instance {
        name: "timer0",
        base: 0xf0002800,
        bytes: 0x800,
        kind: Kind::LiteXTimer(&TIMER0),
        wires: &[Wire::Core(33)],
    },
    Instance { name: "uart", base: 0xf0003000, bytes: 0x800, kind: Kind::LiteXUart(&UART), wires: &[Wire::Core(32)] },
];
