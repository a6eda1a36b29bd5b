//! A target on SPI, as it follows its lines bit by bit.

use cyclescope_machine::{Attached, Contact, Transfer};

/// The lines of a target, and the bits of the byte under way. Bytes come with their most significant bit first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    selected: bool,
    sck: bool,
    mosi: bool,
    byte: u8,
    bits: u8,
    /// The byte that goes out, if the device drives its line.
    out: Option<u8>,
    /// The level of `miso`, which changes at the edges between those at which bits are taken.
    miso: Option<bool>,
    /// The last byte that came and went, until somebody takes it.
    seen: Option<Transfer>,
}

impl Lines {
    /// True while the chip select is low.
    pub const fn is_selected(&self) -> bool {
        self.selected
    }

    /// The chip select goes down (`true`) or up. A byte that is not whole is lost.
    pub fn select(&mut self, selected: bool, device: &mut dyn Attached, contact: &mut Contact<'_>) {
        if selected != self.selected {
            self.selected = selected;
            (self.byte, self.bits) = (0, 0);
            self.out = device.spi_select(selected, contact).filter(|_| selected);
            self.miso = self.next();
        }
    }

    /// The level of `mosi` is `high` now.
    pub const fn mosi(&mut self, high: bool) {
        self.mosi = high;
    }

    /// The level of `sck` is `high` now.
    pub fn sck(&mut self, high: bool, device: &mut dyn Attached, contact: &mut Contact<'_>) {
        if high == std::mem::replace(&mut self.sck, high) {
            return;
        }
        if high == device.spi_falling() {
            self.miso = self.next();
        } else {
            self.exchange(self.mosi, device, contact);
        }
    }

    /// The level of `miso`, if the device drives it.
    pub const fn miso(&self) -> Option<bool> {
        self.miso
    }

    /// The bits of the byte under way that are still to go out, the first the highest of eight, and their number; `None` if
    /// the device is not selected or does not drive its line.
    pub fn outgoing(&self) -> Option<(u8, u8)> {
        self.out.filter(|_| self.selected).map(|byte| (byte << (self.bits & 7), 8 - (self.bits & 7)))
    }

    /// The bit that goes out next.
    fn next(&self) -> Option<bool> {
        self.out.map(|byte| byte & 0x80 >> (self.bits & 7) != 0)
    }

    /// A bit comes in; returns the one that goes out beside it, if the device is selected and drives its line.
    pub fn exchange(&mut self, bit: bool, device: &mut dyn Attached, contact: &mut Contact<'_>) -> Option<bool> {
        if !self.selected {
            return None;
        }
        let out = self.next();
        self.byte = self.byte << 1 | u8::from(bit);
        self.bits += 1;
        if self.bits == 8 {
            self.bits = 0;
            let received = self.out.map_or(0, u32::from);
            self.seen = Some(Transfer::SpiFrame { sent: self.byte.into(), received, bits: 8 });
            self.out = device.spi_byte(self.byte, contact);
        } else {
            self.out = device.spi_bit(self.byte, self.bits, contact).or(self.out);
        }
        out
    }

    /// Takes the transfer that has just ended.
    pub const fn take_seen(&mut self) -> Option<Transfer> {
        self.seen.take()
    }
}
