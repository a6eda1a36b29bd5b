//! Transfers on wires as events: `i2c1:start=0x3c`, `spi1:byte`, `uart2:sent=0x41`.

use std::fmt;

use cyclescope_machine::{CanError, CanFrame, I2cAddress, Line, Transfer};

use crate::nearest::nearest;

/// The name of a line: a peripheral of the part, or an attached device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LineName {
    bytes: [u8; Self::MOST],
    length: u8,
}

impl LineName {
    /// The most bytes of a name.
    const MOST: usize = 31;

    /// Returns `name` as a line's, or `None` where it cannot be one.
    pub fn new(name: &str) -> Option<Self> {
        let letters = name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_".contains(&letter));
        if !letters || !name.bytes().any(|letter| letter.is_ascii_alphabetic()) {
            return None;
        }
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { bytes, length: name.len() as u8 })
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// True if it means the line called `name` in the part: in any case, and `uart2` for `USART2`.
    fn means(&self, name: &str) -> bool {
        let own = self.as_str();
        let other = match name {
            "CAN" => Some("CAN1".to_owned()),
            // Of two USB peripherals the one for full speed has the short name.
            "USB_OTG_FS" if own.eq_ignore_ascii_case("usb") => Some("USB".to_owned()),
            _ if name.starts_with("USB_") => name.strip_prefix("USB_").map(str::to_owned),
            _ => name.strip_prefix("USART").map(|number| format!("UART{number}")),
        };
        own.eq_ignore_ascii_case(name) || other.is_some_and(|other| own.eq_ignore_ascii_case(&other))
    }

    /// Returns the line of this name among `lines`.
    ///
    /// # Errors
    /// A clause with the nearest names.
    pub(crate) fn find(&self, lines: &[(String, Line)]) -> Result<Line, String> {
        if let Some((_, line)) = lines.iter().find(|(name, _)| self.means(name)) {
            return Ok(*line);
        }
        if lines.is_empty() {
            return Err("the part has no lines whose transfers are seen, and no attached devices".to_owned());
        }
        let near = nearest(self.as_str(), lines.iter().map(|(name, _)| name.as_str()));
        let near: Vec<String> = near.iter().map(|name| name.to_lowercase()).collect();
        Err(format!("no transfers are seen on a line `{}`; the nearest are {}", self.as_str(), near.join(", ")))
    }
}

impl fmt::Debug for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// A part of a transfer that is watched, with its value where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferPart {
    /// I2C: a start condition with any address, or this one.
    Start(Option<u32>),
    /// I2C or SPI: a byte or frame, which the controller sends on SPI.
    Byte(Option<u32>),
    /// I2C: a stop condition.
    Stop,
    /// I2C: an address or a byte that nobody acknowledged.
    Nack,
    /// USB: a request of the host to any endpoint, or to this one.
    Setup(Option<u32>),
    /// USB: data for the host from any endpoint, or from this one.
    In(Option<u32>),
    /// USB: data from the host to any endpoint, or to this one.
    Out(Option<u32>),
    /// USB: a halted endpoint answers; any, or this one.
    Stall(Option<u32>),
    /// USB: the host resets the bus.
    Reset,
    /// A serial port has sent a character.
    Sent(Option<u32>),
    /// A serial port has received a character.
    Received(Option<u32>),
    /// CAN: a frame with any identifier, or this one.
    Frame(Option<u32>),
    /// CAN: an error has ended a frame.
    Error,
}

impl TransferPart {
    /// Parses `start`, `start=0x3c`, `stop`, …
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (word, value) = match text.split_once('=') {
            Some((word, value)) => (word, Some(number(value)?)),
            None => (text, None),
        };
        Some(match word {
            "start" => Self::Start(value),
            "byte" => Self::Byte(value),
            "sent" => Self::Sent(value),
            "received" => Self::Received(value),
            "setup" => Self::Setup(value),
            "in" => Self::In(value),
            "out" => Self::Out(value),
            "stall" => Self::Stall(value),
            "reset" if value.is_none() => Self::Reset,
            "frame" => Self::Frame(value),
            "error" if value.is_none() => Self::Error,
            "stop" if value.is_none() => Self::Stop,
            "nack" if value.is_none() => Self::Nack,
            _ => return None,
        })
    }

    /// Returns the parts that the line called `name` may have, if its name says so and they are others.
    pub(crate) fn misses(self, line: Line) -> Option<&'static str> {
        let Line::Peripheral(name) = line else {
            let others = matches!(self, Self::Sent(_) | Self::Received(_) | Self::Frame(_) | Self::Error);
            return others.then_some("start, byte, stop or nack");
        };
        let serial = name.contains("UART") || name.contains("USART");
        let (fits, known) = match self {
            _ if serial => (matches!(self, Self::Sent(_) | Self::Received(_)), "sent or received"),
            _ if name.starts_with("SPI") => (matches!(self, Self::Byte(_)), "byte"),
            _ if name.starts_with("USB") => (self.is_usb(), "setup, in, out, stall or reset"),
            _ if name.starts_with("CAN") => (matches!(self, Self::Frame(_) | Self::Error), "frame or error"),
            _ if self.is_usb() => (false, "start, byte, stop or nack"),
            Self::Sent(_) | Self::Received(_) | Self::Frame(_) | Self::Error => (false, "start, byte, stop or nack"),
            _ => (true, ""),
        };
        (!fits).then_some(known)
    }

    const fn is_usb(self) -> bool {
        matches!(self, Self::Setup(_) | Self::In(_) | Self::Out(_) | Self::Stall(_) | Self::Reset)
    }

    /// True if `transfer` is such a part.
    pub(crate) fn is(self, transfer: Transfer) -> bool {
        let wants = |value: Option<u32>, seen: u32| value.is_none_or(|value| value == seen);
        match (self, transfer) {
            (Self::Start(value), Transfer::I2cStart { address, .. }) => wants(value, number_of(address)),
            (Self::Byte(value), Transfer::I2cByte { byte, .. }) => wants(value, byte.into()),
            (Self::Byte(value), Transfer::SpiFrame { sent, .. }) => wants(value, sent),
            (Self::Nack, Transfer::I2cStart { acknowledged, .. } | Transfer::I2cByte { acknowledged, .. }) => {
                !acknowledged
            }
            (Self::Stop, Transfer::I2cStop)
            | (Self::Reset, Transfer::UsbReset)
            | (Self::Error, Transfer::CanError(_)) => true,
            (Self::Setup(value), Transfer::UsbSetup { endpoint, .. })
            | (Self::In(value), Transfer::UsbIn { endpoint, .. })
            | (Self::Out(value), Transfer::UsbOut { endpoint, .. })
            | (Self::Stall(value), Transfer::UsbStall { endpoint }) => wants(value, endpoint.into()),
            (Self::Frame(value), Transfer::CanFrame(frame)) => wants(value, frame.id),
            (Self::Sent(value), Transfer::SerialSent(character))
            | (Self::Received(value), Transfer::SerialReceived(character)) => wants(value, character.into()),
            _ => false,
        }
    }
}

impl fmt::Display for TransferPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, value) = match self {
            Self::Start(value) => ("start", *value),
            Self::Byte(value) => ("byte", *value),
            Self::Stop => ("stop", None),
            Self::Nack => ("nack", None),
            Self::Setup(value) => ("setup", *value),
            Self::In(value) => ("in", *value),
            Self::Out(value) => ("out", *value),
            Self::Stall(value) => ("stall", *value),
            Self::Reset => ("reset", None),
            Self::Sent(value) => ("sent", *value),
            Self::Received(value) => ("received", *value),
            Self::Frame(value) => ("frame", *value),
            Self::Error => ("error", None),
        };
        f.write_str(word)?;
        value.map_or(Ok(()), |value| write!(f, "={value:#04x}"))
    }
}

/// Reads a number, decimal or with 0x.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+')),
        None => text.parse().ok().filter(|_| !text.starts_with('+')),
    }
}

fn number_of(address: I2cAddress) -> u32 {
    match address {
        I2cAddress::Seven(address) => address.into(),
        I2cAddress::Ten(address) => address.into(),
    }
}

fn can_text(frame: &CanFrame) -> String {
    let id = if frame.extended { format!("{:#010x}", frame.id) } else { format!("{:#05x}", frame.id) };
    let data: String = frame.bytes().iter().map(|byte| format!(" {byte:02x}")).collect();
    if frame.remote { format!("frame {id} remote {}", frame.code) } else { format!("frame {id} data{data}") }
}

fn can_error(error: CanError) -> &'static str {
    match error {
        CanError::Stuff => "stuff",
        CanError::Form => "form",
        CanError::Acknowledgement => "acknowledgement",
        CanError::Recessive => "recessive bit",
        CanError::Dominant => "dominant bit",
        CanError::Checksum => "checksum",
    }
}

/// Returns `transfer` in a few words.
pub fn transfer_text(transfer: Transfer) -> String {
    let unheard = |acknowledged| if acknowledged { "" } else { " nack" };
    match transfer {
        Transfer::I2cStart { address, read, acknowledged } => {
            let (way, unheard) = (if read { "read" } else { "write" }, unheard(acknowledged));
            format!("start {:#04x} {way}{unheard}", number_of(address))
        }
        Transfer::I2cByte { byte, acknowledged } => format!("byte {byte:#04x}{}", unheard(acknowledged)),
        Transfer::I2cStop => "stop".to_owned(),
        Transfer::SpiFrame { sent, received, .. } => format!("sent {sent:#04x} received {received:#04x}"),
        Transfer::SerialSent(character) => format!("sent {character:#04x}"),
        Transfer::SerialReceived(character) => format!("received {character:#04x}"),
        Transfer::UsbSetup { endpoint, request } => {
            let bytes: Vec<String> = request.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("setup endpoint {endpoint} request {}", bytes.join(" "))
        }
        Transfer::UsbIn { endpoint, length } => format!("in endpoint {endpoint} bytes {length}"),
        Transfer::UsbOut { endpoint, length } => format!("out endpoint {endpoint} bytes {length}"),
        Transfer::UsbStall { endpoint } => format!("stall endpoint {endpoint}"),
        Transfer::UsbReset => "reset".to_owned(),
        Transfer::CanFrame(frame) => can_text(&frame),
        Transfer::CanError(error) => format!("{} error", can_error(error)),
        Transfer::Conversion { channel, value } => format!("channel {channel} value {value}"),
    }
}
