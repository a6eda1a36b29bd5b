//! The boards: the serial port, what must be set up, and what of the address space is code.

#[cfg(feature = "board-ibex")]
mod ibex;
#[cfg(feature = "board-litex-vexriscv")]
mod litex_vexriscv;
#[cfg(feature = "board-stm32f446ze")]
mod stm32f446ze;

#[cfg(feature = "board-ibex")]
pub use ibex::{CODE, PROCESS, Serial, drain, protect, start};
#[cfg(feature = "board-litex-vexriscv")]
pub use litex_vexriscv::{CODE, PROCESS, Serial, drain, protect, start};
#[cfg(feature = "board-stm32f446ze")]
pub use stm32f446ze::{CODE, PROCESS, Serial, drain, protect, start};
