//! Channel 0 of the DMA, paced by the serial port.
//!
//! Source: the data sheet (RP-008371-DS), "DMA".

use core::sync::atomic::AtomicU8;

use cyclescope_boards::register::Register;

use crate::uart;

const READ_ADDR: Register<u32> = register(0x000);
const WRITE_ADDR: Register<u32> = register(0x004);
const TRANS_COUNT: Register<u32> = register(0x008);
const CTRL_TRIG: Register<u32> = register(0x00C);
const INTE0: Register<u32> = register(0x404);
const INTS0: Register<u32> = register(0x40C);

/// The register at `offset`, of channel 0 where there is one for each.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's. The channel reads memory and writes the serial port alone.
    unsafe { Register::at(0x5000_0000 + offset) }
}

/// Lets the end of a transfer interrupt.
#[inline(always)]
pub fn let_interrupt() {
    INTE0.write(1);
}

/// Starts the transfer of the first `length` bytes. The channel is chained to itself, which is to none.
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    const ENABLED: u32 = 1;
    const READ_GOES_ON: u32 = 1 << 4;
    const DREQ_UART0_TX: u32 = 20;
    READ_ADDR.write(bytes.as_ptr() as u32);
    WRITE_ADDR.write(uart::DATA as u32);
    TRANS_COUNT.write(length as u32);
    CTRL_TRIG.write(DREQ_UART0_TX << 15 | READ_GOES_ON | ENABLED);
}

/// Clears what the transfer's end has left pending.
pub fn acknowledge_transfer() {
    INTS0.write(1);
}
