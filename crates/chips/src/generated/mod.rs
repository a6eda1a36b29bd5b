//! Tables written by generators; do not edit.

pub(crate) mod litex_vexriscv;
pub(crate) mod mk20dx256;
pub(crate) mod stm32c031c6;
pub(crate) mod stm32f103c8;
pub(crate) mod stm32f446ze;
