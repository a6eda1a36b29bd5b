//! The families, one file each.

mod esp;
mod generic;
mod kinetis;
mod lm3s;
mod nrf52;
mod rp2040;
mod stm32c0;
mod stm32f1;
mod stm32f4;
mod stm32g0;
mod stm32g4;
mod stm32l4;

pub(crate) use esp::{ESP32, ESP8266};
pub(crate) use generic::GENERIC;
pub(crate) use kinetis::KINETIS_K20;
pub(crate) use lm3s::LM3S;
pub(crate) use nrf52::NRF52;
pub(crate) use rp2040::RP2040;

use crate::family::Series;

/// The families whose parts are packed metadata.
pub(crate) static SERIES: [&Series; 7] = [
    &stm32c0::SERIES,
    &stm32f1::SERIES,
    &stm32f4::SERIES,
    &stm32g0::SERIES,
    &stm32g4::SERIES,
    &stm32l4::SERIES,
    &stm32l4::PLUS,
];
