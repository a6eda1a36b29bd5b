//! The crates `ssd1306` and `embedded-graphics` over a HAL of twenty lines on the registers.

use core::convert::Infallible;

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
#[cfg(not(feature = "mode-spi"))]
use embedded_hal::i2c::{ErrorType, I2c, Operation};
#[cfg(feature = "mode-spi")]
use embedded_hal::{
    digital,
    spi::{ErrorType, Operation, SpiDevice},
};
use ssd1306::prelude::*;
use ssd1306::{Ssd1306, mode::DisplayConfig};

use crate::{FRAMES, answered, finish, pac, scene};

/// The bus.
struct Bus;

impl ErrorType for Bus {
    type Error = Infallible;
}

#[cfg(not(feature = "mode-spi"))]
impl I2c for Bus {
    /// The display is written to, never read.
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), Infallible> {
        for operation in operations {
            if let Operation::Write(bytes) = operation {
                pac::i2c::write(address, bytes.len(), bytes.iter().copied());
            }
        }
        Ok(())
    }
}

#[cfg(feature = "mode-spi")]
impl SpiDevice for Bus {
    /// The display is written to, never read.
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        pac::spi::select(true);
        for operation in operations {
            if let Operation::Write(bytes) = operation {
                pac::spi::write(bytes);
            }
        }
        pac::spi::select(false);
        Ok(())
    }
}

/// The display's pin D/C.
#[cfg(feature = "mode-spi")]
struct Dc;

#[cfg(feature = "mode-spi")]
impl digital::ErrorType for Dc {
    type Error = Infallible;
}

#[cfg(feature = "mode-spi")]
impl digital::OutputPin for Dc {
    fn set_low(&mut self) -> Result<(), Infallible> {
        pac::spi::data(false);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        pac::spi::data(true);
        Ok(())
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    cyclescope_boards::raise_clock();
    #[cfg(not(feature = "mode-spi"))]
    let interface = {
        pac::i2c::init(crate::I2C_HZ);
        ssd1306::I2CDisplayInterface::new(Bus)
    };
    #[cfg(feature = "mode-spi")]
    let interface = {
        pac::spi::init();
        SPIInterface::new(Bus, Dc)
    };
    let mut display =
        Ssd1306::new(interface, DisplaySize128x64, DisplayRotation::Rotate0).into_buffered_graphics_mode();
    answered(display.init());
    for frame in 0..FRAMES {
        cyclescope_start();
        answered(scene::draw(&mut display, frame));
        answered(display.flush());
        cyclescope_stop();
    }
    finish()
}
