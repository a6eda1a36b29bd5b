//! STM32F1 (RM0008, "System architecture", "Memory map").

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::stm32::{
    adc_f1, dac_v2, dma_v1, exti_v1, flash_f1, gpio_v1, i2c_v1, pwr_f1, rcc_f1, rtc_v1, spi_v1, timer_v3, usart_v1,
};

use crate::family::{Cost, Family, Lanes, Line, Pad, Segment, Series, Unclocked};
use crate::part::CortexMModel;

static APB_BRIDGE: TimingRow = TimingRow::documented(
    "bus.apb_bridge",
    "periods of PCLK of an access over an AHB-to-APB bridge, from PCLK's first edge in its data phase on; the wait for that \
           edge comes before, and the core's own timing has one cycle of HCLK of it all",
    2,
    "IHI 0024, 3.1: a transfer is a setup and an access phase; RM0008, System architecture: bridges connect fully \
             synchronously; DS5319, GPIOs: APB2 ports toggle at up to 18 MHz, a write every two periods of 72 MHz",
);

static AHB: TimingRow = TimingRow::assumed(
    "bus.ahb",
    "extra cycles of an access to a block on the AHB, through the bus matrix without contention",
    0,
    "RM0008, System architecture: the bus matrix adds no cycle to a granted access; arbitration is not modelled",
);

/// GPIO, EXTI, AFIO and the fast timers.
const FAST: Segment = Segment::new(0x4001_0000, 0x4001_8000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE));
const SLOW: Segment = Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE));
/// DBGMCU, on the core's external private peripheral bus (RM0008, "MCU debug component").
const DEBUG: Segment = Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None);

const fn ahb(from: u32, to: u32) -> Segment {
    Segment::new(from, to, Lanes::Own, Cost::Adds(&AHB))
}

const SEGMENTS: &[Segment] = &[FAST, SLOW, ahb(0x4001_8000, 0x4002_4000), DEBUG];
const HIGH_SEGMENTS: &[Segment] = &[FAST, SLOW, ahb(0x4001_8000, 0x4002_4000), DEBUG, ahb(0xA000_0000, 0xA000_1000)];
const CONNECTIVITY_SEGMENTS: &[Segment] =
    &[FAST, SLOW, ahb(0x4001_8000, 0x4003_0000), DEBUG, ahb(0x5000_0000, 0x5004_0000)];

/// Parts of low and medium density.
pub(crate) static STM32F1: Family = Family { ..BASE };

/// Parts of high density: with a controller of external memories.
static HIGH: Family =
    Family { segments: HIGH_SEGMENTS, flash_sizes: 16_384..0x0010_0001, name: "stm32f1-high", ..BASE };

/// The connectivity line: with Ethernet and a USB host.
static CONNECTIVITY: Family =
    Family { segments: CONNECTIVITY_SEGMENTS, flash_sizes: 16_384..0x0010_0001, name: "stm32f105", ..BASE };

/// The value line.
static VALUE: Family = Family { segments: HIGH_SEGMENTS, flash_sizes: 16_384..0x0010_0001, name: "stm32f100", ..BASE };

const BASE: Family = Family {
    segments: SEGMENTS,
    // RM0008, "Flash module organization (medium-density devices)": system memory and option bytes.
    factory: 0x1FFF_F000..0x1FFF_F810,
    rows: &[
        adc_f1::ROWS,
        dac_v2::ROWS_V1,
        flash_f1::ROWS,
        pwr_f1::ROWS,
        rcc_f1::ROWS,
        rtc_v1::ROWS,
        timer_v3::ROWS,
        usart_v1::ROWS,
        spi_v1::ROWS,
        dma_v1::ROWS,
        exti_v1::ROWS,
        gpio_v1::ROWS,
        i2c_v1::ROWS,
    ],
    flash_rows: flash_f1::READ_ROWS,
    flash_sizes: 16_384..0x0002_0001,
    // RM0008, RCC_AHBENR: registers without their clock may not be readable, and give 0.
    unclocked: Unclocked::Zero,
    ram_sizes: 1024..0x0001_8001,
    // DS5319, pin definitions: TAMPER-RTC.
    pads: &[Pad::new("BKP", "TAMPER", 2, 13), Pad::new("RTC", "RTC_OUT", 2, 13), Pad::new("PWR", "WKUP1", 0, 0)],
    // RM0008, "Flash size register", "Unique device ID register".
    identity: Some((0x1FFF_F7E0, 0x1FFF_F7E8)),
    ..Family::bare("stm32f1")
};

/// A line without memory protection: PM0056 describes none, and MPU_TYPE reads 0.
const fn line(parts: &'static [&'static str], family: &'static Family, device_id: u32, megahertz: u64) -> Line {
    Line { mpu_regions: 0, ..Line::new(parts, family, CortexMModel::M3, device_id, megahertz) }
}

/// The product lines, and their densities. RM0008 and RM0041, DBGMCU_IDCODE: DEV_ID of the density, REV_ID of its last revision.
/// The program cannot read it: see `declared_f1::DBGMCU`.
pub(crate) static SERIES: Series = Series {
    file: "stm32f1",
    // RM0008, "SysTick calibration value register": a millisecond of HCLK / 8 at 72 MHz.
    systick_calibration: 9_000,
    // DS5319: HSI 8 MHz, LSI 40 kHz.
    oscillators: (Hertz::new(8_000_000), Hertz::new(40_000)),
    unique_id: [0x0001_0002, 0x4353_4303, 0x3030_3146],
    factory: &[],
    crystal: Hertz::new(8_000_000),
    lines: &[
        line(&["stm32f100?4", "stm32f100?6", "stm32f100?8", "stm32f100?b"], &VALUE, 0x1001_0420, 24),
        line(&["stm32f100"], &VALUE, 0x1001_0428, 24),
        line(&["stm32f101?4", "stm32f101?6"], &STM32F1, 0x1000_0412, 36),
        line(&["stm32f101?8", "stm32f101?b"], &STM32F1, 0x2003_0410, 36),
        line(&["stm32f101?c", "stm32f101?d", "stm32f101?e"], &HIGH, 0x1003_0414, 36),
        Line { mpu_regions: 8, ..line(&["stm32f101"], &HIGH, 0x1003_0430, 36) },
        line(&["stm32f102?4", "stm32f102?6"], &STM32F1, 0x1000_0412, 48),
        line(&["stm32f102"], &STM32F1, 0x2003_0410, 48),
        line(&["stm32f103?4", "stm32f103?6"], &STM32F1, 0x1000_0412, 72),
        line(&["stm32f103?8", "stm32f103?b"], &STM32F1, 0x2003_0410, 72),
        line(&["stm32f103?c", "stm32f103?d", "stm32f103?e"], &HIGH, 0x1003_0414, 72),
        // PM0056, "Memory protection unit": parts of extra density have one.
        Line { mpu_regions: 8, ..line(&["stm32f103"], &HIGH, 0x1003_0430, 72) },
        line(&["stm32f105", "stm32f107"], &CONNECTIVITY, 0x1001_0418, 72),
    ],
};
