//! Cores alone: no vendor's parts, memory without wait states.

use std::borrow::Cow;

use cyclescope_machine::units::{Address, Bytes, Hertz};

use cyclescope_peripherals::lm3s::declared::{GPIO_MAP, SYSCTL_MAP};
use cyclescope_peripherals::lm3s::uart::UART_MAP;
use cyclescope_peripherals::{BusClock, Instance, Map, SignalLine};

use crate::families::{GENERIC, LM3S};
use crate::family::Family;
use crate::part::{Board, Core, CortexM, CortexMModel, Part, Region, Soc};

/// The equipment of a core beside memory.
struct Extras {
    family: &'static Family,
    interrupts: &'static [(u8, &'static str)],
    peripherals: &'static [Instance],
}

/// Nothing.
const NOTHING: Extras = Extras { family: &GENERIC, interrupts: &[], peripherals: &[] };

/// The first serial port of the LM3S6965 with what its start-up code touches.
const SERIAL: Extras = Extras {
    family: &LM3S,
    interrupts: &[(5, "UART0")],
    peripherals: &[
        block("GPIOA", 0x4000_4000, &GPIO_MAP, &[]),
        block("UART0", 0x4000_C000, &UART_MAP, &[SignalLine { signal: "GLOBAL", line: 5 }]),
        block("SYSCTL", 0x400F_E000, &SYSCTL_MAP, &[]),
    ],
};

const fn block(name: &'static str, address: u32, map: &'static Map, interrupts: &'static [SignalLine]) -> Instance {
    Instance {
        name,
        address,
        map,
        clock: BusClock::Ahb,
        enable: None,
        reset: None,
        interrupts,
        requests: &[],
        triggers: &[],
        remap: None,
        pins: &[],
    }
}

/// A core with 1 MiB of flash and 256 KiB of RAM.
const fn core(
    name: &'static str,
    model: CortexMModel,
    description: &'static str,
    priority_bits: u8,
    mpu_regions: u8,
    extras: &Extras,
) -> Part {
    Part {
        name: Cow::Borrowed(name),
        description: Cow::Borrowed(description),
        core: Core::CortexM(CortexM {
            model,
            priority_bits,
            mpu_regions,
            bit_band: true,
            systick_reference_divider: None,
            systick_calibration: 0,
            soc: Soc {
                family: extras.family,
                sectors: Cow::Borrowed(&[]),
                device_id: 0,
                factory: Cow::Borrowed(&[]),
                full_usarts: &[],
                oscillators: (Hertz::new(48_000_000), Hertz::new(32_000)),
                peripherals: extras.peripherals,
                left_out: Cow::Borrowed(&[]),
                routes: &[],
                boot: None,
            },
        }),
        clock: Hertz::new(48_000_000),
        flash: Region { base: Address::new(0x0800_0000), bytes: Bytes::new(1 << 20) },
        ram: Region { base: Address::new(0x2000_0000), bytes: Bytes::new(256 << 10) },
        other_rams: Cow::Borrowed(&[]),
        interrupts: extras.interrupts,
        bonded: &[],
        board: Board { name: Cow::Borrowed("none"), hse: None, lse: None, levels: Cow::Borrowed(&[]) },
        base: None,
    }
}

/// Cortex-M0+.
pub(crate) static CORTEX_M0PLUS: Part = core(
    "cortex-m0plus",
    CortexMModel::M0Plus,
    "Cortex-M0+ alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting",
    2,
    0,
    &NOTHING,
);

/// Cortex-M3.
pub(crate) static CORTEX_M3: Part = core(
    "cortex-m3",
    CortexMModel::M3,
    "Cortex-M3 alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting, UART0 of the LM3S6965",
    4,
    8,
    &SERIAL,
);

/// Cortex-M4 with floating point.
pub(crate) static CORTEX_M4: Part = core(
    "cortex-m4",
    CortexMModel::M4F,
    "Cortex-M4 with FPU alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting",
    4,
    8,
    &NOTHING,
);
