//! SPI of STM32F1 (RM0008, "Serial peripheral interface (SPI)") and of STM32F4 (RM0390, the same chapter): frames of 8 or 16
//! bits, and one of them behind the shift register in each direction. The behaviour is
//! [`Spi`](spi::Spi)'s, and that of I2S is beside it.

use cyclescope_machine::{TimingRow, Width};

use super::spi::{self, RXNE, TXE, Version, WIDE};
use super::spi_i2s::SpiI2s;
use crate::bank::{all, some};
use crate::{Instance, Modelled};

/// The flags of SR that a controller shows.
const FLAGS: &[&str] = &["RXNE", "TXE", "CRCERR", "MODF", "OVR", "BSY"];

/// The modelled registers and fields, with the values after reset (RM0008, "SPI register map").
pub const MODEL: &[Modelled] =
    &[all("CR1", 0).and(&["CR2", "DR", "RXCRCR", "TXCRCR"]), some("SR", TXE, FLAGS), all("CRCPR", 7)];

/// The same of STM32F4 (RM0390, "SPI register map").
pub const MODEL_F4: &[Modelled] = &[
    all("CR1", 0).and(&["DR", "RXCRCR", "TXCRCR"]),
    all("CR2", 0),
    all("SR", TXE),
    all("CRCPR", 7),
    all("I2SPR", 2),
    all("I2SCFGR", 0),
];

/// The timing that does not follow from the clock of bits.
pub const ROWS: &[TimingRow] = &[
    spi::start("RM0008 and RM0390 give no figure; the generator of SCK may run on its own grid, less than one bit"),
    spi::received("RM0008 and RM0390, \"TXE/RXNE/BSY behavior\", draw the flag near the last bit's second edge"),
];

/// The version: one frame each way.
#[derive(Clone, Debug, Default)]
pub struct V1 {
    waiting: Option<u16>,
    arrived: Option<u16>,
    /// The value that DR shows.
    last: u16,
}

/// One controller.
pub type SpiV1 = SpiI2s<V1>;

impl SpiV1 {
    /// The block `instance` of STM32F1.
    pub fn new(instance: &Instance) -> Self {
        Self::with(instance, MODEL)
    }

    /// The block `instance` of STM32F4.
    pub fn new_f4(instance: &Instance) -> Self {
        Self::with(instance, MODEL_F4)
    }
}

impl Version for V1 {
    const ROWS: &'static [TimingRow] = ROWS;
    /// RM0008, RM0390, "BUSY flag".
    const QUIET_RECEPTION: bool = true;

    fn bits(cr1: u32, _: u32) -> u8 {
        if cr1 & WIDE != 0 { 16 } else { 8 }
    }

    /// Written while full: the new data takes the old one's place.
    fn put(&mut self, data: u16, _: Width) {
        self.waiting = Some(data);
    }

    fn take(&mut self, _: Width) -> u16 {
        self.last = self.arrived.take().unwrap_or(self.last);
        self.last
    }

    fn peek(&self, _: u8) -> Option<u16> {
        self.waiting
    }

    fn next(&mut self, _: u8) -> Option<u16> {
        self.waiting.take()
    }

    fn arrived(&mut self, data: u16, _: u8) -> bool {
        let room = self.arrived.is_none();
        if room {
            self.arrived = Some(data);
        }
        room
    }

    fn flags(&self, _: u32, _: bool) -> u32 {
        let full = if self.arrived.is_some() { RXNE } else { 0 };
        full | if self.waiting.is_none() { TXE } else { 0 }
    }
}
