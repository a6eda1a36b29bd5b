//! Parts with a RISC-V core: what they are, as data, and their peripherals.
//!
//! [`RiscvDevices`] is to such a part what [`Devices`](crate::Devices) is to one of a vendor's microcontrollers: one type for
//! all of them, over the blocks of [`cyclescope_peripherals::riscv`].

mod devices;
mod litex_bus;
mod part;
mod parts;

pub use devices::{Interconnect, RiscvDevices};
pub use litex_bus::{LITEX_BURSTING, LITEX_BUS, LITEX_SDRAM, LITEX_SDRAM_BURSTING};
pub use part::{Hole, RiscvPart};
pub use parts::{IBEX, LITEX_VEXRISCV, PICORV32, VIRT, VIRT_SMEPMP};
