//! nRF52840 DK: 64 MHz from its crystal of 32 MHz, and the cache in front of flash.
//!
//! Source: the product specification (4413_417), "CLOCK — Clock control", "NVMC — Non-volatile memory controller". The few
//! registers that it takes are named here: a crate of all would stand in the lock file of each project that has a board.

use crate::register::Register;

/// The processor clock, in hertz, whatever its source.
pub const CORE_HZ: u32 = 64_000_000;

const CLOCK_TASKS_HFCLKSTART: Register<u32> = register(0x4000_0000);
const CLOCK_EVENTS_HFCLKSTARTED: Register<u32> = register(0x4000_0100);
const NVMC_ICACHECNF: Register<u32> = register(0x4001_E540);

/// A register of the blocks that this file names.
const fn register(address: usize) -> Register<u32> {
    // SAFETY: the addresses are the manual's, and neither oscillators nor the cache change memory.
    unsafe { Register::at(address) }
}

/// Starts the crystal, since the oscillator of reset is exact to a few per cent only; then switches the cache on, which is off
/// after reset.
pub fn raise_clock() {
    CLOCK_EVENTS_HFCLKSTARTED.write(0);
    CLOCK_TASKS_HFCLKSTART.write(1);
    while CLOCK_EVENTS_HFCLKSTARTED.read() == 0 {}
    NVMC_ICACHECNF.write(1);
}
