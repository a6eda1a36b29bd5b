//! UART0 on PB16 and PB17 as a channel: 115200 baud, 8N1, each byte waited for.
//!
//! Source: K20P64M72SF1RM, "Universal Asynchronous Receiver/Transmitter"; "Clock gating": the core clock feeds UART0.

use core::fmt::{self, Write};

use super::CORE_HZ;
use super::register::Register;

const SIM_SCGC4: Register<u32> = register(0x4004_8034);
const SIM_SCGC5: Register<u32> = register(0x4004_8038);
const PORTB_PCR16: Register<u32> = register(0x4004_A040);
const PORTB_PCR17: Register<u32> = register(0x4004_A044);
const UART0_BDH: Register<u8> = register(0x4006_A000);
const UART0_BDL: Register<u8> = register(0x4006_A001);
const UART0_C2: Register<u8> = register(0x4006_A003);
const UART0_S1: Register<u8> = register(0x4006_A004);
const UART0_D: Register<u8> = register(0x4006_A007);
const UART0_C4: Register<u8> = register(0x4006_A00A);

/// A register of the modules that this file names.
const fn register<T: Copy>(address: usize) -> Register<T> {
    // SAFETY: the addresses are the manual's, and clock gates, pins and UART touch no memory.
    unsafe { Register::at(address) }
}

/// The divisor in 32nds, rounded: SBR, and BRFA in its lowest five bits.
const DIVISOR: u32 = (CORE_HZ * 2 + 115_200 / 2) / 115_200;

/// The port, open for sending.
pub struct Uart {}

impl Uart {
    /// Opens the port; call it once, after the clock was raised.
    pub fn open() -> Self {
        SIM_SCGC4.write(SIM_SCGC4.read() | 1 << 10);
        SIM_SCGC5.write(SIM_SCGC5.read() | 1 << 10);
        for pin in [PORTB_PCR16, PORTB_PCR17] {
            pin.write(3 << 8);
        }
        UART0_BDH.write((DIVISOR >> 13) as u8);
        UART0_BDL.write((DIVISOR >> 5) as u8);
        UART0_C4.write((DIVISOR & 31) as u8);
        UART0_C2.write(1 << 3);
        Self {}
    }

    /// Waits until the last byte has left the wire.
    pub fn flush(&mut self) {
        const SENT: u8 = 1 << 6;
        while UART0_S1.read() & SENT == 0 {}
    }
}

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const EMPTY: u8 = 1 << 7;
        for byte in text.bytes() {
            while UART0_S1.read() & EMPTY == 0 {}
            UART0_D.write(byte);
        }
        Ok(())
    }
}
