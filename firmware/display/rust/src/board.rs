//! The display's interface by embassy-stm32: I2C1 on PB8 and PB9, or SPI1 on PA5 and PA7 with chip select PA4 and D/C PA3.

use embassy_stm32::Config;
#[cfg(feature = "mode-spi")]
use embassy_stm32::gpio::{Level, Output, Speed};
#[cfg(not(feature = "mode-spi"))]
use embassy_stm32::i2c;
#[cfg(feature = "embassy-dma")]
use embassy_stm32::mode::Async as Mode;
#[cfg(not(feature = "embassy-dma"))]
use embassy_stm32::mode::Blocking as Mode;
#[cfg(feature = "mode-spi")]
use embassy_stm32::spi::{self, Spi, mode::Master};
use embassy_stm32::time::Hertz;
#[cfg(feature = "embassy-dma")]
use embassy_stm32::{bind_interrupts, dma, peripherals};
#[cfg(feature = "mode-spi")]
use embedded_hal_bus::spi::{ExclusiveDevice, NoDelay};
use ssd1306::prelude::*;

#[cfg_attr(feature = "board-stm32c031c6", path = "clock/stm32c031c6.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "clock/stm32f446ze.rs")]
mod clock;

/// The channel that sends, and the one that the HAL wants for receiving.
#[cfg(all(feature = "embassy-dma", feature = "board-stm32c031c6"))]
mod channels {
    use super::*;

    bind_interrupts!(
        pub struct Irqs {
            #[cfg(not(feature = "mode-spi"))]
            I2C1 => i2c::EventInterruptHandler<peripherals::I2C1>, i2c::ErrorInterruptHandler<peripherals::I2C1>;
            DMA1_CHANNEL1 => dma::InterruptHandler<peripherals::DMA1_CH1>;
            DMA1_CHANNEL2_3 => dma::InterruptHandler<peripherals::DMA1_CH2>;
        }
    );
}

#[cfg(all(feature = "embassy-dma", feature = "board-stm32f446ze"))]
mod channels {
    use super::*;

    bind_interrupts!(
        pub struct Irqs {
            #[cfg(not(feature = "mode-spi"))]
            I2C1_EV => i2c::EventInterruptHandler<peripherals::I2C1>;
            #[cfg(not(feature = "mode-spi"))]
            I2C1_ER => i2c::ErrorInterruptHandler<peripherals::I2C1>;
            #[cfg(not(feature = "mode-spi"))]
            DMA1_STREAM6 => dma::InterruptHandler<peripherals::DMA1_CH6>;
            #[cfg(not(feature = "mode-spi"))]
            DMA1_STREAM0 => dma::InterruptHandler<peripherals::DMA1_CH0>;
            #[cfg(feature = "mode-spi")]
            DMA2_STREAM3 => dma::InterruptHandler<peripherals::DMA2_CH3>;
        }
    );
}

/// The display's interface on I2C.
#[cfg(not(feature = "mode-spi"))]
pub fn interface() -> I2CInterface<i2c::I2c<'static, Mode, i2c::mode::Master>> {
    let mut config = Config::default();
    clock::configure(&mut config.rcc);
    let p = embassy_stm32::init(config);
    let mut config = i2c::Config::default();
    config.frequency = Hertz(crate::I2C_HZ);
    #[cfg(not(feature = "embassy-dma"))]
    let bus = i2c::I2c::new_blocking(p.I2C1, p.PB8, p.PB9, config);
    #[cfg(all(feature = "embassy-dma", feature = "board-stm32c031c6"))]
    let bus = i2c::I2c::new(p.I2C1, p.PB8, p.PB9, p.DMA1_CH1, p.DMA1_CH2, channels::Irqs, config);
    #[cfg(all(feature = "embassy-dma", feature = "board-stm32f446ze"))]
    let bus = i2c::I2c::new(p.I2C1, p.PB8, p.PB9, p.DMA1_CH6, p.DMA1_CH0, channels::Irqs, config);
    ssd1306::I2CDisplayInterface::new(bus)
}

/// The display's interface on SPI: PCLK / 8 or / 16, as the display takes 10 MHz at most.
#[cfg(feature = "mode-spi")]
pub fn interface()
-> SPIInterface<ExclusiveDevice<Spi<'static, Mode, Master>, Output<'static>, NoDelay>, Output<'static>> {
    let mut config = Config::default();
    clock::configure(&mut config.rcc);
    let p = embassy_stm32::init(config);
    let mut config = spi::Config::default();
    config.frequency = Hertz(6_000_000);
    #[cfg(not(feature = "embassy-dma"))]
    let bus = Spi::new_blocking_txonly(p.SPI1, p.PA5, p.PA7, config);
    #[cfg(all(feature = "embassy-dma", feature = "board-stm32c031c6"))]
    let bus = Spi::new_txonly(p.SPI1, p.PA5, p.PA7, p.DMA1_CH1, channels::Irqs, config);
    #[cfg(all(feature = "embassy-dma", feature = "board-stm32f446ze"))]
    let bus = Spi::new_txonly(p.SPI1, p.PA5, p.PA7, p.DMA2_CH3, channels::Irqs, config);
    let select = Output::new(p.PA4, Level::High, Speed::VeryHigh);
    let dc = Output::new(p.PA3, Level::High, Speed::VeryHigh);
    let Ok(device) = ExclusiveDevice::new_no_delay(bus, select);
    SPIInterface::new(device, dc)
}
