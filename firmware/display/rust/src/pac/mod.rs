//! I2C and SPI on the registers. Functions named `wait_…` do nothing but wait.

#[cfg(not(feature = "mode-spi"))]
#[cfg_attr(feature = "board-stm32c031c6", path = "i2c_v2.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "i2c_v1.rs")]
pub mod i2c;
mod pins;
#[cfg(feature = "mode-spi")]
#[cfg_attr(feature = "board-stm32c031c6", path = "spi_v2.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "spi_v1.rs")]
pub mod spi;
