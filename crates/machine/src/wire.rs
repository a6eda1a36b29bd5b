//! Wires of a board, and the transfers that run over them.

use crate::Pin;

/// The part's end of a wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A pin.
    Pin(Pin),
    /// The pin that the program gives to a signal of a peripheral, whichever it is: `SCL` of `I2C1`.
    Signal {
        /// The peripheral's name in the part.
        peripheral: String,
        /// The signal's name.
        signal: String,
    },
}

/// An address on I2C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum I2cAddress {
    /// Of seven bits.
    Seven(u8),
    /// Of ten bits.
    Ten(u16),
}

/// The place on which a transfer was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A peripheral of the part, by its name.
    Peripheral(&'static str),
    /// The attached device of this number, which a program talks to without a peripheral.
    Attached(u8),
}

/// A part of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// I2C: a start condition, or a repeated one, and the address behind it.
    I2cStart {
        /// The address.
        address: I2cAddress,
        /// True if the target sends.
        read: bool,
        /// True if somebody acknowledged.
        acknowledged: bool,
    },
    /// I2C: a byte in either direction.
    I2cByte {
        /// The byte.
        byte: u8,
        /// True if the receiver acknowledged.
        acknowledged: bool,
    },
    /// I2C: a stop condition.
    I2cStop,
    /// SPI: a frame in both directions.
    SpiFrame {
        /// The bits of the controller.
        sent: u32,
        /// The bits of the target.
        received: u32,
        /// The number of bits.
        bits: u8,
    },
    /// A serial port has sent a character.
    SerialSent(u16),
    /// A serial port has received a character.
    SerialReceived(u16),
    /// USB: a request of the host, with its eight bytes.
    UsbSetup {
        /// The endpoint.
        endpoint: u8,
        /// The bytes.
        request: [u8; 8],
    },
    /// USB: data for the host.
    UsbIn {
        /// The endpoint.
        endpoint: u8,
        /// The number of bytes.
        length: u16,
    },
    /// USB: data from the host, which the device has taken.
    UsbOut {
        /// The endpoint.
        endpoint: u8,
        /// The number of bytes.
        length: u16,
    },
    /// USB: a halted endpoint has answered.
    UsbStall {
        /// The endpoint.
        endpoint: u8,
    },
    /// USB: the host has reset the bus.
    UsbReset,
    /// CAN: a frame.
    Can {
        /// The identifier.
        id: u32,
        /// True if the identifier has 29 bits.
        extended: bool,
        /// True for a remote frame.
        remote: bool,
        /// The number of data bytes, 0 to 8.
        length: u8,
        /// The data.
        data: [u8; 8],
    },
    /// A sample of an analog-to-digital converter.
    Conversion {
        /// The channel.
        channel: u8,
        /// The result.
        value: u16,
    },
}
