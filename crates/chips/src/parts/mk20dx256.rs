//! MK20DX256VLH7 on the Teensy 3.2, run at 96 MHz as that board's software does; the part is rated for 72 MHz
//! (K20P64M72SF1RM, K20P64M72SF1).

use std::borrow::Cow;

use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::KINETIS_K20;
use crate::generated::mk20dx256 as table;
use crate::part::{Board, Core, CortexM, CortexMModel, Part, Region, Soc};

/// The part.
pub(crate) static PART: Part = Part {
    name: Cow::Borrowed("mk20dx256"),
    description: Cow::Borrowed("NXP MK20DX256 (Cortex-M4, Teensy 3.2): 256 KiB flash, 64 KiB RAM, 96 MHz"),
    core: Core::CortexM(CortexM {
        model: CortexMModel::M4,
        // "Interrupt priority levels": sixteen.
        priority_bits: 4,
        // Arm's is not there; the part has no other either in this package's documentation.
        mpu_regions: 0,
        bit_band: true,
        // "System Tick Timer": it counts the core clock only.
        systick_reference_divider: None,
        systick_calibration: 0,
        soc: Soc {
            family: &KINETIS_K20,
            // "Program flash": sectors of 2 KiB.
            sectors: Cow::Borrowed(&[(256 << 10, 2048)]),
            device_id: 0,
            factory: Cow::Borrowed(&[]),
            full_usarts: &[],
            // The slow internal reference, and the low-power oscillator of the watchdog.
            oscillators: (Hertz::new(32_768), Hertz::new(1_000)),
            peripherals: table::PERIPHERALS,
            left_out: Cow::Borrowed(&[]),
            routes: &[],
            boot: None,
        },
    }),
    clock: Hertz::new(96_000_000),
    // "System memory map": program flash from 0; SRAM_L and SRAM_U meet at 0x20000000.
    flash: Region { base: Address::new(0), bytes: Bytes::new(256 << 10) },
    ram: Region { base: Address::new(0x1FFF_8000), bytes: Bytes::new(64 << 10) },
    other_rams: Cow::Borrowed(&[]),
    interrupts: table::INTERRUPTS,
    // "Signal multiplexing and pin assignments": the 64-pin package. PTA0 to 5, 12, 13, 18, 19; PTB0 to 3, 16 to 19;
    // PTC0 to 11; PTD0 to 7; PTE0 and 1.
    bonded: &[(0, 0x000C_303F), (1, 0x000F_000F), (2, 0x0FFF), (3, 0x00FF), (4, 0x0003)],
    // A crystal of 16 MHz; that for the clock is not fitted.
    board: Board {
        name: Cow::Borrowed("Teensy 3.2"),
        hse: Some(Hertz::new(16_000_000)),
        lse: None,
        levels: Cow::Borrowed(&[]),
    },
    base: None,
};
