//! STM32C0 (RM0490, "Memory and bus architecture").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_c0, can, dma_v1, dmamux_v1, exti_c0, flash_c0, gpio_v2, i2c_v2, pwr_c0, rcc_c0, rtc, spi_v3, timer_v3,
    usart_v4, usb_v1,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series};
use crate::part::CortexMModel;

static IO_PORT: TimingRow = TimingRow::documented(
    "bus.io_port",
    "cycles that an access to a port saves: GPIO sits on the core's single-cycle I/O port",
    1,
    "RM0490, System architecture (IOPORT); DDI 0484, table 3-1 (LDR, STR 2 or 1 on the I/O port)",
);

static APB_BRIDGE: TimingRow = TimingRow::assumed(
    "bus.apb_bridge",
    "periods of PCLK of an access over the AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0490, System architecture: bridges connect fully \
             synchronously, from which it is derived that nothing else is added",
);

/// The family.
pub(crate) static STM32C0: Family = Family {
    segments: &[
        Segment::new(0x5000_0000, 0x6000_0000, Lanes::Own, Cost::Saves(&IO_PORT)).with_blocks_to(0x5000_2000),
        Segment::new(0x4000_0000, 0x4002_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4002_0000, 0x5000_0000, Lanes::Own, Cost::None).with_blocks_to(0x4003_0000),
    ],
    // RM0490, "Flash memory organization": system memory.
    factory: 0x1FFF_0000..0x1FFF_8000,
    rows: &[
        adc_c0::ROWS,
        flash_c0::ROWS,
        flash_c0::LIMITS,
        pwr_c0::ROWS,
        rcc_c0::ROWS,
        rtc::ROWS,
        timer_v3::ROWS,
        usart_v4::ROWS,
        spi_v3::ROWS,
        dma_v1::ROWS,
        exti_c0::ROWS,
        gpio_v2::ROWS,
        i2c_v2::ROWS,
        can::ROWS,
        usb_v1::ROWS,
        dmamux_v1::ROWS,
    ],
    flash_rows: flash_c0::READ_ROWS,
    flash_sizes: 2048..0x0010_0000,
    ram_sizes: 1024..0x0004_0000,
    // DS13867, pin assignment and description.
    pads: &[
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
        Pad::new("PWR", "WKUP3", 1, 6),
        Pad::new("PWR", "WKUP4", 0, 2),
        Pad::new("PWR", "WKUP6", 1, 5),
    ],
    // RM0490, "EXTI line connections".
    rtc_lines: [19; 4],
    // RM0490, "Flash memory size data register", "Unique device ID register".
    identity: Some((0x1FFF_75A0, 0x1FFF_7550)),
    ..Family::bare("stm32c0")
};

/// RM0490, "USART implementation": USART1 has the full features, the others the basic ones.
const FULL: &[&str] = &["USART1"];

const fn line(parts: &'static [&'static str], device_id: u32) -> Line {
    Line { full_usarts: FULL, ..Line::new(parts, &STM32C0, CortexMModel::M0Plus, device_id, 48) }
}

/// The product lines. RM0490, DBGMCU_IDCODE: DEV_ID; REV_ID 0x1000. RM0490 counts an MPU among the core's features; DDI 0484:
/// it has eight regions.
pub(crate) static SERIES: Series = Series {
    file: "stm32c0",
    systick_calibration: 0,
    oscillators: (Hertz::new(48_000_000), Hertz::new(32_000)),
    // RM0490, "Unique device ID register": wafer coordinates, lot and wafer of no real die.
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_3059],
    factory: &[
        // RM0490, "Package data register": an arbitrary die of the 48-pin package.
        (0x1FFF_7500, 0x0000_0000),
        // DS13867, calibration values at 3.0 V: TS_CAL1 at 30 degrees, VREFINT_CAL above it; of a sensor and a reference as is
        // typical.
        (0x1FFF_7568, 1_655 << 16 | 1_038),
        // "Option bytes": what FLASH_OPTR holds, as it came from the factory.
        (0x1FFF_7800, 0xFFFF_FEAA),
    ],
    crystal: Hertz::new(48_000_000),
    lines: &[
        line(&["stm32c011"], 0x1000_0443),
        line(&["stm32c031"], 0x1000_0453),
        line(&["stm32c051"], 0x1000_044C),
        line(&["stm32c071"], 0x1000_0493),
        line(&["stm32c091", "stm32c092"], 0x1000_044D),
    ],
};
