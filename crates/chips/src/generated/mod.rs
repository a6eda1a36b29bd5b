//! Tables written by generators; do not edit.

pub(crate) mod esp32;
pub(crate) mod esp8266;
pub(crate) mod litex_vexriscv;
pub(crate) mod mk20dx256;
pub(crate) mod nrf52840;
pub(crate) mod rp2040;
