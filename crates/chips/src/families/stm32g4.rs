//! STM32G4 (RM0440, "System and memory overview").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_v3, can, cordic, dac_v2, dma_v1, dmamux_v1, exti_v1, flash_g4, gpio_v2, i2c_v2, lptim, pwr_g4, rcc_g4, rng,
    rtc, spi_v3, timer_v3, usart_v4, usb_v1, vrefbuf,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series};
use crate::part::CortexMModel;

static APB_BRIDGE: TimingRow = TimingRow::assumed(
    "bus.apb_bridge",
    "periods of PCLK of an access over an AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0440, System architecture: bridges connect fully \
             synchronously, from which it is derived that nothing else is added",
);

static AHB: TimingRow = TimingRow::assumed(
    "bus.ahb",
    "extra cycles of an access to a block on an AHB, through the bus matrix without contention",
    0,
    "RM0440, System architecture: the bus matrix adds no cycle to a granted access; arbitration is not modelled",
);

/// The family.
pub(crate) static STM32G4: Family = Family {
    segments: &[
        Segment::new(0x4002_0000, 0x4003_0000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0x4800_0000, 0x4800_2000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4001_0000, 0x4002_0000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE)),
        Segment::new(0x5000_0000, 0x5006_1000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0xA000_0000, 0xA000_2000, Lanes::Own, Cost::Adds(&AHB)),
        // DBGMCU, on the core's external private peripheral bus (RM0440, "MCU debug component").
        Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None),
    ],
    // RM0440, "Flash module organization": system memory, OTP, option bytes.
    factory: 0x1FFF_0000..0x2000_0000,
    rows: &[
        rcc_g4::ROWS,
        exti_v1::ROWS,
        timer_v3::ROWS,
        usart_v4::ROWS,
        spi_v3::ROWS,
        dma_v1::ROWS,
        gpio_v2::ROWS,
        i2c_v2::ROWS,
        flash_g4::ROWS,
        flash_g4::BOOST,
        flash_g4::NORMAL,
        flash_g4::LOW,
        pwr_g4::ROWS,
        can::ROWS,
        cordic::ROWS,
        lptim::ROWS,
        rng::ROWS,
        usb_v1::ROWS,
        rtc::ROWS,
        dmamux_v1::ROWS,
        adc_v3::ROWS_G4,
        dac_v2::ROWS_V7,
        vrefbuf::ROWS,
    ],
    flash_rows: flash_g4::READ_ROWS,
    // Pin definitions of the data sheets.
    pads: &[
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
        Pad::new("PWR", "WKUP3", 4, 6),
        Pad::new("PWR", "WKUP4", 0, 2),
        Pad::new("PWR", "WKUP5", 2, 5),
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("TAMP", "TAMP_IN1", 2, 13),
        Pad::new("TAMP", "TAMP_IN2", 0, 0),
        Pad::new("TAMP", "TAMP_IN3", 4, 6),
    ],
    // RM0440, "RNG processing time".
    conditioned_rng: true,
    flash_sizes: 16_384..0x0010_0001,
    ram_sizes: 1024..0x0004_0001,
    // RM0440, "EXTI lines connections".
    rtc_lines: [17, 19, 20, 19],
    supply_lines: &[16, 40, 41],
    // RM0440, "Flash size data register", "Unique device ID register".
    identity: Some((0x1FFF_75E0, 0x1FFF_7590)),
    ..Family::bare("stm32g4")
};

const fn line(parts: &'static [&'static str], device_id: u32) -> Line {
    // RM0440, "USART implementation": USARTs and UARTs have FIFOs.
    let full_usarts = &["USART1", "USART2", "USART3", "UART4", "UART5"];
    Line { full_usarts, ..Line::new(parts, &STM32G4, CortexMModel::M4F, device_id, 170) }
}

/// The product lines. RM0440, DBGMCU_IDCODE: DEV_ID, and the REV_ID of a revision.
pub(crate) static SERIES: Series = Series {
    file: "stm32g4",
    systick_calibration: 0,
    // DS12589: HSI16 16 MHz, LSI 32 kHz.
    oscillators: (Hertz::new(16_000_000), Hertz::new(32_000)),
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_3447],
    // DS12589, calibration values at 3.0 V: TS_CAL1 at 30 degrees, VREFINT_CAL above it, and TS_CAL2 at 110 degrees; of a sensor and a
    // reference as is typical.
    factory: &[(0x1FFF_75A8, 1_655 << 16 | 1_038), (0x1FFF_75C8, 1_311 << 16)],
    crystal: Hertz::new(8_000_000),
    lines: &[
        line(&["stm32g411", "stm32g431", "stm32g441"], 0x2003_0468),
        line(&["stm32g414", "stm32g471", "stm32g473", "stm32g474", "stm32g483", "stm32g484"], 0x2003_0469),
        line(&["stm32g491", "stm32g4a1"], 0x1000_0479),
    ],
};
