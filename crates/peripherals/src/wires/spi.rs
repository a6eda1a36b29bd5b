//! SPI between a part and attached devices: whole frames of a peripheral, and a target that follows its lines bit by bit.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, Transfer};

use super::outside::{Hung, Outside, Route};

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

/// Frames of a peripheral.
impl Outside {
    /// A frame of `bits` bits from the block in `slot` over its `SCK`, `MOSI` and `MISO`, the bit sent first the highest;
    /// `falling` if bits are taken at falling edges. Returns the bits of the first selected device that drives its line.
    pub fn spi_frame(&mut self, slot: u16, sent: u32, bits: u8, falling: bool, now: Picoseconds) -> Option<u32> {
        self.spi_exchange((slot, "MISO"), (sent, bits), falling, now)
    }

    /// The same where nobody drives what the devices hear, and their answer comes over the signal `line`.
    pub fn spi_receive(
        &mut self,
        slot: u16,
        line: &'static str,
        bits: u8,
        falling: bool,
        now: Picoseconds,
    ) -> Option<u32> {
        self.spi_exchange((slot, line), (0, bits), falling, now)
    }

    /// The bits that the selected device on the block's `SCK` sends next over the signal `line`, the first the highest of
    /// eight, and their number: those of a byte that are already certain.
    pub fn spi_outgoing(&self, slot: u16, line: &'static str) -> Option<(u8, u8)> {
        let hears = |hung: &&Hung| hung.is_on("sck", (slot, "SCK")) && hung.is_on("miso", (slot, line));
        self.devices.iter().filter(hears).find_map(|hung| hung.spi.outgoing())
    }

    /// True for the first frame of the block in `slot` if nobody is on its `SCK` and its `MOSI` does not lead back to it.
    pub(super) fn sends_alone(&mut self, slot: u16) -> bool {
        let known = self.alone.contains(&slot);
        let alone = || {
            let heard = self.devices.iter().any(|hung| hung.is_on("sck", (slot, "SCK")));
            !heard && self.joined((slot, "MOSI")).next().is_none()
        };
        let first = !known && alone();
        if first {
            self.alone.push(slot);
        }
        first
    }

    fn spi_exchange(
        &mut self,
        answers: Route,
        (sent, bits): (u32, u8),
        falling: bool,
        now: Picoseconds,
    ) -> Option<u32> {
        let (slot, mut received) = (answers.0, None);
        if self.joined((slot, "MOSI")).any(|end| end == answers) {
            received = Some(sent);
        }
        for index in self.on("sck", (slot, "SCK")) {
            let hung = &mut self.devices[index];
            if !hung.spi.is_selected() {
                continue;
            }
            let (hears, drives) = (hung.is_on("mosi", (slot, "MOSI")), hung.is_on("miso", answers));
            let answer = hung.with(now, |device, contact, _, spi| {
                if falling != device.spi_falling() {
                    contact.complain("data changes at the clock edge at which it is sampled; the mode of SPI (CPOL, CPHA) does not fit the device");
                }
                (0..bits).rev().fold(None, |answer: Option<u32>, bit| {
                    let sent = !hears || sent >> bit & 1 != 0;
                    let out = spi.exchange(sent, device, contact).map(u32::from);
                    // A line that the device lets go of in the middle reads high.
                    answer.or(out.map(|_| 0)).map(|answer| answer << 1 | out.unwrap_or(1))
                })
            });
            let _ = self.devices[index].spi.take_seen();
            received = received.or(answer.filter(|_| drives));
            self.collect(index);
        }
        received
    }
}
