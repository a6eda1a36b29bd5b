//! STM32F446 (RM0390, "System and memory overview").

use cyclescope_machine::TimingRow;
use cyclescope_peripherals::stm32::{
    adc_v2, dac_v2, dma_v2, exti_v1, flash_f4, gpio_v2, i2c_v1, i2c_v2, pwr_f4, rcc_f4, rtc, spi_v1, timer_v3, usart_v1,
};

use crate::family::{Cost, Family, Lanes, Pad, Segment};

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

/// The family.
pub(crate) static STM32F446: Family = Family {
    segments: &[
        Segment::new(0x4002_0000, 0x4008_0000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0x4000_0000, 0x4001_0000, Lanes::Spread, Cost::Apb1(&APB_BRIDGE)),
        Segment::new(0x4001_0000, 0x4002_0000, Lanes::Spread, Cost::Apb2(&APB_BRIDGE)),
        Segment::new(0x5000_0000, 0x5006_1000, Lanes::Own, Cost::Adds(&AHB)),
        Segment::new(0xA000_0000, 0xA000_2000, Lanes::Own, Cost::Adds(&AHB)),
        // DBGMCU, on the core's external private peripheral bus (RM0390, "MCU debug component").
        Segment::new(0xE004_2000, 0xE004_2400, Lanes::Own, Cost::None),
    ],
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
    ],
    flash_rows: flash_f4::READ_ROWS,
    flash_sizes: 16_384..0x0010_0001,
    // SRAM1 and SRAM2 (RM0390, "Embedded SRAM").
    ram_slaves: &[112 * 1024],
    ram_sizes: 1024..0x0004_0000,
    // DS10693, pin definitions.
    pads: &[
        Pad::new("RTC", "RTC_AF1", 2, 13),
        Pad::new("RTC", "RTC_AF2", 0, 0),
        Pad::new("RTC", "RTC_OUT", 2, 13),
        Pad::new("PWR", "WKUP1", 0, 0),
        Pad::new("PWR", "WKUP2", 2, 13),
    ],
    ..Family::bare("stm32f446")
};
