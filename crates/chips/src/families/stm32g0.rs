//! STM32G0 (RM0444, RM0454, "Memory and bus architecture").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_c0, can, dac_v2, dma_v1, dmamux_v1, exti_c0, flash_g0, gpio_v2, i2c_v2, lptim, pwr_g0, rcc_g0, rng, rtc,
    spi_v3, timer_v3, usart_v4, usb_v1, vrefbuf,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series};
use crate::part::CortexMModel;

static IO_PORT: TimingRow = TimingRow::documented(
    "bus.io_port",
    "cycles that an access to a port saves: GPIO sits on the core's single-cycle I/O port",
    1,
    "RM0444, System architecture (IOPORT); DDI 0484, table 3-1 (LDR, STR 2 or 1 on the I/O port)",
);

static APB_BRIDGE: TimingRow = TimingRow::assumed(
    "bus.apb_bridge",
    "periods of PCLK of an access over the AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0444, System architecture: bridges connect fully \
             synchronously, from which it is derived that nothing else is added",
);

/// The family.
pub(crate) static STM32G0: Family = Family {
    segments: &[
        Segment::new(0x5000_0000, 0x6000_0000, Lanes::Own, Cost::Saves(&IO_PORT)).with_blocks_to(0x5000_2000),
        Segment::new(0x4000_0000, 0x4002_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4002_0000, 0x5000_0000, Lanes::Own, Cost::None).with_blocks_to(0x4003_0000),
    ],
    // RM0444, "Flash memory organization": system memory, OTP, engineering bytes, option bytes.
    factory: 0x1FFF_0000..0x1FFF_8000,
    rows: &[
        rcc_g0::ROWS,
        timer_v3::ROWS,
        usart_v4::ROWS,
        spi_v3::ROWS,
        dma_v1::ROWS,
        gpio_v2::ROWS,
        i2c_v2::ROWS,
        flash_g0::ROWS,
        flash_g0::NORMAL,
        flash_g0::LOW,
        pwr_g0::ROWS,
        can::ROWS,
        lptim::ROWS,
        rng::ROWS,
        usb_v1::ROWS,
        exti_c0::ROWS,
        rtc::ROWS,
        dmamux_v1::ROWS,
        adc_c0::ROWS_G0,
        dac_v2::ROWS_V4,
        vrefbuf::ROWS,
    ],
    flash_rows: flash_g0::READ_ROWS,
    // Pin definitions of the data sheets.
    pads: &[
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
        Pad::new("PWR", "WKUP3", 4, 6),
        Pad::new("PWR", "WKUP4", 0, 2),
        Pad::new("PWR", "WKUP5", 2, 5),
        Pad::new("PWR", "WKUP6", 1, 5),
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("TAMP", "TAMP_IN1", 2, 13),
        Pad::new("TAMP", "TAMP_IN2", 0, 0),
    ],
    // RM0444, "RNG processing time".
    conditioned_rng: true,
    flash_sizes: 2048..0x0010_0001,
    ram_sizes: 1024..0x0004_0000,
    // RM0444, "EXTI line connections".
    rtc_lines: [19, 19, 19, 21],
    supply_lines: &[16, 34],
    // RM0444, "Flash memory size data register", "Unique device ID register".
    identity: Some((0x1FFF_75E0, 0x1FFF_7590)),
    ..Family::bare("stm32g0")
};

const fn line(parts: &'static [&'static str], device_id: u32, full_usarts: &'static [&'static str]) -> Line {
    Line { full_usarts, ..Line::new(parts, &STM32G0, CortexMModel::M0Plus, device_id, 64) }
}

/// The product lines. RM0444, DBGMCU_IDCODE: DEV_ID, and the REV_ID of a revision; "USART implementation": ports with full
/// features.
pub(crate) static SERIES: Series = Series {
    file: "stm32g0",
    systick_calibration: 0,
    // DS12232: HSI16 16 MHz, LSI 32 kHz.
    oscillators: (Hertz::new(16_000_000), Hertz::new(32_000)),
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_3047],
    // DS12232, calibration values at 3.0 V: TS_CAL1 at 30 degrees, VREFINT_CAL above it, and TS_CAL2 at 130 degrees; of a sensor and a
    // reference as is typical.
    factory: &[(0x1FFF_75A8, 1_655 << 16 | 1_038), (0x1FFF_75C8, 1_379 << 16)],
    crystal: Hertz::new(8_000_000),
    lines: &[
        line(&["stm32g030", "stm32g031", "stm32g041"], 0x1000_0466, &["USART1"]),
        line(&["stm32g050", "stm32g051", "stm32g061"], 0x1000_0456, &["USART1"]),
        line(&["stm32g070", "stm32g071", "stm32g081"], 0x2000_0460, &["USART1", "USART2"]),
        line(&["stm32g0b0", "stm32g0b1", "stm32g0c1"], 0x1000_0467, &["USART1", "USART2", "USART3"]),
    ],
};
