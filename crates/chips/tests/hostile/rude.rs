//! Devices that no data sheet would allow.

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, CanFrame, Contact, I2cAddress, UsbAction, UsbAnswer, UsbState};

use crate::Random;

/// The behaviour of a rude device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It never answers.
    Mute,
    /// It answers, and holds the clock for this long.
    Stretches(Picoseconds),
    /// It holds its first line low.
    HoldsClock,
    /// It holds its second line low.
    HoldsData,
    /// It drives all its lines at random, at random times.
    Babbles,
}

/// A device on any wires, whose names are `pins`.
#[derive(Clone, Debug)]
pub(crate) struct Rude {
    pub pins: &'static [&'static str],
    pub manner: Manner,
    pub random: Random,
}

impl Rude {
    fn later(&mut self, contact: &mut Contact<'_>) {
        let span = [200_000, 1_000_000, 20_000_000, 300_000_000][self.random.of(4) as usize];
        contact.wake_at(contact.now() + Picoseconds::new(span + self.random.of(span)));
    }

    fn byte(&mut self) -> Option<u8> {
        (self.manner != Manner::Mute && self.random.of(4) != 0).then(|| self.random.of(256) as u8)
    }

    /// Its address and endpoint are mostly those that a device has at first.
    fn action(&mut self) -> UsbAction {
        let random = &mut self.random;
        let address = if random.one_in(4) { random.of(128) as u8 } else { 0 };
        let endpoint = if random.one_in(2) { random.of(16) as u8 } else { 0 };
        let setup = random.one_in(2);
        let length = if setup { 8 } else { *random.pick(&[0, 1, 8, 64, 65, 1_023]) };
        match random.of(60) {
            0 => UsbAction::Reset(true),
            1 | 2 => UsbAction::Reset(false),
            3 => UsbAction::Resume(random.one_in(2)),
            4 => UsbAction::Power(random.of(3) != 0),
            5..10 => UsbAction::Frame(random.of(0x800) as u16),
            10..40 => {
                let data = (0..length).map(|_| random.of(256) as u8).collect();
                UsbAction::Out { setup, address, endpoint, toggle: random.one_in(2), data }
            }
            40..45 => UsbAction::InEnd { address, endpoint, acknowledged: random.one_in(2) },
            _ => UsbAction::In { address, endpoint },
        }
    }
}

impl Attached for Rude {
    fn pins(&self) -> &'static [&'static str] {
        self.pins
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        match self.manner {
            Manner::HoldsClock => contact.drive(0, Some(false)),
            Manner::HoldsData => contact.drive(1, Some(false)),
            Manner::Babbles => {
                contact.usb(UsbAction::Power(true));
                contact.usb(UsbAction::Reset(true));
                contact.usb(UsbAction::Reset(false));
                self.later(contact);
            }
            Manner::Mute | Manner::Stretches(_) => {}
        }
    }

    fn i2c_start(&mut self, _: I2cAddress, _: bool, contact: &mut Contact<'_>) -> bool {
        if let Manner::Stretches(span) = self.manner {
            contact.stretch(span);
        }
        matches!(self.manner, Manner::Stretches(_)) || self.manner == Manner::Babbles && self.random.one_in(2)
    }

    fn i2c_header(&mut self, _: u8, _: &mut Contact<'_>) -> bool {
        matches!(self.manner, Manner::Stretches(_))
    }

    fn i2c_write(&mut self, _: u8, contact: &mut Contact<'_>) -> bool {
        if let Manner::Stretches(span) = self.manner {
            contact.stretch(span);
        }
        self.random.of(3) != 0
    }

    fn i2c_read(&mut self, contact: &mut Contact<'_>) -> u8 {
        if let Manner::Stretches(span) = self.manner {
            contact.stretch(span);
        }
        self.random.of(256) as u8
    }

    fn spi_select(&mut self, _: bool, _: &mut Contact<'_>) -> Option<u8> {
        self.byte()
    }

    fn spi_byte(&mut self, _: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.byte()
    }

    fn spi_bit(&mut self, _: u8, _: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.byte()
    }

    fn usb_state(&mut self, _: UsbState, contact: &mut Contact<'_>) {
        if self.manner == Manner::Babbles && self.random.one_in(4) {
            contact.usb(UsbAction::Reset(self.random.one_in(4)));
        }
    }

    fn usb_answer(&mut self, answer: UsbAnswer, contact: &mut Contact<'_>) {
        if matches!(answer, UsbAnswer::Data { .. }) && self.random.one_in(2) {
            let (address, endpoint) = (self.random.of(2) as u8, self.random.of(3) as u8);
            contact.usb(UsbAction::InEnd { address, endpoint, acknowledged: self.random.one_in(2) });
        }
    }

    fn can_acknowledges(&self) -> bool {
        self.manner != Manner::Mute
    }

    fn can_rate(&self) -> Option<u32> {
        (self.manner == Manner::HoldsData).then_some(125_000)
    }

    fn can_next(&self) -> Option<CanFrame> {
        // Of the same state, the same frame.
        let mut random = self.random.clone();
        (self.manner == Manner::Babbles).then(|| CanFrame {
            id: random.of(0x800) as u32,
            extended: random.one_in(2),
            remote: random.one_in(4),
            code: random.of(16) as u8,
            data: random.of(u64::MAX).to_le_bytes(),
        })
    }

    fn can_frame(&mut self, _: CanFrame, own: bool, contact: &mut Contact<'_>) {
        if own {
            self.random.of(2);
        }
        contact.call();
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        let pin = self.random.of(self.pins.len() as u64) as usize;
        match self.pins {
            ["dp"] => {
                let action = self.action();
                contact.usb(action);
            }
            ["can_tx", ..] => contact.call(),
            _ => contact.drive(pin, [None, Some(false), Some(true)][self.random.of(3) as usize]),
        }
        self.later(contact);
    }
}
