//! Teensy 3.2, an MK20DX256: 96 MHz from its 16 MHz crystal, as that board's own software runs it.
//!
//! Source: K20P64M72SF1RM, "Watchdog Timer", "Multipurpose Clock Generator", "System Integration Module".

mod register;
mod uart;

use core::arch::global_asm;

use self::register::Register;
pub use self::uart::Uart;

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 96_000_000;

const SIM_CLKDIV1: Register<u32> = register(0x4004_8044);
const MCG_C1: Register<u8> = register(0x4006_4000);
const MCG_C2: Register<u8> = register(0x4006_4001);
const MCG_C5: Register<u8> = register(0x4006_4004);
const MCG_C6: Register<u8> = register(0x4006_4005);
const MCG_S: Register<u8> = register(0x4006_4006);
const OSC_CR: Register<u8> = register(0x4006_5000);

/// A register of the modules that this file names.
const fn register<T: Copy>(address: usize) -> Register<T> {
    // SAFETY: the addresses are the manual's, and clocks touch no memory.
    unsafe { Register::at(address) }
}

// Switches the watchdog off: it is on after reset and bites unless it is unlocked within 256 bus clocks, which is sooner
// than RAM is initialised, so it is done in cortex-m-rt's function for what comes first. There the language has no
// ground yet; hence assembly. The second word must follow the first within 20 bus clocks, and the settings open one
// after it. All but WDOGEN stays as reset leaves it ("Unlocking and updating the watchdog").
global_asm!(
    ".section .text.__pre_init, \"ax\", %progbits",
    ".global __pre_init",
    ".type __pre_init, %function",
    ".thumb_func",
    "__pre_init:",
    "movw r0, #0x2000",
    "movt r0, #0x4005",
    "movw r1, #0xC520",
    "movw r2, #0xD928",
    "movw r3, #0x01D2",
    "strh r1, [r0, #0x0E]",
    "strh r2, [r0, #0x0E]",
    "nop",
    "nop",
    "strh r3, [r0]",
    "bx lr",
    ".size __pre_init, . - __pre_init",
    ".text",
);

/// FEI to FBE to PBE to PEE: 16 MHz / 4 * 24; core 96, bus 48, flash 24 MHz. The flash's cache and prefetch are on
/// after reset and stay so.
pub fn raise_clock() {
    const CRYSTAL_SELECTED: u8 = 1 << 1;
    const INTERNAL_REFERENCE: u8 = 1 << 4;
    const PLL_SELECTED: u8 = 1 << 5;
    const LOCKED: u8 = 1 << 6;
    const CLOCK: u8 = 3 << 2;
    const CLOCK_IS_EXTERNAL: u8 = 2 << 2;
    const CLOCK_IS_PLL: u8 = 3 << 2;

    // The crystal's load, 10 pF, before it starts.
    OSC_CR.write(1 << 7 | 1 << 3 | 1 << 1);
    // A crystal of 8 to 32 MHz, at low power.
    MCG_C2.write(2 << 4 | 1 << 2);
    // The crystal itself as the clock; 16 MHz / 512 is within what the FLL takes.
    MCG_C1.write(2 << 6 | 4 << 3);
    while MCG_S.read() & CRYSTAL_SELECTED == 0 {}
    while MCG_S.read() & INTERNAL_REFERENCE != 0 {}
    while MCG_S.read() & CLOCK != CLOCK_IS_EXTERNAL {}

    // The PLL wants 2 to 4 MHz.
    MCG_C5.write(3);
    MCG_C6.write(1 << 6);
    while MCG_S.read() & PLL_SELECTED == 0 {}
    while MCG_S.read() & LOCKED == 0 {}

    // Core 1, bus 2, FlexBus 2, flash 4: before the PLL is the clock.
    SIM_CLKDIV1.write(1 << 24 | 1 << 20 | 3 << 16);
    MCG_C1.write(4 << 3);
    while MCG_S.read() & CLOCK != CLOCK_IS_PLL {}
}
