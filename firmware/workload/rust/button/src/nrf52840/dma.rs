//! EasyDMA of the serial port.

use core::sync::atomic::AtomicU8;

use crate::uart;

/// Starts the transfer of the first `length` bytes.
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    uart::start_transfer(bytes.as_ptr() as u32, length as u32);
}

/// Clears what the transfer's end has left pending.
pub fn acknowledge_transfer() {
    uart::end_transfer();
}
