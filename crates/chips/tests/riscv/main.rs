//! RISC-V parts with code in them: what their peripherals do, and when.

#[path = "../../../riscv/tests/common/asm.rs"]
#[allow(dead_code)] // The core's own tests use the rest.
mod asm;
mod described;
mod litex;
mod machine;
mod robustness;
mod small;
mod virt;
