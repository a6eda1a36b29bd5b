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

/// A frame on CAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CanFrame {
    /// The identifier, of 11 or 29 bits.
    pub id: u32,
    /// True if the identifier has 29 bits.
    pub extended: bool,
    /// True for a remote frame, which has no data.
    pub remote: bool,
    /// The data length code, 0 to 15; more than 8 means 8 bytes.
    pub code: u8,
    /// The data; bytes beyond its length are 0.
    pub data: [u8; 8],
}

impl CanFrame {
    /// A data frame with an identifier of 11 bits and the first eight bytes of `data`.
    pub fn new(id: u32, data: &[u8]) -> Self {
        let mut frame = Self { id: id & 0x7FF, extended: false, remote: false, code: 0, data: [0; 8] };
        frame.code = data.len().min(8) as u8;
        frame.data.iter_mut().zip(data).for_each(|(place, byte)| *place = *byte);
        frame
    }

    /// The bytes of data that the frame carries.
    pub fn bytes(&self) -> &[u8] {
        if self.remote { &[] } else { &self.data[..usize::from(self.code.min(8))] }
    }
}

/// An error on CAN (ISO 11898-1, "Error detection"; BOSCH CAN Specification 2.0, 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanError {
    /// Six equal bits in a row.
    Stuff,
    /// A bit of a fixed form has the other level.
    Form,
    /// Nobody acknowledged.
    Acknowledgement,
    /// A bit that was sent recessive is dominant on the bus.
    Recessive,
    /// A bit that was sent dominant is recessive on the bus.
    Dominant,
    /// The checksum differs.
    Checksum,
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
    /// CAN: a frame that has come through.
    CanFrame(CanFrame),
    /// CAN: an error has ended a frame.
    CanError(CanError),
    /// A sample of an analog-to-digital converter.
    Conversion {
        /// The channel.
        channel: u8,
        /// The result.
        value: u16,
    },
}
