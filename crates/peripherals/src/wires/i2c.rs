//! I2C between a part and attached devices: whole transfers of a peripheral, and a target that follows the two lines edge by
//! edge (UM10204, "The I2C-bus protocol").

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress, Transfer};

use super::outside::{Outside, Route};

/// The answer of the targets on a bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// True if one of them acknowledges.
    pub acknowledged: bool,
    /// The time for which `scl` is held low before the transfer can go on.
    pub stretch: Picoseconds,
}

/// The part of a transfer that a target is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No start so far, or one for another target.
    #[default]
    Elsewhere,
    /// The address comes in.
    Address,
    /// Bytes come in.
    Receives,
    /// Bytes go out.
    Sends,
}

/// The lines of a target: levels, and the bits of the byte under way.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    scl: bool,
    sda: bool,
    phase: Phase,
    /// True from an acknowledged start to its stop.
    addressed: bool,
    byte: u8,
    /// The clocks of the byte so far, 9 with the acknowledgement.
    clocks: u8,
    /// The part of a transfer that has ended last, until somebody takes it.
    seen: Option<Transfer>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { scl: true, sda: true, phase: Phase::default(), addressed: false, byte: 0, clocks: 0, seen: None }
    }
}

impl Lines {
    /// `sda` has the level `high` now. Returns the level that `device` gives it from now on, if that changes: `Some(false)`
    /// holds it low, `Some(true)` lets it go.
    pub fn sda(&mut self, high: bool, device: &mut dyn Attached, contact: &mut Contact<'_>) -> Option<bool> {
        if high == std::mem::replace(&mut self.sda, high) || !self.scl {
            return None;
        }
        if high && std::mem::take(&mut self.addressed) {
            device.i2c_stop(contact);
            self.seen = Some(Transfer::I2cStop);
        }
        (self.phase, self.byte, self.clocks) = (if high { Phase::Elsewhere } else { Phase::Address }, 0, 0);
        Some(true)
    }

    /// The same of `scl`.
    pub fn scl(&mut self, high: bool, device: &mut dyn Attached, contact: &mut Contact<'_>) -> Option<bool> {
        if high == std::mem::replace(&mut self.scl, high) || self.phase == Phase::Elsewhere {
            return None;
        }
        if high {
            self.rise();
            None
        } else {
            self.fall(device, contact)
        }
    }

    /// Takes the part of a transfer that has just ended.
    pub const fn take_seen(&mut self) -> Option<Transfer> {
        self.seen.take()
    }

    /// A bit is taken while the clock is high.
    fn rise(&mut self) {
        if self.clocks == 8 && self.phase == Phase::Sends {
            self.seen = Some(Transfer::I2cByte { byte: self.byte, acknowledged: !self.sda });
        }
        if self.clocks < 8 && self.phase != Phase::Sends {
            self.byte = self.byte << 1 | u8::from(self.sda);
        } else if self.clocks == 8 && self.phase == Phase::Sends && self.sda {
            // Not acknowledged: the controller wants no more.
            self.phase = Phase::Elsewhere;
        }
        self.clocks += 1;
    }

    /// The line changes while the clock is low.
    fn fall(&mut self, device: &mut dyn Attached, contact: &mut Contact<'_>) -> Option<bool> {
        match (self.phase, self.clocks) {
            (Phase::Address, 8) => {
                let (address, read) = (I2cAddress::Seven(self.byte >> 1), self.byte & 1 != 0);
                self.addressed = device.i2c_start(address, read, contact);
                self.seen = Some(Transfer::I2cStart { address, read, acknowledged: self.addressed });
                if !self.addressed {
                    self.phase = Phase::Elsewhere;
                }
                self.addressed.then_some(false)
            }
            (Phase::Receives, 8) => {
                let acknowledged = device.i2c_write(self.byte, contact);
                self.seen = Some(Transfer::I2cByte { byte: self.byte, acknowledged });
                acknowledged.then_some(false)
            }
            (Phase::Sends, 8) => Some(true),
            (phase, 9) => {
                if phase == Phase::Address {
                    self.phase = if self.byte & 1 != 0 { Phase::Sends } else { Phase::Receives };
                }
                self.clocks = 0;
                if self.phase == Phase::Sends {
                    self.byte = device.i2c_read(contact);
                    return Some(self.byte & 0x80 != 0);
                }
                self.byte = 0;
                Some(true)
            }
            (Phase::Sends, clocks @ 1..8) => Some(self.byte & 0x80 >> clocks != 0),
            _ => None,
        }
    }
}

/// Transfers of a peripheral.
impl Outside {
    /// A start condition and an address from the block in `slot`, of which `scl` is the clock's signal.
    pub fn i2c_start(&mut self, scl: Route, address: I2cAddress, read: bool, now: Picoseconds) -> Answer {
        let mut answer = Answer::default();
        for index in self.on("scl", scl) {
            let hung = &mut self.devices[index];
            hung.addressed = hung.with(now, |device, contact, _, _| device.i2c_start(address, read, contact));
            answer.acknowledged |= hung.addressed;
            self.finish(index, &mut answer);
        }
        answer
    }

    /// A start condition and the first byte of an address of ten bits, of which `high` are the upper two.
    pub fn i2c_header(&mut self, scl: Route, high: u8, now: Picoseconds) -> bool {
        let mut acknowledged = false;
        for index in self.on("scl", scl) {
            acknowledged |= self.devices[index].with(now, |device, contact, _, _| device.i2c_header(high, contact));
            self.collect(index);
        }
        acknowledged
    }

    /// A byte from the block to the targets that acknowledged.
    pub fn i2c_write(&mut self, scl: Route, byte: u8, now: Picoseconds) -> Answer {
        let mut answer = Answer::default();
        for index in self.addressed(scl) {
            answer.acknowledged |=
                self.devices[index].with(now, |device, contact, _, _| device.i2c_write(byte, contact));
            self.finish(index, &mut answer);
        }
        answer
    }

    /// A byte for the block; with nobody there the line stays high. [`Answer::acknowledged`] means nothing here.
    pub fn i2c_read(&mut self, scl: Route, now: Picoseconds) -> (u8, Answer) {
        let (mut byte, mut answer) = (u8::MAX, Answer::default());
        for index in self.addressed(scl) {
            byte &= self.devices[index].with(now, |device, contact, _, _| device.i2c_read(contact));
            self.finish(index, &mut answer);
        }
        (byte, answer)
    }

    /// A stop condition.
    pub fn i2c_stop(&mut self, scl: Route, now: Picoseconds) {
        for index in self.addressed(scl) {
            self.devices[index].with(now, |device, contact, _, _| device.i2c_stop(contact));
            self.devices[index].addressed = false;
            self.collect(index);
        }
    }

    /// True if a device hangs on the bus of I2C whose clock is the signal `scl`.
    pub fn has_targets(&self, scl: Route) -> bool {
        self.devices.iter().any(|hung| hung.is_on("scl", scl))
    }

    fn addressed(&self, scl: Route) -> Vec<usize> {
        let mut on = self.on("scl", scl);
        on.retain(|index| self.devices[*index].addressed);
        on
    }

    fn finish(&mut self, index: usize, answer: &mut Answer) {
        answer.stretch = answer.stretch.max(std::mem::take(&mut self.devices[index].requests.stretch));
        self.collect(index);
    }
}
