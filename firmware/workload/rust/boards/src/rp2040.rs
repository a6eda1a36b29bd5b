//! Raspberry Pi Pico: the second stage of its start, and 125 MHz from its crystal of 12 MHz.
//!
//! Source: the data sheet (RP-008371-DS), "Flash Second Stage", "Crystal Oscillator", "PLL", "Clocks", "Watchdog". The few registers
//! that it takes are named here: a crate of all would stand in the lock file of each project that has a board.

use crate::register::Register;

// The first 256 bytes of flash, which C programs have, too. The section's place is the memory map's matter.
core::arch::global_asm!(include_str!("../../../../boards/rp2040/boot2.S"), options(raw));

/// The processor clock, in hertz.
pub const CORE_HZ: u32 = 125_000_000;

const CRYSTAL_MHZ: u32 = 12;

const CLK_REF_CTRL: Register<u32> = register(0x4000_8030);
const CLK_REF_SELECTED: Register<u32> = register(0x4000_8038);
const CLK_SYS_CTRL: Register<u32> = register(0x4000_803C);
const CLK_SYS_SELECTED: Register<u32> = register(0x4000_8044);
const CLK_PERI_CTRL: Register<u32> = register(0x4000_8048);
/// RESET, by its aliases that set and clear bits.
const RESETS_SET: Register<u32> = register(0x4000_C000 + 0x2000);
const RESETS_CLEAR: Register<u32> = register(0x4000_C000 + 0x3000);
const RESETS_DONE: Register<u32> = register(0x4000_C008);
const XOSC_CTRL: Register<u32> = register(0x4002_4000);
const XOSC_STATUS: Register<u32> = register(0x4002_4004);
const XOSC_STARTUP: Register<u32> = register(0x4002_400C);
const PLL_CS: Register<u32> = register(0x4002_8000);
const PLL_PWR_CLEAR: Register<u32> = register(0x4002_8004 + 0x3000);
const PLL_FBDIV_INT: Register<u32> = register(0x4002_8008);
const PLL_PRIM: Register<u32> = register(0x4002_800C);
const WATCHDOG_TICK: Register<u32> = register(0x4005_802C);

/// A register of the blocks that this file names.
const fn register(address: usize) -> Register<u32> {
    // SAFETY: the addresses are the manual's, and neither clocks nor resets change memory.
    unsafe { Register::at(address) }
}

/// Takes blocks out of reset, and waits until they are.
pub fn unreset(blocks: u32) {
    RESETS_CLEAR.write(blocks);
    while RESETS_DONE.read() & blocks != blocks {}
}

/// Starts the crystal and the PLL, has the core and the serial ports run by it, and the timer count microseconds. The cache in
/// front of flash is on after reset, and the second stage has set the flash chip's reads.
pub fn raise_clock() {
    const RANGE: u32 = 0xAA0;
    const ENABLE: u32 = 0xFAB << 12;
    XOSC_CTRL.write(RANGE);
    // A millisecond, in 256 periods of the crystal.
    XOSC_STARTUP.write((CRYSTAL_MHZ * 1000 + 128) / 256);
    XOSC_CTRL.write(RANGE | ENABLE);
    while XOSC_STATUS.read() >> 31 == 0 {}

    // A debugger's reset of the core may have left the PLL in use: clk_sys leaves it before it is reset.
    const REF: u32 = 0;
    const XOSC: u32 = 2;
    CLK_SYS_CTRL.write(REF);
    while CLK_SYS_SELECTED.read() & 1 << REF == 0 {}
    CLK_REF_CTRL.write(XOSC);
    while CLK_REF_SELECTED.read() & 1 << XOSC == 0 {}

    // 12 MHz times 125 over 6 and 2: PD and VCOPD go first, POSTDIVPD once it has locked.
    const PLL_SYS: u32 = 1 << 12;
    RESETS_SET.write(PLL_SYS);
    unreset(PLL_SYS);
    PLL_FBDIV_INT.write(125);
    PLL_PWR_CLEAR.write(1 << 5 | 1);
    while PLL_CS.read() >> 31 == 0 {}
    PLL_PRIM.write(6 << 16 | 2 << 12);
    PLL_PWR_CLEAR.write(1 << 3);

    const AUX: u32 = 1;
    CLK_SYS_CTRL.write(AUX);
    while CLK_SYS_SELECTED.read() & 1 << AUX == 0 {}
    CLK_PERI_CTRL.write(1 << 11);

    const TIMER: u32 = 1 << 21;
    WATCHDOG_TICK.write(1 << 9 | CRYSTAL_MHZ);
    unreset(TIMER);
}
