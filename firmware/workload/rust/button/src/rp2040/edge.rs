//! The button's edges, by the interrupts of bank 0.
//!
//! Source: the data sheet (RP-008371-DS), "GPIO", interrupts.

use cyclescope_boards::register::Register;

use crate::board::BUTTON;

/// Four bits a pin, eight pins a register: two for levels, then the falling edge's and the rising one's.
const EDGES: u32 = 0xC << (4 * (BUTTON.number() % 8));
const INTR: Register<u32> = register(0x0F0);
const PROC0_INTE: Register<u32> = register(0x100);

/// The register of the button's pin, the first of whose kind is at `offset`.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and events of pins touch no memory.
    unsafe { Register::at(0x4001_4000 + offset + BUTTON.number() / 8 * 4) }
}

/// Has both edges interrupt the first processor.
#[inline(always)]
pub fn start() {
    // Pulling the pin up may have been an edge.
    acknowledge();
    PROC0_INTE.write(EDGES);
}

/// Clears the button's pending edges.
#[inline(always)]
pub fn acknowledge() {
    INTR.write(EDGES);
}
