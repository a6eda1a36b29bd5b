//! Cores alone: no vendor's parts, memory without wait states.

use std::borrow::Cow;

use cyclescope_units::{Address, Bytes, Hertz};

use crate::families::GENERIC;
use crate::part::{Board, Core, Part, Region};

/// A core with 1 MiB of flash and 256 KiB of RAM.
const fn core(name: &'static str, core: Core, description: &'static str, priority_bits: u8, mpu_regions: u8) -> Part {
    Part {
        name: Cow::Borrowed(name),
        core,
        family: &GENERIC,
        description: Cow::Borrowed(description),
        clock: Hertz::new(48_000_000),
        flash: Region { base: Address::new(0x0800_0000), bytes: Bytes::new(1 << 20) },
        sectors: &[],
        ram: Region { base: Address::new(0x2000_0000), bytes: Bytes::new(256 << 10) },
        interrupts: &[],
        priority_bits,
        mpu_regions,
        systick_reference_divider: None,
        device_id: 0,
        factory: Cow::Borrowed(&[]),
        full_usarts: &[],
        oscillators: (Hertz::new(48_000_000), Hertz::new(32_000)),
        board: Board { name: Cow::Borrowed("none"), hse: None, lse: None, levels: Cow::Borrowed(&[]) },
        peripherals: &[],
        left_out: Cow::Borrowed(&[]),
        routes: &[],
    }
}

/// Cortex-M0+.
pub(crate) static CORTEX_M0PLUS: Part = core(
    "cortex-m0plus",
    Core::CortexM0Plus,
    "Cortex-M0+ alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting",
    2,
    0,
);

/// Cortex-M3.
pub(crate) static CORTEX_M3: Part =
    core("cortex-m3", Core::CortexM3, "Cortex-M3 alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting", 4, 8);

/// Cortex-M4 with floating point.
pub(crate) static CORTEX_M4: Part = core(
    "cortex-m4",
    Core::CortexM4F,
    "Cortex-M4 with FPU alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting",
    4,
    8,
);
