//! The parts, one file each; cores alone share one.

mod atmega;
mod generic;
mod mk20dx256;
mod riscv;
mod stm32c031c6;
mod stm32f103c8;
mod stm32f446;

use crate::Part;

/// All of them, in the order in which they are listed.
pub(crate) static ALL: &[&Part] = &[
    &generic::CORTEX_M0PLUS,
    &generic::CORTEX_M3,
    &generic::CORTEX_M4,
    &stm32c031c6::PART,
    &stm32f103c8::PART,
    &stm32f446::ZE,
    &stm32f446::RE,
    &mk20dx256::PART,
    &atmega::ATMEGA328P,
    &atmega::ATMEGA32U4,
    &riscv::IBEX,
    &riscv::PICORV32,
    &riscv::VIRT,
    &riscv::LITEX_VEXRISCV,
];
