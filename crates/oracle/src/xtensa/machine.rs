//! QEMU's cores on its machine `sim`, and what they are as configurations of ours.
//!
//! Source: the configuration headers of the cores (core-isa.h of lx106, de212, dc233c and de233_fpu), which come with
//! QEMU.

use cyclescope_xtensa::InterruptKind::{Edge, Level, Nmi, Software, Timer};
use cyclescope_xtensa::config::Interrupt;
use cyclescope_xtensa::timing::{self, CoreTiming};
use cyclescope_xtensa::{Config, Configuration, Options, Vectors};

/// A core of QEMU's and ours of the same configuration.
#[derive(Debug)]
pub struct Machine {
    /// QEMU's name of the core, and the oracle's.
    pub name: &'static str,
    /// Our configuration.
    pub configuration: &'static Configuration,
    timing: &'static CoreTiming,
    /// The address of the memory that programs are in.
    pub base: u32,
}

/// QEMU's LX106.
pub static LX106: Machine =
    Machine { name: "lx106", configuration: &cyclescope_xtensa::LX106, timing: &timing::LX106, base: 0x6000_0000 };
/// QEMU's core with windows and region protection.
pub static DE212: Machine =
    Machine { name: "de212", configuration: &CONFIGURATION_DE212, timing: &timing::LX6, base: 0x6000_0000 };
/// QEMU's core with windows and a memory management unit, which stays as it is after a reset.
pub static DC233C: Machine =
    Machine { name: "dc233c", configuration: &CONFIGURATION_DC233C, timing: &timing::LX6, base: 0x0004_0000 };
/// QEMU's core with windows and the floating-point unit.
pub static DE233_FPU: Machine =
    Machine { name: "de233_fpu", configuration: &CONFIGURATION_DE233_FPU, timing: &timing::LX6, base: 0x0004_0000 };

impl Machine {
    /// The configuration of our core that begins at `reset`.
    pub fn config(&self, reset: u32) -> Config {
        Config {
            configuration: self.configuration,
            timing: self.timing,
            reset,
            vector_base: self.base,
            processor: 0,
            word_only: &[],
            semihosting: false,
        }
    }
}

/// The options that the three with windows have in common.
const WINDOWED: Options = Options {
    density: true,
    loops: true,
    windows: true,
    mul16: true,
    mul32: true,
    div32: true,
    mac16: true,
    nsa: true,
    min_max: true,
    sext: true,
    clamps: true,
    synchronization: true,
    conditional_store: true,
    atomic_control: true,
    instruction_cache: true,
    data_cache: true,
    relocatable_vectors: true,
    debug: true,
    external_registers: true,
    output_port: true,
    ..Options::NONE
};

const INTERRUPTS: [Interrupt; 22] = [
    Interrupt::new(1, Level),
    Interrupt::new(1, Level),
    Interrupt::new(1, Level),
    Interrupt::new(1, Level),
    Interrupt::new(1, Level),
    Interrupt::new(1, Level),
    Interrupt::new(1, Timer(0)),
    Interrupt::new(1, Software),
    Interrupt::new(2, Level),
    Interrupt::new(3, Level),
    Interrupt::new(3, Timer(1)),
    Interrupt::new(3, Software),
    Interrupt::new(4, Level),
    Interrupt::new(5, Timer(2)),
    Interrupt::new(7, Nmi),
    Interrupt::new(1, Edge),
    Interrupt::new(1, Edge),
    Interrupt::new(1, Edge),
    Interrupt::new(1, Edge),
    Interrupt::new(1, Edge),
    Interrupt::new(1, Edge),
    Interrupt::new(3, Edge),
];

static CONFIGURATION_DE212: Configuration = Configuration {
    name: "DE212",
    options: Options { region_protection: true, ..WINDOWED },
    id: [0xC283_DFFE, 0x1C85_A985],
    ..PATTERN
};

static CONFIGURATION_DC233C: Configuration = Configuration {
    name: "DC233C",
    options: Options { absolute_literals: true, thread_pointer: true, coprocessors: true, ..WINDOWED },
    id: [0xC567_07FE, 0x1440_4B21],
    ..PATTERN
};

static CONFIGURATION_DE233_FPU: Configuration = Configuration {
    name: "DE233_FPU",
    options: Options { thread_pointer: true, coprocessors: true, booleans: true, float: true, ..WINDOWED },
    id: [0xC103_9286, 0x28C8_72E0],
    ..PATTERN
};

const PATTERN: Configuration = Configuration {
    name: "",
    options: WINDOWED,
    registers: 32,
    interrupts: &INTERRUPTS,
    exception_level: 3,
    debug_level: 6,
    nmi_level: 7,
    levels: 7,
    timers: 3,
    misc: 2,
    breakpoints: 2,
    vectors: Vectors {
        overflow: [0x000, 0x080, 0x100],
        underflow: [0x040, 0x0C0, 0x140],
        levels: [0x180, 0x1C0, 0x200, 0x240, 0x280, 0x2C0],
        kernel: 0x300,
        user: 0x340,
        double: 0x3C0,
    },
    id: [0; 2],
};
