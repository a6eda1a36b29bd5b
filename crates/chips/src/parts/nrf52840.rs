//! nRF52840 on Nordic's development kit nRF52840 DK (4413_417, the product specification).

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::NRF52;
use crate::generated::nrf52840 as table;
use crate::part::{Board, Core, CortexM, CortexMModel, OtherRam, Part, Region, Soc};

/// Buttons 1 to 4, low when pressed; the part's pull-ups hold them high, which programs switch on (PCA10056).
const BUTTONS: &[(Pin, bool)] = &[];

/// The words of FICR ("FICR — Factory information configuration registers"). Identity, keys and trimming are model data, those
/// of no real die.
const FICR: &[(u32, u32)] = &[
    // CODEPAGESIZE, CODESIZE in pages.
    (0x1000_0010, 4096),
    (0x1000_0014, 256),
    // DEVICEID, ER, IR.
    (0x1000_0060, 0x4359_434C),
    (0x1000_0064, 0x5282_0840),
    (0x1000_0080, 0x4553_434F),
    (0x1000_0084, 0x5045_4E52),
    (0x1000_0088, 0x4635_3238),
    (0x1000_008C, 0x3430_4552),
    (0x1000_0090, 0x4553_434F),
    (0x1000_0094, 0x5045_4E52),
    (0x1000_0098, 0x4635_3238),
    (0x1000_009C, 0x3430_4952),
    // DEVICEADDRTYPE (random), DEVICEADDR.
    (0x1000_00A0, 0xFFFF_FFFF),
    (0x1000_00A4, 0x4359_434C),
    (0x1000_00A8, 0xFFFF_C045),
    // INFO: PART, VARIANT AAD0, PACKAGE QI, RAM and FLASH in KiB.
    (0x1000_0100, 0x0005_2840),
    (0x1000_0104, 0x4141_4430),
    (0x1000_0108, 0x0000_2004),
    (0x1000_010C, 256),
    (0x1000_0110, 1024),
    // TEMP.A0 to A5, B0 to B5, T0 to T4: the values after reset of TEMP, which programs copy there.
    (0x1000_0404, 0x0000_0326),
    (0x1000_0408, 0x0000_0348),
    (0x1000_040C, 0x0000_03AA),
    (0x1000_0410, 0x0000_040E),
    (0x1000_0414, 0x0000_04BD),
    (0x1000_0418, 0x0000_05A3),
    (0x1000_041C, 0x0000_3FEF),
    (0x1000_0420, 0x0000_3FBE),
    (0x1000_0424, 0x0000_3FBE),
    (0x1000_0428, 0x0000_0012),
    (0x1000_042C, 0x0000_0124),
    (0x1000_0430, 0x0000_027C),
    (0x1000_0434, 0x0000_00E2),
    (0x1000_0438, 0x0000_0000),
    (0x1000_043C, 0x0000_0019),
    (0x1000_0440, 0x0000_003C),
    (0x1000_0444, 0x0000_0050),
];

/// The part.
pub(crate) static PART: Part = Part {
    name: Cow::Borrowed("nrf52840"),
    description: Cow::Borrowed("Nordic nRF52840 (Cortex-M4F, nRF52840 DK): 1024 KiB flash, 256 KiB RAM, 64 MHz"),
    core: Core::CortexM(CortexM {
        // "CPU and support module configuration".
        model: CortexMModel::M4F,
        priority_bits: 3,
        mpu_regions: 8,
        bit_band: false,
        systick_reference_divider: None,
        systick_calibration: 0,
        soc: Soc {
            family: &NRF52,
            // "Flash - non-volatile memory": pages of 4 KiB.
            sectors: Cow::Borrowed(&[(1024 << 10, 4096)]),
            device_id: 0x0005_2840,
            factory: Cow::Borrowed(FICR),
            full_usarts: &[],
            // HFINT and LFRC.
            oscillators: (Hertz::new(64_000_000), Hertz::new(32_768)),
            peripherals: table::PERIPHERALS,
            left_out: Cow::Borrowed(&[]),
            routes: &[],
            boot: None,
        },
    }),
    clock: Hertz::new(64_000_000),
    flash: Region { base: Address::new(0), bytes: Bytes::new(1024 << 10) },
    ram: Region { base: Address::new(0x2000_0000), bytes: Bytes::new(256 << 10) },
    // The same RAM in the code region, for instructions.
    other_rams: Cow::Borrowed(&[OtherRam {
        region: Region { base: Address::new(0x0080_0000), bytes: Bytes::new(256 << 10) },
        of_main: Some(0),
    }]),
    interrupts: table::INTERRUPTS,
    // P0.00 to P0.31, P1.00 to P1.15.
    bonded: &[(Pin::NUMBERED, u32::MAX), (Pin::NUMBERED + 1, 0xFFFF)],
    board: Board {
        name: Cow::Borrowed("nRF52840 DK"),
        hse: Some(Hertz::new(32_000_000)),
        lse: Some(Hertz::new(32_768)),
        levels: Cow::Borrowed(BUTTONS),
    },
    base: None,
};
