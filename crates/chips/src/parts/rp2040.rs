//! RP2040 on the Raspberry Pi Pico (RP-008371-DS, the data sheet; RP-008307-DS, that of the Pico).

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes, Hertz};
use cyclescope_peripherals::rp::oscillators::rosc_frequency;

use crate::families::RP2040;
use crate::generated::rp2040 as table;
use crate::part::{Board, BootRom, Core, CortexM, CortexMModel, OtherRam, Part, Region, Soc};

/// A RAM of its own of `bytes` bytes at `base`.
const fn ram(base: u32, bytes: u64) -> OtherRam {
    OtherRam { region: Region { base: Address::new(base), bytes: Bytes::new(bytes) }, of_main: None }
}

/// The boot ROM, ours (`firmware/rp2040-bootrom`).
static BOOT_ROM: BootRom = BootRom { contents: include_bytes!("../../data/rp2040-bootrom.bin"), second_stage: 256 };

/// The part.
pub(crate) static PART: Part = Part {
    name: Cow::Borrowed("rp2040"),
    description: Cow::Borrowed("Raspberry Pi RP2040 (Cortex-M0+, Pico): 2048 KiB serial flash, 264 KiB RAM, 125 MHz"),
    core: Core::CortexM(CortexM {
        // "Cortex-M0+", "Configuration".
        model: CortexMModel::M0Plus,
        priority_bits: 2,
        mpu_regions: 8,
        bit_band: false,
        systick_reference_divider: None,
        systick_calibration: 0,
        soc: Soc {
            family: &RP2040,
            // W25Q16JV: sectors of 4 KiB.
            sectors: Cow::Borrowed(&[(2048 << 10, 4096)]),
            device_id: 0x2000_2927,
            factory: Cow::Borrowed(&[]),
            full_usarts: &[],
            // The ring oscillator; a low-speed one there is none.
            oscillators: (rosc_frequency(), Hertz::new(1_000_000)),
            peripherals: table::PERIPHERALS,
            left_out: Cow::Borrowed(&[]),
            routes: &[],
            boot: Some(&BOOT_ROM),
        },
    }),
    clock: Hertz::new(125_000_000),
    flash: Region { base: Address::new(0x1000_0000), bytes: Bytes::new(2048 << 10) },
    // Four striped banks of 64 KiB and two banks of 4.
    ram: Region { base: Address::new(0x2000_0000), bytes: Bytes::new(264 << 10) },
    // The memory of the USB device, and the cache's as RAM.
    other_rams: Cow::Borrowed(&[ram(0x5010_0000, 4 << 10), ram(0x1500_0000, 16 << 10)]),
    interrupts: table::INTERRUPTS,
    bonded: &[(Pin::GPIO, 0x3FFF_FFFF)],
    board: Board {
        name: Cow::Borrowed("Raspberry Pi Pico"),
        hse: Some(Hertz::new(12_000_000)),
        lse: None,
        levels: Cow::Borrowed(&[]),
    },
    base: None,
};
