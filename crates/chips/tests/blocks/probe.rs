//! A device on the wires of a part: it keeps what it hears, and sends what it is told to.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress};

#[derive(Clone, Debug, Default)]
pub struct Probe {
    spi: bool,
    falling: bool,
    /// It keeps its selections, too.
    pub selects: bool,
    pub heard: Vec<String>,
    pub sends: VecDeque<u8>,
    /// The time for which it holds SCL before each acknowledgement and before each byte that it sends.
    pub stretch: Picoseconds,
}

impl Probe {
    /// A target on SPI that takes bits at rising edges, or at falling ones.
    pub fn spi(falling: bool, sends: &[u8]) -> Self {
        Self { spi: true, falling, sends: sends.iter().copied().collect(), ..Self::default() }
    }

    /// A target on I2C with the address 0x3C, which refuses the byte 0xEE.
    pub fn i2c(sends: &[u8]) -> Self {
        Self { sends: sends.iter().copied().collect(), ..Self::default() }
    }

    fn next(&mut self) -> Option<u8> {
        self.sends.pop_front()
    }
}

impl Attached for Probe {
    fn pins(&self) -> &'static [&'static str] {
        if self.spi { &["sck", "mosi", "miso", "cs"] } else { &["scl", "sda"] }
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn i2c_start(&mut self, address: I2cAddress, read: bool, contact: &mut Contact<'_>) -> bool {
        let mine = address == I2cAddress::Seven(0x3C);
        if mine {
            self.heard.push(if read { "from" } else { "to" }.into());
            contact.stretch(self.stretch);
        }
        mine
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        self.heard.push(format!("{byte:02x}"));
        contact.stretch(self.stretch);
        byte != 0xEE
    }

    fn i2c_read(&mut self, contact: &mut Contact<'_>) -> u8 {
        contact.stretch(self.stretch);
        self.next().unwrap_or(0xFF)
    }

    fn i2c_stop(&mut self, _: &mut Contact<'_>) {
        self.heard.push("stop".into());
    }

    fn spi_falling(&self) -> bool {
        self.falling
    }

    fn spi_select(&mut self, selected: bool, _: &mut Contact<'_>) -> Option<u8> {
        if self.selects {
            self.heard.push(if selected { "[" } else { "]" }.into());
        }
        if selected { self.next() } else { None }
    }

    fn spi_byte(&mut self, byte: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.heard.push(format!("{byte:02x}"));
        self.next()
    }
}
