//! The families, one file each.

mod generic;
mod stm32c0;
mod stm32f4;

pub(crate) use generic::GENERIC;
pub(crate) use stm32c0::STM32C0;
pub(crate) use stm32f4::STM32F446;
