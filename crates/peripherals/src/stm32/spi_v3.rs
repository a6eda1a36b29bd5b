//! SPI with FIFOs, as on STM32C0 and STM32G0 (RM0490, "Serial peripheral interface / integrated interchip sound (SPI/I2S)"):
//! frames of 4 to 16 bits and four bytes behind the shift register in each direction. The behaviour is
//! [`Spi`](spi::Spi)'s, and that of I2S is beside it.
//!
//! An access of a half-word or a word to DR moves two bytes, one of a byte moves one: with frames of up to 8 bits a
//! half-word is two frames.

use std::collections::VecDeque;

use cyclescope_machine::{TimingRow, Width};

use super::spi::{self, CPHA, RXNE, TXE, Version};
use super::spi_i2s::SpiI2s;
use crate::bank::{all, but};
use crate::{Instance, Modelled};

/// Bits of CR2.
const NSSP: u32 = 1 << 3;
const FRXTH: u32 = 1 << 12;

/// Bytes of each FIFO.
const FIFO: usize = 4;

/// The modelled registers and fields, with the values after reset (RM0490, "SPI/I2S register map").
pub const MODEL: &[Modelled] = &[
    all("CR1", 0).and(&["DR16", "RXCRCR", "TXCRCR"]),
    all("CR2", 0x0700),
    all("SR", TXE),
    all("CRCPR", 7),
    all("I2SPR", 2),
    but("I2SCFGR", 0, &["ASTRTEN"]),
];

/// The timing that does not follow from the clock of bits.
pub const ROWS: &[TimingRow] = &[
    spi::start("RM0490 gives no figure; the generator of SCK may run on its own grid, less than one bit"),
    spi::received("RM0490, \"Communication diagrams\", draws the flag near the last bit's second edge"),
    TimingRow::assumed(
        "spi.nss_pulse",
        "periods of SCK for which NSS is high between two frames",
        1,
        "RM0490, \"NSS pulse mode\": high for at least one period; the waits before and after it are not given",
    ),
];

/// The version: four bytes each way.
#[derive(Clone, Debug, Default)]
pub struct V3 {
    waiting: VecDeque<u8>,
    arrived: VecDeque<u8>,
}

/// One controller.
pub type SpiV3 = SpiI2s<V3>;

impl SpiV3 {
    /// The block `instance`.
    pub fn new(instance: &Instance) -> Self {
        Self::with(instance, MODEL)
    }
}

/// The bytes that an access moves.
const fn bytes(width: Width) -> usize {
    if matches!(width, Width::Byte) { 1 } else { 2 }
}

/// The bytes that a frame takes.
const fn bytes_of(bits: u8) -> usize {
    if bits > 8 { 2 } else { 1 }
}

impl Version for V3 {
    const ROWS: &'static [TimingRow] = ROWS;
    const QUIET_RECEPTION: bool = false;
    const I2S_DEPTH: usize = 2;
    const ODD: [u32; 2] = [1 << 13, 1 << 14];

    /// RM0490, CR2.DS: codes below 4 bits mean 8 bits.
    fn bits(_: u32, cr2: u32) -> u8 {
        match cr2 >> 8 & 15 {
            code @ 3.. => code as u8 + 1,
            _ => 8,
        }
    }

    fn pulses(cr1: u32, cr2: u32) -> bool {
        cr2 & (NSSP | spi::FRF) == NSSP && cr1 & CPHA == 0
    }

    /// Written while full: the data is lost.
    fn put(&mut self, data: u16, width: Width) {
        if self.waiting.len() + bytes(width) <= FIFO {
            self.waiting.extend(&data.to_le_bytes()[..bytes(width)]);
        }
    }

    fn take(&mut self, width: Width) -> u16 {
        let mut data = [0; 2];
        for (byte, arrived) in data.iter_mut().zip(self.arrived.drain(..bytes(width).min(self.arrived.len()))) {
            *byte = arrived;
        }
        u16::from_le_bytes(data)
    }

    fn peek(&self, bits: u8) -> Option<u16> {
        let low = *self.waiting.front()?;
        let high = if bits > 8 { *self.waiting.get(1)? } else { 0 };
        Some(u16::from_le_bytes([low, high]))
    }

    fn next(&mut self, bits: u8) -> Option<u16> {
        if self.waiting.len() < bytes_of(bits) {
            return None;
        }
        let low = self.waiting.pop_front()?;
        let high = if bits > 8 { self.waiting.pop_front()? } else { 0 };
        Some(u16::from_le_bytes([low, high]))
    }

    fn arrived(&mut self, data: u16, bits: u8) -> bool {
        let room = self.arrived.len() + bytes_of(bits) <= FIFO;
        if room {
            self.arrived.extend(&data.to_le_bytes()[..bytes_of(bits)]);
        }
        room
    }

    /// RM0490, SR: levels in quarters. Three bytes to send count as full.
    fn flags(&self, cr2: u32, odd: bool) -> u32 {
        let (waiting, arrived) = (self.waiting.len(), self.arrived.len());
        let enough = if odd || cr2 & FRXTH != 0 { 1 } else { 2 };
        let levels = [0, 1, 2, 2, 3][arrived.min(FIFO)] << 9 | [0, 1, 2, 3, 3][waiting.min(FIFO)] << 11;
        let full = if arrived >= enough { RXNE } else { 0 };
        levels | full | if waiting <= FIFO / 2 { TXE } else { 0 }
    }
}
