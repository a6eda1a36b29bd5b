//! Blocks of ST's STM32, one module a version of a block, over the register maps in [`generated`], which
//! `crates/peripherals/generate` writes from the metadata of the crate `stm32-metapac`.

pub mod afio_f1;
pub mod backup_f1;
pub mod can;
mod can_bus;
pub mod can_filters;
pub mod crc_v1;
pub mod crc_v3;
pub mod declared_f1;
pub mod dma;
pub mod dma_v1;
pub mod dma_v2;
pub mod dmamux_v1;
pub mod exti;
pub mod exti_c0;
pub mod exti_v1;
pub mod flash;
pub mod flash_c0;
pub mod flash_f1;
pub mod flash_f4;
#[allow(missing_docs)]
pub mod generated;
pub mod gpio;
pub mod gpio_v1;
pub mod gpio_v2;
pub mod i2c;
mod i2c_shared;
pub mod i2c_v1;
pub mod i2c_v2;
pub mod iwdg_v2;
pub mod pwr_f4;
pub mod rcc;
pub mod rcc_c0;
pub mod rcc_f1;
pub mod rcc_f4;
pub mod sdmmc_v1;
pub mod spi;
mod spi_target;
pub mod spi_v1;
pub mod spi_v3;
pub mod timer_v3;
pub mod usart;
pub mod usart_v1;
pub mod usart_v4;
pub mod wwdg_v2;
