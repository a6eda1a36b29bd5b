//! STM32C031C6 on the Nucleo-C031C6 (RM0490, DS13867, UM2953).

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::STM32C0;
use crate::generated::stm32c031c6::TABLE;
use crate::part::{Board, Core, CortexM, CortexMModel, Part, Region, Soc};

/// The part.
pub(crate) static PART: Part = Part {
    name: Cow::Borrowed("stm32c031c6"),
    description: Cow::Borrowed("ST STM32C031C6 (Cortex-M0+): 32 KiB flash, 12 KiB RAM, 48 MHz"),
    core: Core::CortexM(CortexM {
        model: CortexMModel::M0Plus,
        priority_bits: TABLE.priority_bits,
        // RM0490 counts an MPU among the core's features; DDI 0484: it has eight regions.
        mpu_regions: 8,
        // RM0490, "SysTick": the RCC feeds its external clock with HCLK / 8.
        systick_reference_divider: Some(8),
        systick_calibration: 0,
        soc: Soc {
            family: &STM32C0,
            sectors: TABLE.sectors,
            // RM0490, DBGMCU_IDCODE: DEV_ID 0x453 is STM32C031; REV_ID 0x1000.
            device_id: 0x1000_0453,
            factory: Cow::Borrowed(&[
                // RM0490, "Package data register": an arbitrary die of the 48-pin package.
                (0x1FFF_7500, 0x0000_0000),
                // "Unique device ID register": wafer coordinates, lot and wafer of no real die.
                (0x1FFF_7550, 0x0001_0002),
                (0x1FFF_7554, 0x4353_4303),
                (0x1FFF_7558, 0x3030_3059),
                // DS13867, calibration values at 3.0 V: TS_CAL1 at 30 degrees, VREFINT_CAL above it; of a sensor and a reference as is
                // typical.
                (0x1FFF_7568, 1_655 << 16 | 1_038),
                // "Flash memory size data register": 32 KiB.
                (0x1FFF_75A0, 0xFFFF_0020),
                // "Option bytes": what FLASH_OPTR holds, as it came from the factory.
                (0x1FFF_7800, 0xFFFF_FEAA),
            ]),
            // RM0490, "USART implementation": USART1 has the full features, USART2 the basic ones.
            full_usarts: &["USART1"],
            oscillators: (Hertz::new(48_000_000), Hertz::new(32_000)),
            peripherals: TABLE.peripherals,
            left_out: Cow::Borrowed(&[]),
            routes: TABLE.routes,
        },
    }),
    clock: Hertz::new(48_000_000),
    flash: Region { base: Address::new(TABLE.flash.0), bytes: Bytes::new(TABLE.flash.1 as u64) },
    ram: Region { base: Address::new(TABLE.ram.0), bytes: Bytes::new(TABLE.ram.1 as u64) },
    interrupts: TABLE.interrupts,
    bonded: TABLE.pins,
    // UM2953: HSE 48 MHz and LSE 32.768 kHz; the user button B1 on PC13 is low when pressed.
    board: Board {
        name: Cow::Borrowed("Nucleo-C031C6"),
        hse: Some(Hertz::new(48_000_000)),
        lse: Some(Hertz::new(32_768)),
        levels: Cow::Borrowed(&[(Pin { port: 2, number: 13 }, true)]),
    },
    base: None,
};
