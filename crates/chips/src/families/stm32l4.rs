//! STM32L4 and STM32L4+ (RM0351, RM0394, RM0432, "System and memory overview").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_v3, can, dac_v2, dma_v1, dmamux_v1, exti_v1, flash_l4, gpio_v2, i2c_v2, lptim, pwr_l4, rcc_l4, rng, rtc,
    spi_v3, timer_v3, usart_v4, usb_v1, vrefbuf,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series};
use crate::part::CortexMModel;
use crate::table::TableRam;

static APB_BRIDGE: TimingRow = TimingRow::assumed(
    "bus.apb_bridge",
    "periods of PCLK of an access over an AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0351, System architecture: bridges connect fully \
             synchronously, from which it is derived that nothing else is added",
);

static AHB: TimingRow = TimingRow::assumed(
    "bus.ahb",
    "extra cycles of an access to a block on an AHB, through the bus matrix without contention",
    0,
    "RM0351, System architecture: the bus matrix adds no cycle to a granted access; arbitration is not modelled",
);

const BASE: Family = Family {
    segments: &[
        Segment::new(0x4002_0000, 0x4003_0000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0x4800_0000, 0x4800_2400, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4001_0000, 0x4002_0000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE)),
        Segment::new(0x5000_0000, 0x5006_4000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0xA000_0000, 0xA000_2000, Lanes::Own, Cost::Adds(&AHB)),
        // DBGMCU, on the core's external private peripheral bus (RM0351, "MCU debug component").
        Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None),
    ],
    // RM0351, "Flash memory organization": system memory, OTP, option bytes.
    factory: 0x1FFF_0000..0x2000_0000,
    rows: &[
        rcc_l4::ROWS,
        exti_v1::ROWS,
        timer_v3::ROWS,
        usart_v4::ROWS,
        spi_v3::ROWS,
        dma_v1::ROWS,
        gpio_v2::ROWS,
        i2c_v2::ROWS,
        flash_l4::ROWS,
        flash_l4::NORMAL,
        flash_l4::LOW,
        pwr_l4::ROWS,
        can::ROWS,
        lptim::ROWS,
        rng::ROWS,
        usb_v1::ROWS,
        rtc::ROWS,
        adc_v3::ROWS,
        dac_v2::ROWS_V3,
        vrefbuf::ROWS,
    ],
    flash_rows: flash_l4::READ_ROWS,
    // Pin definitions of the data sheets.
    pads: &[
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
        Pad::new("PWR", "WKUP3", 4, 6),
        Pad::new("PWR", "WKUP4", 0, 2),
        Pad::new("PWR", "WKUP5", 2, 5),
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("RTC", "RTC_AF2", 0, 0),
        Pad::new("RTC", "RTC_AF3", 4, 6),
    ],
    flash_sizes: 16_384..0x0020_0001,
    ram_sizes: 1024..0x000A_0001,
    // RM0351, RM0432, "EXTI lines connections".
    rtc_lines: [18, 19, 20, 19],
    supply_lines: &[16, 35, 36, 37, 38],
    // RM0351, "Flash size data register", "Unique device ID register".
    identity: Some((0x1FFF_75E0, 0x1FFF_7590)),
    ..Family::bare("stm32l4")
};

/// STM32L4.
pub(crate) static STM32L4: Family = Family { ..BASE };

/// STM32L4+.
pub(crate) static STM32L4PLUS: Family = Family {
    name: "stm32l4plus",
    rows: &[
        rcc_l4::ROWS,
        exti_v1::ROWS,
        timer_v3::ROWS,
        usart_v4::ROWS,
        spi_v3::ROWS,
        dma_v1::ROWS,
        dmamux_v1::ROWS,
        gpio_v2::ROWS,
        i2c_v2::ROWS,
        flash_l4::ROWS,
        flash_l4::PLUS_BOOST,
        flash_l4::PLUS_LOW,
        pwr_l4::ROWS,
        can::ROWS,
        lptim::ROWS,
        rng::ROWS,
        usb_v1::ROWS,
        rtc::ROWS,
        adc_v3::ROWS,
        dac_v2::ROWS_V3,
        vrefbuf::ROWS,
    ],
    flash_rows: flash_l4::PLUS_READ_ROWS,
    ..BASE
};

const fn line(parts: &'static [&'static str], device_id: u32) -> Line {
    Line::new(parts, &STM32L4, CortexMModel::M4F, device_id, 80)
}

/// A line of STM32L4+, whose SRAM2 of 64 KiB appears at 0x10000000 as well (RM0432, "SRAM2 address").
const fn plus(parts: &'static [&'static str], device_id: u32, aliases: &'static [TableRam]) -> Line {
    Line { aliases, ..Line::new(parts, &STM32L4PLUS, CortexMModel::M4F, device_id, 120) }
}

const fn sram2(offset: u32) -> TableRam {
    TableRam { address: 0x1000_0000, bytes: 64 << 10, of_main: Some(offset) }
}

/// The product lines of STM32L4. RM0351 and RM0394, DBGMCU_IDCODE: DEV_ID, and the REV_ID of a revision.
pub(crate) static SERIES: Series = Series {
    file: "stm32l4",
    lines: &[
        line(&["stm32l412", "stm32l422"], 0x1001_0464),
        line(&["stm32l431", "stm32l432", "stm32l433", "stm32l442", "stm32l443"], 0x1001_0435),
        line(&["stm32l451", "stm32l452", "stm32l462"], 0x1001_0462),
        line(&["stm32l471", "stm32l475", "stm32l476", "stm32l485", "stm32l486"], 0x1007_0415),
        line(&["stm32l496", "stm32l4a6"], 0x2000_0461),
    ],
    ..COMMON
};

/// The product lines of STM32L4+. RM0432, DBGMCU_IDCODE.
pub(crate) static PLUS: Series = Series {
    file: "stm32l4plus",
    lines: &[
        plus(&["stm32l4p5", "stm32l4q5"], 0x1001_0471, &[sram2(128 << 10)]),
        plus(&["stm32l4r", "stm32l4s"], 0x100F_0470, &[sram2(192 << 10)]),
    ],
    ..COMMON
};

const COMMON: Series = Series {
    file: "",
    systick_calibration: 0,
    // DS10198: HSI16 16 MHz, LSI 32 kHz. MSI, the clock after reset, is the RCC's own.
    oscillators: (Hertz::new(16_000_000), Hertz::new(32_000)),
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_344C],
    // DS11453, calibration values at 3.0 V: TS_CAL1 at 30 degrees, VREFINT_CAL above it, and TS_CAL2 at 130 degrees; of a sensor and a
    // reference as is typical.
    factory: &[(0x1FFF_75A8, 1_655 << 16 | 1_038), (0x1FFF_75C8, 1_379 << 16)],
    crystal: Hertz::new(8_000_000),
    lines: &[],
};
