//! UART0, a PL011: with its FIFOs, but where each byte is to have an interrupt.
//!
//! Source: the data sheet (RP-008371-DS), "UART".

use cyclescope_boards::CORE_HZ;
use cyclescope_boards::register::Register;

const BASE: usize = 0x4003_4000;

/// The address of the register that takes a byte.
#[cfg(feature = "dma")]
pub const DATA: usize = BASE;

#[cfg(not(feature = "dma"))]
const DR: Register<u32> = register(0x00);
#[cfg(not(feature = "dma"))]
const FR: Register<u32> = register(0x18);
const IBRD: Register<u32> = register(0x24);
const FBRD: Register<u32> = register(0x28);
const LCR_H: Register<u32> = register(0x2C);
const CR: Register<u32> = register(0x30);
#[cfg(feature = "interrupt")]
const IMSC: Register<u32> = register(0x38);
#[cfg(feature = "dma")]
const DMACR: Register<u32> = register(0x48);
/// Interrupts that are set pending by hand.
#[cfg(feature = "interrupt")]
const NVIC_ISPR: Register<u32> = {
    // SAFETY: the address is the architecture's, and the handler may come at any time.
    unsafe { Register::at(0xE000_E200) }
};

/// The register at `offset`.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and the port touches no memory.
    unsafe { Register::at(BASE + offset) }
}

/// Sets the baud rate, in 64ths of the clock over sixteen times the rate. LCR_H, written next, takes it over.
#[inline(always)]
pub fn set_rate() {
    const DIVISOR: u32 = (CORE_HZ * 4 + 115_200 / 2) / 115_200;
    const BITS_8: u32 = 3 << 5;
    const FIFO: u32 = if cfg!(feature = "interrupt") { 0 } else { 1 << 4 };
    IBRD.write(DIVISOR / 64);
    FBRD.write(DIVISOR % 64);
    LCR_H.write(BITS_8 | FIFO);
}

/// Has the port ask the DMA for its bytes.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn ask_dma() {
    DMACR.write(1 << 1);
}

/// Switches the port and its transmitter on.
#[inline(always)]
pub fn enable() {
    CR.write(1 << 8 | 1);
}

/// Hands a byte to the port, which must be ready.
#[cfg(not(feature = "dma"))]
pub fn put(byte: u8) {
    DR.write(byte.into());
}

/// Returns true if the port can take a byte.
#[cfg(feature = "blocking")]
pub fn is_ready() -> bool {
    const TXFF: u32 = 1 << 5;
    FR.read() & TXFF == 0
}

/// Lets the port interrupt as long as it can take a byte, or not. It tells that it has become empty, not that it is: where it is, the
/// first byte is asked for by hand. That is done while the port's interrupt is off, since a handler that came behind the question would
/// fill the port, and one that was asked for then would overwrite a byte.
#[cfg(feature = "interrupt")]
pub fn interrupt_when_ready(wanted: bool) {
    const TXFE: u32 = 1 << 7;
    const UART0_IRQ: u32 = 20;
    if wanted && IMSC.read() == 0 && FR.read() & TXFE != 0 {
        NVIC_ISPR.write(1 << UART0_IRQ);
    }
    IMSC.write(if wanted { 1 << 5 } else { 0 });
}
