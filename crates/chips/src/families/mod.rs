//! The families, one file each.

mod generic;
mod kinetis;
mod lm3s;
mod stm32c0;
mod stm32f1;
mod stm32f4;

pub(crate) use generic::GENERIC;
pub(crate) use kinetis::KINETIS_K20;
pub(crate) use lm3s::LM3S;
pub(crate) use stm32c0::STM32C0;
pub(crate) use stm32f1::STM32F1;
pub(crate) use stm32f4::STM32F446;
