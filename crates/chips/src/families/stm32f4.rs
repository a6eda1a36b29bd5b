//! STM32F4 (RM0090, RM0368, RM0383, RM0386, RM0390, RM0401, RM0402, RM0430, "System and memory overview").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_v2, dac_v2, dma_v2, exti_v1, flash_f4, gpio_v2, i2c_v1, i2c_v2, lptim, pwr_f4, rcc_f4, rng, rtc, spi_v1,
    timer_v3, usart_v1,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series};
use crate::part::CortexMModel;

static APB_BRIDGE: TimingRow = TimingRow::assumed(
    "bus.apb_bridge",
    "periods of PCLK of an access over an AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0390, System architecture: bridges connect fully \
             synchronously, from which it is derived that nothing else is added; the one AHB cycle of bus synchronisation in AN4031, DMA transfer time, is read as the wait for PCLK",
);

static AHB: TimingRow = TimingRow::assumed(
    "bus.ahb",
    "extra cycles of an access to a block on AHB1, AHB2 or AHB3, through the bus matrix without contention",
    0,
    "RM0390, System architecture: the bus matrix adds no cycle to a granted access; arbitration is not modelled",
);

/// STM32F446. RM0390, "Embedded SRAM": SRAM1 and SRAM2.
pub(crate) static STM32F446: Family = Family { name: "stm32f446", ram_slaves: &[112 * 1024], ..BASE };

/// STM32F405 to F417. RM0090, "Embedded SRAM": SRAM1 and SRAM2.
static STM32F405: Family = Family { name: "stm32f405", ram_slaves: &[112 * 1024], ..BASE };

/// STM32F427 to F439. RM0090, "Embedded SRAM": SRAM1 to SRAM3.
static STM32F42X: Family = Family { name: "stm32f42x", ram_slaves: &[112 * 1024, 128 * 1024], ..BASE };

/// STM32F469 and F479. RM0386, "Embedded SRAM": SRAM1 to SRAM3.
static STM32F469: Family = Family { name: "stm32f469", ram_slaves: &[160 * 1024, 192 * 1024], ..BASE };

/// Parts with one SRAM (RM0368, RM0383, RM0401, RM0402, "Embedded SRAM").
static STM32F41X: Family = Family { name: "stm32f41x", ..BASE };

/// STM32F413 and F423. RM0430, "Embedded SRAM": SRAM1 and SRAM2.
static STM32F413: Family = Family { name: "stm32f413", ram_slaves: &[256 * 1024], ..BASE };

/// STM32F410. RM0401, "Memory map": the RNG lies above the other blocks of its AHB.
static STM32F410: Family = Family {
    name: "stm32f410",
    segments: &{
        let mut segments = SEGMENTS;
        segments[0] = Segment::new(0x4002_0000, 0x4008_0400, Lanes::Own, Cost::Adds(&AHB));
        segments
    },
    ..BASE
};

const SEGMENTS: [Segment; 6] = [
    Segment::new(0x4002_0000, 0x4008_0000, Lanes::Own, Cost::Adds(&AHB)),
    Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
    Segment::new(0x4001_0000, 0x4002_0000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE)),
    Segment::new(0x5000_0000, 0x5006_1000, Lanes::Own, Cost::Adds(&AHB)),
    Segment::new(0xA000_0000, 0xA000_2000, Lanes::Own, Cost::Adds(&AHB)),
    // DBGMCU, on the core's external private peripheral bus (RM0390, "MCU debug component").
    Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None),
];

const BASE: Family = Family {
    segments: &SEGMENTS,
    // RM0390, "Flash module organization": system memory, OTP, unique id and flash size.
    factory: 0x1FFF_0000..0x1FFF_8000,
    rows: &[
        adc_v2::ROWS,
        dac_v2::ROWS,
        flash_f4::ROWS,
        rcc_f4::ROWS,
        rtc::ROWS,
        pwr_f4::ROWS,
        timer_v3::ROWS,
        usart_v1::ROWS,
        i2c_v1::ROWS,
        i2c_v2::ROWS,
        spi_v1::ROWS,
        dma_v2::ROWS,
        exti_v1::ROWS,
        gpio_v2::ROWS,
        lptim::ROWS,
        rng::ROWS,
    ],
    flash_rows: flash_f4::READ_ROWS,
    flash_sizes: 16_384..0x0020_0001,
    ram_sizes: 1024..0x0008_0001,
    // DS10693, pin definitions.
    pads: &[
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_AF2", 0, 0),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
    ],
    // RM0390 and RM0090, "Flash size", "Unique device ID register".
    identity: Some((0x1FFF_7A22, 0x1FFF_7A10)),
    ..Family::bare("stm32f4")
};

const fn line(parts: &'static [&'static str], family: &'static Family, device_id: u32, megahertz: u64) -> Line {
    Line::new(parts, family, CortexMModel::M4F, device_id, megahertz)
}

/// The product lines. DBGMCU_IDCODE of each reference manual: DEV_ID, and the REV_ID of a revision. RM0390, "Memory protection
/// unit": eight regions.
pub(crate) static SERIES: Series = Series {
    file: "stm32f4",
    systick_calibration: 0,
    // DS10693: HSI 16 MHz, LSI 32 kHz.
    oscillators: (Hertz::new(16_000_000), Hertz::new(32_000)),
    // RM0390, "Unique device ID register": wafer coordinates, lot and wafer of no real die.
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_3059],
    factory: &[
        // DS10693, "Internal reference voltage" and "Temperature sensor" calibration values: VREFIN_CAL at 3.3 V, 1.21 V as is
        // typical; TS_CAL1 at 30 degrees and TS_CAL2 at 110, of a sensor as is typical.
        (0x1FFF_7A28, 1_502 << 16 | 0xFFFF),
        (0x1FFF_7A2C, 1_207 << 16 | 959),
    ],
    crystal: Hertz::new(8_000_000),
    lines: &[
        line(&["stm32f401?b", "stm32f401?c"], &STM32F41X, 0x1000_0423, 84),
        line(&["stm32f401"], &STM32F41X, 0x1000_0433, 84),
        line(&["stm32f405", "stm32f407", "stm32f415", "stm32f417"], &STM32F405, 0x1007_0413, 168),
        line(&["stm32f410"], &STM32F410, 0x1000_0458, 100),
        line(&["stm32f411"], &STM32F41X, 0x1000_0431, 100),
        line(&["stm32f412"], &STM32F41X, 0x1000_0441, 100),
        line(&["stm32f413", "stm32f423"], &STM32F413, 0x1000_0463, 100),
        line(&["stm32f427", "stm32f429", "stm32f437", "stm32f439"], &STM32F42X, 0x2001_0419, 180),
        line(&["stm32f446"], &STM32F446, 0x1000_0421, 180),
        line(&["stm32f469", "stm32f479"], &STM32F469, 0x1000_0434, 180),
    ],
};
