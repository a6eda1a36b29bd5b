//! A Cortex-M0+ alone: no vendor's parts, memory without wait states.

use cyclescope_units::{Address, Bytes, Hertz};

use crate::part::{Board, Core, Part, Region};

/// The part.
pub(crate) const PART: Part = Part {
    name: "cortex-m0plus",
    core: Core::CortexM0Plus,
    description: "Cortex-M0+ alone: 1 MiB flash, 256 KiB RAM, no wait states, semihosting",
    clock: Hertz::new(48_000_000),
    flash: Region { base: Address::new(0x0800_0000), bytes: Bytes::new(1 << 20) },
    ram: Region { base: Address::new(0x2000_0000), bytes: Bytes::new(256 << 10) },
    interrupts: &[],
    priority_bits: 2,
    mpu_regions: 0,
    systick_reference_divider: None,
    device_id: 0,
    factory: &[],
    full_usarts: &[],
    oscillators: (Hertz::new(48_000_000), Hertz::new(32_000)),
    board: Board { name: "none", hse: None, lse: None, levels: &[] },
    peripherals: &[],
    bus: &[],
};
