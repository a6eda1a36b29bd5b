//! The descriptors of a device, as untrusted bytes (USB 2.0, 9.6; CDC 1.2 and PSTN 1.2 for serial ports).

/// The device's own descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// bMaxPacketSize0.
    pub packet: u8,
    /// idVendor.
    pub vendor: u16,
    /// idProduct.
    pub product: u16,
    /// iManufacturer, iProduct and iSerialNumber.
    pub strings: [u8; 3],
}

/// An endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// bEndpointAddress.
    pub address: u8,
    /// The kind: 0 control, 1 isochronous, 2 bulk, 3 interrupt.
    pub kind: u8,
    /// wMaxPacketSize.
    pub packet: u16,
    /// bInterval.
    pub interval: u8,
}

impl Endpoint {
    /// Tells if the host receives from it.
    pub const fn is_in(&self) -> bool {
        self.address & 0x80 != 0
    }
}

/// An interface, in its first setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// bInterfaceNumber.
    pub number: u8,
    /// bInterfaceClass, bInterfaceSubClass and bInterfaceProtocol.
    pub class: [u8; 3],
    /// Its endpoints.
    pub endpoints: Vec<Endpoint>,
    /// The data interface that a union descriptor names.
    pub data: Option<u8>,
}

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// bConfigurationValue.
    pub value: u8,
    /// Its interfaces.
    pub interfaces: Vec<Interface>,
}

/// A serial port: a communications interface and the endpoints of its data interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialPort {
    /// The interface that takes requests.
    pub interface: u8,
    /// The endpoint for the host's data.
    pub output: Endpoint,
    /// The endpoint for the device's data.
    pub input: Endpoint,
    /// The endpoint of its notices, if it has one.
    pub notices: Option<Endpoint>,
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

impl Device {
    /// Reads the descriptor of 18 bytes.
    ///
    /// # Errors
    /// A clause that says what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < 18 || bytes[0] < 18 || bytes[1] != 1 {
            return Err(format!("its device descriptor is malformed: {}", shown(bytes)));
        }
        Self::packet(bytes)?;
        Ok(Self {
            packet: bytes[7],
            vendor: word(bytes, 8),
            product: word(bytes, 10),
            strings: [bytes[14], bytes[15], bytes[16]],
        })
    }

    /// Reads bMaxPacketSize0 of the first 8 bytes.
    ///
    /// # Errors
    /// A clause that says what is wrong.
    pub fn packet(bytes: &[u8]) -> Result<u8, String> {
        match bytes.get(7) {
            Some(size @ (8 | 16 | 32 | 64)) if bytes[1] == 1 => Ok(*size),
            _ => Err(format!("its device descriptor is malformed: {}", shown(bytes))),
        }
    }
}

impl Configuration {
    /// Reads wTotalLength of the first bytes.
    ///
    /// # Errors
    /// A clause that says what is wrong.
    pub fn length(bytes: &[u8]) -> Result<u16, String> {
        match bytes {
            [size, 2, low, high, _, _, _, _, _, ..] if *size >= 9 && u16::from_le_bytes([*low, *high]) >= 9 => {
                Ok(u16::from_le_bytes([*low, *high]))
            }
            _ => Err(format!("its configuration descriptor is malformed: {}", shown(bytes))),
        }
    }

    /// Reads a configuration with all that follows it.
    ///
    /// # Errors
    /// A clause that says what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let total = usize::from(Self::length(bytes)?);
        if bytes.len() < total {
            return Err(format!("its configuration descriptor has {} bytes of {total}", bytes.len()));
        }
        let mut read = Self { value: bytes[5], interfaces: Vec::new() };
        let mut rest = &bytes[..total];
        // True inside an interface's first setting.
        let mut first = false;
        while !rest.is_empty() {
            let length = usize::from(rest[0]);
            if length < 2 || length > rest.len() {
                return Err(format!(
                    "a descriptor in its configuration has {length} bytes, and {} are left",
                    rest.len()
                ));
            }
            let (one, next) = rest.split_at(length);
            rest = next;
            match (one[1], length) {
                (4, 9..) => {
                    let known = read.interfaces.iter().any(|interface| interface.number == one[2]);
                    first = one[3] == 0 && !known;
                    if first {
                        let class = [one[5], one[6], one[7]];
                        read.interfaces.push(Interface { number: one[2], class, ..Interface::default() });
                    }
                }
                (5, 7..) => {
                    let (address, kind, packet, interval) = (one[2], one[3] & 3, word(one, 4) & 0x7FF, one[6]);
                    if packet == 0 && kind != 1 || packet > 1023 || kind != 1 && packet > 64 {
                        return Err(format!("its endpoint {address:#04x} has packets of {packet} bytes"));
                    }
                    if let Some(interface) = read.interfaces.last_mut().filter(|_| first) {
                        interface.endpoints.push(Endpoint { address, kind, packet, interval });
                    }
                }
                (4 | 5, _) => return Err(format!("a descriptor of its configuration is too short: {}", shown(one))),
                // A union of CDC: the first subordinate interface has the data.
                (0x24, 5..) if one[2] == 6 => {
                    if let Some(interface) = read.interfaces.last_mut() {
                        interface.data = Some(one[4]);
                    }
                }
                _ => {}
            }
        }
        Ok(read)
    }

    /// The serial ports: CDC interfaces of the abstract control model with a data interface of two bulk endpoints.
    pub fn serial_ports(&self) -> Vec<SerialPort> {
        let controls = self.interfaces.iter().filter(|interface| interface.class[..2] == [2, 2]);
        controls.filter_map(|control| self.serial_port(control)).collect()
    }

    fn serial_port(&self, control: &Interface) -> Option<SerialPort> {
        let number = control.data.unwrap_or(control.number.wrapping_add(1));
        let data = self.interfaces.iter().find(|interface| interface.number == number)?;
        let bulk = |is_in| data.endpoints.iter().find(|one| one.kind == 2 && one.is_in() == is_in).copied();
        let notices = control.endpoints.iter().find(|one| one.kind == 3 && one.is_in()).copied();
        Some(SerialPort { interface: control.number, output: bulk(false)?, input: bulk(true)?, notices })
    }

    /// Names the functions that are no serial ports, each once.
    pub fn others(&self) -> Vec<String> {
        let ports = self.serial_ports();
        let mut names: Vec<String> = Vec::new();
        for interface in &self.interfaces {
            let of_port =
                |port: &SerialPort| port.interface == interface.number || interface.endpoints.contains(&port.input);
            let name = class_name(interface.class);
            if !ports.iter().any(of_port) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// Returns the text of a string descriptor, with what is no text replaced.
pub fn text(bytes: &[u8]) -> Option<String> {
    let (length, kind) = (usize::from(*bytes.first()?), *bytes.get(1)?);
    let units = bytes.get(2..length.min(bytes.len())).filter(|_| kind == 3)?;
    let units = units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{FFFD}')).collect();
    Some(text.chars().map(|letter| if letter.is_control() { '\u{FFFD}' } else { letter }).collect())
}

/// The function of an interface by its class (USB-IF, "Defined Class Codes").
fn class_name(class: [u8; 3]) -> String {
    let known = match class[0] {
        0x01 => "audio",
        0x02 | 0x0A => "communications",
        0x03 => match class[2] {
            1 => "keyboard",
            2 => "mouse",
            _ => "HID",
        },
        0x06 => "image",
        0x07 => "printer",
        0x08 => "mass storage",
        0x0E => "video",
        0xE0 => "wireless",
        0xFE if class[1] == 1 => "firmware upgrade",
        0xFF => "vendor's own",
        other => return format!("class {other:#04x}"),
    };
    known.to_owned()
}

fn shown(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "it is empty".to_owned();
    }
    let shown: Vec<String> = bytes.iter().take(18).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A serial port as CDC has it, with a keyboard beside it.
    pub const SERIAL: &[u8] = &[
        9, 2, 84, 0, 3, 1, 0, 0x80, 50, // configuration
        8, 11, 0, 2, 2, 2, 0, 0, // association
        9, 4, 0, 0, 1, 2, 2, 1, 0, // control
        5, 0x24, 0, 0x10, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1, // functions
        7, 5, 0x81, 3, 8, 0, 255, // notices
        9, 4, 1, 0, 2, 10, 0, 0, 0, // data
        7, 5, 2, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0, // bulk
        9, 4, 2, 0, 0, 3, 1, 1, 0, // keyboard
    ];

    #[test]
    fn a_serial_port_is_found() {
        let mut bytes = SERIAL.to_vec();
        bytes[2] = bytes.len() as u8;
        let read = Configuration::read(&bytes).unwrap();
        let endpoint = |address, kind, packet, interval| Endpoint { address, kind, packet, interval };
        let port = SerialPort {
            interface: 0,
            output: endpoint(2, 2, 64, 0),
            input: endpoint(0x82, 2, 64, 0),
            notices: Some(endpoint(0x81, 3, 8, 255)),
        };
        assert_eq!((read.value, read.serial_ports()), (1, vec![port]));
        assert_eq!(read.others(), ["keyboard"]);
    }

    #[test]
    fn damaged_descriptors_are_clauses() {
        let mut bytes = SERIAL.to_vec();
        bytes[2] = bytes.len() as u8;
        for place in 0..bytes.len() {
            for value in [0, 1, 2, 0x7F, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[place] = value;
                let _ = Configuration::read(&damaged).map(|read| (read.serial_ports(), read.others()));
                let _ = Configuration::read(&bytes[..place]);
                let _ = text(&damaged[place..]);
            }
        }
        let error = Configuration::read(&bytes[..40]).unwrap_err();
        assert_eq!(error, format!("its configuration descriptor has 40 bytes of {}", bytes.len()));
        bytes[9] = 0;
        assert!(Configuration::read(&bytes).unwrap_err().contains("has 0 bytes"));
        assert!(Device::read(&[18, 1, 0, 2]).unwrap_err().contains("12 01 00 02"));
        assert!(Device::packet(&[18, 1, 0, 2, 0, 0, 0, 9]).is_err());
        assert_eq!(text(&[6, 3, b'o', 0, 0x0A, 0]).unwrap(), "o\u{FFFD}");
    }
}
