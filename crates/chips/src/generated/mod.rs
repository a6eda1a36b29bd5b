//! Tables written by `crates/peripherals/generate`; do not edit.

pub(crate) mod stm32c031c6;
