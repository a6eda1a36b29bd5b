//! The wires to the display: I2C or SPI with four wires.

use crate::pac;

/// The display's address on I2C.
#[cfg(not(feature = "mode-spi"))]
const ADDRESS: u8 = 0x3C;

#[cfg(not(feature = "mode-spi"))]
pub fn init() {
    pac::i2c::init(crate::I2C_HZ);
}

/// Sends data (`true`) or commands, and returns when they have left.
#[cfg(not(feature = "mode-spi"))]
pub fn send(data: bool, bytes: &[u8]) {
    let control = if data { 0x40 } else { 0 };
    pac::i2c::write(ADDRESS, bytes.len() + 1, core::iter::once(control).chain(bytes.iter().copied()));
}

#[cfg(feature = "mode-spi")]
pub fn init() {
    pac::spi::init();
}

/// Sends data (`true`) or commands, and returns when they have left.
#[cfg(feature = "mode-spi")]
pub fn send(data: bool, bytes: &[u8]) {
    pac::spi::data(data);
    pac::spi::select(true);
    pac::spi::write(bytes);
    pac::spi::select(false);
}
