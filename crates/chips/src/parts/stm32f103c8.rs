//! STM32F103C8 on the board called Blue Pill (RM0008, DS5319, ES0340).

use std::borrow::Cow;

use cyclescope_machine::units::{Address, Bytes, Hertz};

use crate::families::STM32F1;
use crate::generated::stm32f103c8::TABLE;
use crate::part::{Board, Core, CortexM, CortexMModel, Part, Region, Soc};

/// The part.
pub(crate) static PART: Part = Part {
    name: Cow::Borrowed("stm32f103c8"),
    description: Cow::Borrowed("ST STM32F103C8 (Cortex-M3): 64 KiB flash, 20 KiB RAM, 72 MHz"),
    core: Core::CortexM(CortexM {
        model: CortexMModel::M3,
        priority_bits: TABLE.priority_bits,
        // PM0056 describes none: MPU_TYPE reads 0.
        mpu_regions: 0,
        // RM0008, "SysTick calibration value register": the RCC feeds its external clock with HCLK / 8.
        systick_reference_divider: Some(8),
        // RM0008, "SysTick calibration value register": a millisecond of HCLK / 8 at 72 MHz.
        systick_calibration: 9_000,
        soc: Soc {
            family: &STM32F1,
            sectors: TABLE.sectors,
            // RM0008, DBGMCU_IDCODE: DEV_ID 0x410 is a medium-density part, REV_ID 0x2003 revision X. The program cannot read
            // it: see `declared_f1::DBGMCU`.
            device_id: 0x2003_0410,
            factory: Cow::Borrowed(&[
                // RM0008, "Flash size register": 64 KiB.
                (0x1FFF_F7E0, 0xFFFF_0040),
                // "Unique device ID register": the identity of no real die.
                (0x1FFF_F7E8, 0x0001_0002),
                (0x1FFF_F7EC, 0x4353_4303),
                (0x1FFF_F7F0, 0x3030_3146),
            ]),
            full_usarts: &[],
            // DS5319: HSI 8 MHz, LSI 40 kHz.
            oscillators: (Hertz::new(8_000_000), Hertz::new(40_000)),
            peripherals: TABLE.peripherals,
            left_out: Cow::Borrowed(&[]),
            routes: TABLE.routes,
        },
    }),
    clock: Hertz::new(72_000_000),
    flash: Region { base: Address::new(TABLE.flash.0), bytes: Bytes::new(TABLE.flash.1 as u64) },
    ram: Region { base: Address::new(TABLE.ram.0), bytes: Bytes::new(TABLE.ram.1 as u64) },
    interrupts: TABLE.interrupts,
    bonded: TABLE.pins,
    // HSE 8 MHz, LSE 32.768 kHz; an LED from PC13 to the supply, lit when low.
    board: Board {
        name: Cow::Borrowed("Blue Pill"),
        hse: Some(Hertz::new(8_000_000)),
        lse: Some(Hertz::new(32_768)),
        levels: Cow::Borrowed(&[]),
    },
    base: None,
};
