//! The button's edges, by channel 0 of GPIOTE.
//!
//! Source: the product specification (4413_417), "GPIOTE — GPIO tasks and events".

use cyclescope_boards::register::Register;

use crate::board::BUTTON;

const EVENTS_IN: Register<u32> = register(0x100);
const INTENSET: Register<u32> = register(0x304);
const CONFIG: Register<u32> = register(0x510);

/// The register at `offset`, of channel 0 where there is one for each.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and events of pins touch no memory.
    unsafe { Register::at(0x4000_6000 + offset) }
}

/// Has both edges interrupt.
#[inline(always)]
pub fn start() {
    const EVENT: u32 = 1;
    const TOGGLE: u32 = 3;
    CONFIG.write(EVENT | (BUTTON.number() as u32) << 8 | TOGGLE << 16);
    // Pulling the pin up may have been an edge.
    acknowledge();
    INTENSET.write(1);
}

/// Clears the button's pending edge. Reading it back waits for the slower bus, or the handler could run once too often.
#[inline(always)]
pub fn acknowledge() {
    EVENTS_IN.write(0);
    let _ = EVENTS_IN.read();
}
