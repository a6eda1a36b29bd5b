//! LiteX's simulated SoC with a VexRiscv: code in ROM, and a serial port that takes a byte whenever it is not full.

use cyclescope_kernel_drivers::Port;

use crate::register::Register;
pub use crate::riscv::protect;

/// All of ROM, start and bytes: the process may execute and read it.
pub const CODE: (u32, u32) = (0, 0x10_0000);
/// The first address of RAM, where the process's own memory begins.
pub const PROCESS: u32 = 0x4000_0000;

const UART_RXTX: Register = Register::at(0xF000_3000);
const UART_TXFULL: Register = Register::at(0xF000_3004);

/// The serial port.
pub struct Serial;

impl Port for Serial {
    fn put(&self, byte: u8) {
        while UART_TXFULL.read() != 0 {}
        UART_RXTX.write(byte.into());
    }
}

/// Nothing to set up.
pub fn start() {}

/// The simulator's port keeps no byte back.
pub fn drain() {}
