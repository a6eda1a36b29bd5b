//! Metadata of parts, as tables that the generator writes.

use cyclescope_peripherals::{Instance, Route};

/// A part's memories, interrupts and peripherals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The first address of flash, and its size in bytes.
    pub(crate) flash: (u32, u32),
    /// Flash from its beginning on: bytes, and the bytes that are erased at once in them.
    pub(crate) sectors: &'static [(u32, u32)],
    /// The first address of RAM, and its size in bytes.
    pub(crate) ram: (u32, u32),
    /// Priority bits of the interrupt controller.
    pub(crate) priority_bits: u8,
    /// Interrupt lines by number and name.
    pub(crate) interrupts: &'static [(u8, &'static str)],
    /// The routes of DMA requests that no multiplexer carries.
    pub(crate) routes: &'static [Route],
    /// Pins that the package brings out: a port (0 for A) and one bit a pin.
    pub(crate) pins: &'static [(u8, u32)],
    /// The peripherals, by address.
    pub(crate) peripherals: &'static [Instance],
}
