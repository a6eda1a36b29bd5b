//! Ibex in a small system: RAM, and a 16550 with registers one byte apart. Its core at hand has no PMP, so nothing but the
//! kernel's own checks keeps the process to its memory.

use cyclescope_kernel::Region;
use cyclescope_kernel_drivers::Port;

/// What the process executes, start and bytes: nothing is told of it here.
pub const CODE: (u32, u32) = (0x0010_0000, 0x8_0000);
/// The first address of RAM, where the process's own memory begins.
pub const PROCESS: u32 = 0x0018_0000;

const UART: usize = 0x1000_0000;
/// Transmitter holding register; with the divisor's latch open, its low half.
const THR: usize = UART;
const LCR: usize = UART + 3;
const LSR: usize = UART + 5;
/// 50 MHz / 16 / 27 is 115,741 baud.
const DIVISOR: u8 = 27;

/// The serial port.
pub struct Serial;

impl Port for Serial {
    fn put(&self, byte: u8) {
        const THR_EMPTY: u8 = 1 << 5;
        // SAFETY: the port's registers, as docs/riscv.md has them.
        unsafe {
            while (LSR as *const u8).read_volatile() & THR_EMPTY == 0 {}
            (THR as *mut u8).write_volatile(byte);
        }
    }
}

/// Waits until the last byte has left.
pub fn drain() {
    const TRANSMITTER_EMPTY: u8 = 1 << 6;
    // SAFETY: as above.
    while unsafe { (LSR as *const u8).read_volatile() } & TRANSMITTER_EMPTY == 0 {}
}

/// Eight bits, no parity, one stop bit.
pub fn start() {
    const LATCH: u8 = 1 << 7;
    const EIGHT_BITS: u8 = 3;
    // SAFETY: as above.
    unsafe {
        (LCR as *mut u8).write_volatile(LATCH | EIGHT_BITS);
        (THR as *mut u8).write_volatile(DIVISOR);
        (LCR as *mut u8).write_volatile(EIGHT_BITS);
    }
}

/// There is no unit that could be told.
pub fn protect(_: &[Region; 2]) {}
