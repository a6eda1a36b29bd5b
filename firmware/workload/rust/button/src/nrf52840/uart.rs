//! The serial port: byte by byte, or with EasyDMA, as ENABLE says.
//!
//! Source: the product specification (4413_417), "UART — Universal asynchronous receiver/transmitter" and "UARTE".

use cyclescope_boards::register::Register;

const TASKS_STARTTX: Register<u32> = register(0x008);
#[cfg(not(feature = "dma"))]
const EVENTS_TXDRDY: Register<u32> = register(0x11C);
#[cfg(feature = "dma")]
const EVENTS_ENDTX: Register<u32> = register(0x120);
#[cfg(not(feature = "blocking"))]
const INTENSET: Register<u32> = register(0x304);
#[cfg(feature = "interrupt")]
const INTENCLR: Register<u32> = register(0x308);
const ENABLE: Register<u32> = register(0x500);
const PSEL_TXD: Register<u32> = register(0x50C);
#[cfg(not(feature = "dma"))]
const TXD: Register<u32> = register(0x51C);
const BAUDRATE: Register<u32> = register(0x524);
#[cfg(feature = "dma")]
const TXD_PTR: Register<u32> = register(0x544);
#[cfg(feature = "dma")]
const TXD_MAXCNT: Register<u32> = register(0x548);

/// The register of UART0, which is UARTE0's too, at `offset`.
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's. EasyDMA reads memory and writes none, as only the transmitter is started.
    unsafe { Register::at(0x4000_2000 + offset) }
}

/// Chooses the pin of port 0 to send by.
#[inline(always)]
pub fn select(pin: u32) {
    PSEL_TXD.write(pin);
}

/// Sets the baud rate: the manual's value of BAUDRATE for 115200, of the block with EasyDMA or of the one without.
#[inline(always)]
pub fn set_rate() {
    BAUDRATE.write(if cfg!(feature = "dma") { 0x01D6_0000 } else { 0x01D7_E000 });
}

/// Has the end of a transfer interrupt.
#[cfg(feature = "dma")]
#[inline(always)]
pub fn ask_dma() {
    INTENSET.write(1 << 8);
}

/// Switches the port on, and without EasyDMA its transmitter, which tells of each byte that has left; that the first may come
/// is told by hand.
#[inline(always)]
pub fn enable() {
    ENABLE.write(if cfg!(feature = "dma") { 8 } else { 4 });
    #[cfg(not(feature = "dma"))]
    {
        TASKS_STARTTX.write(1);
        EVENTS_TXDRDY.write(1);
    }
}

/// Hands a byte to the port, which must be ready.
#[cfg(not(feature = "dma"))]
pub fn put(byte: u8) {
    EVENTS_TXDRDY.write(0);
    TXD.write(byte.into());
}

/// Returns true if the port can take a byte.
#[cfg(feature = "blocking")]
pub fn is_ready() -> bool {
    EVENTS_TXDRDY.read() != 0
}

/// Lets the port interrupt as long as it can take a byte, or not; one store, so that a handler may do it at any time.
#[cfg(feature = "interrupt")]
pub fn interrupt_when_ready(wanted: bool) {
    const TXDRDY: u32 = 1 << 7;
    if wanted { INTENSET.write(TXDRDY) } else { INTENCLR.write(TXDRDY) }
}

/// Starts the transfer of `length` bytes from `address` on.
#[cfg(feature = "dma")]
pub fn start_transfer(address: u32, length: u32) {
    TXD_PTR.write(address);
    TXD_MAXCNT.write(length);
    TASKS_STARTTX.write(1);
}

/// Clears the event of a transfer's end, and waits for the slower bus.
#[cfg(feature = "dma")]
pub fn end_transfer() {
    EVENTS_ENDTX.write(0);
    let _ = EVENTS_ENDTX.read();
}
