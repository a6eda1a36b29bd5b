//! STM32F446 on the Nucleo-144 and the Nucleo-64 (RM0390, DS10693, UM1974, UM1724).

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::STM32F446;
use crate::generated::stm32f446ze::TABLE;
use crate::part::{Board, Core, CortexM, CortexMModel, Part, Region, Soc};

/// A part of the family on a board whose user button rests at `button`.
const fn part(
    name: &'static str,
    description: &'static str,
    board: &'static str,
    levels: &'static [(Pin, bool)],
    left_out: &'static [&'static str],
    bonded: &'static [(u8, u32)],
) -> Part {
    Part {
        name: Cow::Borrowed(name),
        description: Cow::Borrowed(description),
        core: Core::CortexM(CortexM {
            model: CortexMModel::M4F,
            priority_bits: TABLE.priority_bits,
            // RM0390, "Memory protection unit": eight regions.
            mpu_regions: 8,
            // RM0390, "System timer (SysTick)": the RCC feeds its external clock with HCLK / 8.
            systick_reference_divider: Some(8),
            systick_calibration: 0,
            soc: Soc {
                family: &STM32F446,
                sectors: TABLE.sectors,
                // RM0390, DBGMCU_IDCODE: DEV_ID 0x421; REV_ID 0x1000 is revision A.
                device_id: 0x1000_0421,
                factory: Cow::Borrowed(&[
                    // RM0390, "Unique device ID register": wafer coordinates, lot and wafer of no real die.
                    (0x1FFF_7A10, 0x0001_0002),
                    (0x1FFF_7A14, 0x4353_4303),
                    (0x1FFF_7A18, 0x3030_3059),
                    // "Flash size": 512 KiB, in the upper half of the word at 0x1FFF7A20.
                    (0x1FFF_7A20, 0x0200_FFFF),
                    // DS10693, "Internal reference voltage" and "Temperature sensor" calibration values: VREFIN_CAL at 3.3 V, 1.21 V
                    // as is typical; TS_CAL1 at 30 degrees and TS_CAL2 at 110, of a sensor as is typical.
                    (0x1FFF_7A28, 1_502 << 16 | 0xFFFF),
                    (0x1FFF_7A2C, 1_207 << 16 | 959),
                ]),
                full_usarts: &[],
                // DS10693: HSI 16 MHz, LSI 32 kHz.
                oscillators: (Hertz::new(16_000_000), Hertz::new(32_000)),
                peripherals: TABLE.peripherals,
                left_out: Cow::Borrowed(left_out),
                routes: TABLE.routes,
            },
        }),
        clock: Hertz::new(180_000_000),
        flash: Region { base: Address::new(TABLE.flash.0), bytes: Bytes::new(TABLE.flash.1 as u64) },
        ram: Region { base: Address::new(TABLE.ram.0), bytes: Bytes::new(TABLE.ram.1 as u64) },
        interrupts: TABLE.interrupts,
        bonded,
        // UM1974, UM1724: HSE is the 8 MHz clock of the board's ST-LINK; LSE is a crystal.
        board: Board {
            name: Cow::Borrowed(board),
            hse: Some(Hertz::new(8_000_000)),
            lse: Some(Hertz::new(32_768)),
            levels: Cow::Borrowed(levels),
        },
        base: None,
    }
}

/// The 144-pin part. UM1974: the user button on PC13 is high when pressed.
pub(crate) static ZE: Part = part(
    "stm32f446ze",
    "ST STM32F446ZE (Cortex-M4 with FPU): 512 KiB flash, 128 KiB RAM, 180 MHz",
    "Nucleo-F446ZE",
    &[(Pin { port: 2, number: 13 }, false)],
    &[],
    TABLE.pins,
);

/// The 64-pin part. UM1724: the user button on PC13 is low when pressed. DS10693: ports E to G and what only they reach
/// are not bonded out; the ports themselves are there, but for the external memory's controller.
pub(crate) static RE: Part = part(
    "stm32f446re",
    "ST STM32F446RE (Cortex-M4 with FPU): 512 KiB flash, 128 KiB RAM, 180 MHz",
    "Nucleo-F446RE",
    &[(Pin { port: 2, number: 13 }, true)],
    &["FMC"],
    // DS10693, LQFP64: PB11 gave way to VCAP_1; of port D there is PD2, of port H the oscillator's two.
    &[(0, 0xFFFF), (1, 0xF7FF), (2, 0xFFFF), (3, 0x0004), (7, 0x0003)],
);
