//! Blocks of small RISC-V systems: what QEMU's `virt` has, what the cores' own example systems have, and LiteX's.
//!
//! Everything here counts the core's clock: these systems have no other, but for the real-time clock of a [`clint`], which
//! is a whole fraction of it. Registers are declared in [`Map`]s; what is declared and not modelled is named as a gap when it
//! is written with something else than zero.

pub mod clint;
mod device;
mod env;
pub mod finisher;
pub mod ibex;
mod instance;
pub mod litex;
pub mod plic;
pub mod uart16550;
pub mod virtio;

pub use device::Device;
pub use env::{Effect, Env, Riscv, Shared, Wires};
pub use instance::{Instance, Kind, Wire};

use crate::{Access, Field, Map, Register, Write};

/// A register of `bits` bits with its fields.
const fn register(name: &'static str, offset: u32, bits: u8, access: Access, fields: &'static [Field]) -> Register {
    Register { name, offset, bits, access, alternate: false, fields }
}

/// The register at `offset`.
fn find(map: &'static Map, offset: u32) -> Option<&'static Register> {
    map.registers.iter().find(|register| register.offset == offset)
}

/// `whole` with its high or low half written.
fn halves(whole: u64, high: bool, write: Write) -> u64 {
    if high {
        u64::from(write.over((whole >> 32) as u32)) << 32 | whole & 0xFFFF_FFFF
    } else {
        whole >> 32 << 32 | u64::from(write.over(whole as u32))
    }
}
