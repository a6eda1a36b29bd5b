//! The EEPROM 24C32 on I2C: 4 KiB in pages of 32 bytes (Atmel, "AT24C32, AT24C64", rev. 0336).

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress};

use crate::{AttachError, FILE_OPTION, Kind, Options, SAVE_OPTION};

/// The kind.
pub const KIND: Kind = Kind {
    name: "eeprom",
    summary: "memory on I2C that keeps its bytes",
    options: &[
        ("24c32", "4 KiB in pages of 32 bytes"),
        ("address=0x50", "its address, 0x50 to 0x57"),
        FILE_OPTION,
        SAVE_OPTION,
    ],
    places: &["i2c1", "scl=PB6,sda=PB7"],
    make,
};

const BYTES: usize = 4096;
const PAGE: u16 = 32;
/// The longest time that a write takes inside ("AC Characteristics", tWR).
const WRITE: Picoseconds = Picoseconds::new(10_000_000_000);
const WP: usize = 2;

/// The part of an address that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    High,
    Low,
    Data,
}

/// The memory. Erased bytes are 0xFF.
#[derive(Clone, Debug)]
pub struct Eeprom {
    address: u8,
    bytes: Vec<u8>,
    /// The word address, which reads and writes move on.
    at: u16,
    expects: Expects,
    /// Bytes that a stop writes, with their places.
    page: Vec<(u16, u8)>,
    protected: bool,
    busy_until: Picoseconds,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    if options.word(&["24c32"]).is_none() {
        return Err(options.no_type("24c32"));
    }
    let address = options.number("address", "0x50 to 0x57", |address| (0x50..0x58).contains(&address))?;
    Ok(Box::new(Eeprom::new(address.map_or(0x50, |address| address as u8))))
}

impl Eeprom {
    /// An erased memory at `address`.
    pub fn new(address: u8) -> Self {
        Self {
            address,
            bytes: vec![0xFF; BYTES],
            at: 0,
            expects: Expects::High,
            page: Vec::new(),
            protected: false,
            busy_until: Picoseconds::ZERO,
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Attached for Eeprom {
    fn pins(&self) -> &'static [&'static str] {
        &["scl", "sda", "wp"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory(&self) -> &[u8] {
        &self.bytes
    }

    fn memory_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// While it writes the device does not answer ("Acknowledge polling").
    fn i2c_start(&mut self, address: I2cAddress, read: bool, contact: &mut Contact<'_>) -> bool {
        // A start without a stop gives up what was to be written.
        self.page.clear();
        if !read {
            self.expects = Expects::High;
        }
        address == I2cAddress::Seven(self.address) && contact.now() >= self.busy_until
    }

    fn i2c_write(&mut self, byte: u8, _: &mut Contact<'_>) -> bool {
        match self.expects {
            Expects::High => (self.at, self.expects) = (u16::from(byte & 0x0F) << 8, Expects::Low),
            Expects::Low => (self.at, self.expects) = (self.at & 0xFF00 | u16::from(byte), Expects::Data),
            Expects::Data => {
                self.page.retain(|(at, _)| *at != self.at);
                self.page.push((self.at, byte));
                // "Page write": the lower five bits roll over.
                self.at = self.at & !(PAGE - 1) | self.at.wrapping_add(1) & (PAGE - 1);
            }
        }
        true
    }

    fn i2c_read(&mut self, _: &mut Contact<'_>) -> u8 {
        let byte = self.bytes[usize::from(self.at) % BYTES];
        self.at = (self.at + 1) % BYTES as u16;
        byte
    }

    fn i2c_stop(&mut self, contact: &mut Contact<'_>) {
        let page = std::mem::take(&mut self.page);
        if page.is_empty() || self.protected {
            return;
        }
        for (at, byte) in page {
            self.bytes[usize::from(at) % BYTES] = byte;
        }
        self.busy_until = contact.now() + WRITE;
    }

    fn pin(&mut self, pin: usize, high: bool, _: &mut Contact<'_>) {
        if pin == WP {
            self.protected = high;
        }
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;

    use super::*;

    /// Writes `bytes` at `now`, with a stop; the acknowledgement of the address.
    fn write(device: &mut Eeprom, now: u64, bytes: &[u8]) -> bool {
        let mut requests = Requests::default();
        let mut contact = Contact::new(Picoseconds::new(now), &mut requests);
        let there = device.i2c_start(I2cAddress::Seven(0x50), false, &mut contact);
        if there {
            bytes.iter().for_each(|byte| assert!(device.i2c_write(*byte, &mut contact)));
            device.i2c_stop(&mut contact);
        }
        there
    }

    fn read(device: &mut Eeprom, now: u64, count: usize) -> Vec<u8> {
        let mut requests = Requests::default();
        let mut contact = Contact::new(Picoseconds::new(now), &mut requests);
        assert!(device.i2c_start(I2cAddress::Seven(0x50), true, &mut contact));
        let bytes = (0..count).map(|_| device.i2c_read(&mut contact)).collect();
        device.i2c_stop(&mut contact);
        bytes
    }

    #[test]
    fn a_page_rolls_over_and_a_read_goes_on() {
        let mut device = Eeprom::new(0x50);
        assert!(write(&mut device, 0, &[0x0F, 0xFE, 1, 2, 3]));
        assert!(!write(&mut device, 9_999_999_999, &[0, 0]), "busy");
        assert!(write(&mut device, 10_000_000_000, &[0x0F, 0xFE]), "only the address");
        assert_eq!(read(&mut device, 10_000_000_000, 3), [1, 2, 0xFF], "over the end of the memory");
        assert_eq!(device.bytes()[0xFE0], 3);
    }

    #[test]
    fn nothing_is_written_without_a_stop_or_while_protected() {
        let mut device = Eeprom::new(0x50);
        let mut requests = Requests::default();
        let mut contact = Contact::new(Picoseconds::ZERO, &mut requests);
        assert!(!device.i2c_start(I2cAddress::Seven(0x51), false, &mut contact));
        assert!(device.i2c_start(I2cAddress::Seven(0x50), false, &mut contact));
        [0, 5, 7].iter().for_each(|byte| assert!(device.i2c_write(*byte, &mut contact)));
        assert!(device.i2c_start(I2cAddress::Seven(0x50), true, &mut contact));
        device.i2c_stop(&mut contact);
        device.pin(WP, true, &mut contact);
        assert!(write(&mut device, 0, &[0, 5, 8]));
        assert!(device.bytes().iter().all(|byte| *byte == 0xFF));
        assert!(write(&mut device, 0, &[0, 5]), "and it is not busy");
        device.pin(WP, false, &mut Contact::new(Picoseconds::ZERO, &mut requests));
        assert!(write(&mut device, 0, &[0, 5, 8]));
        assert_eq!(device.bytes()[5], 8);
    }
}
