//! STM32F103, medium density (RM0008, "System architecture", "Memory map").

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::stm32::{
    adc_f1, dma_v1, exti_v1, flash_f1, gpio_v1, i2c_v1, pwr_f1, rcc_f1, rtc_v1, spi_v1, timer_v3, usart_v1,
};

use crate::family::{Cost, Family, Lanes, Pad, Segment, Unclocked};

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

/// The family.
pub(crate) static STM32F1: Family = Family {
    segments: &[
        // GPIO, EXTI, AFIO and the fast timers.
        Segment::new(0x4001_0000, 0x4001_8000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE)),
        Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4001_8000, 0x4002_4000, Lanes::Own, Cost::Adds(&AHB)),
        // DBGMCU, on the core's external private peripheral bus (RM0008, "MCU debug component").
        Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None),
    ],
    // RM0008, "Flash module organization (medium-density devices)": system memory and option bytes.
    factory: 0x1FFF_F000..0x1FFF_F810,
    rows: &[
        adc_f1::ROWS,
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
    ..Family::bare("stm32f1")
};
