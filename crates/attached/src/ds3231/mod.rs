//! The clock DS3231 on I2C (Maxim, "DS3231", 19-5170).
//!
//! It runs in simulated time and has power all the time. The pin of 32 kHz is not there.

mod clock;

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress};

use self::clock::Clock;
use crate::quantity::decimal;
use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "ds3231",
    summary: "clock with alarms on I2C",
    options: &[
        ("time=2026-05-01T12:00:00", "its time at the start; else it has lost it, and its oscillator had stopped"),
        ("temperature=25", "the temperature in °C, -40 to 85"),
    ],
    places: &["i2c1", "scl=PB6,sda=PB7"],
    make,
};

const ADDRESS: u8 = 0x68;
const INT: usize = 2;
const SECOND: Picoseconds = Picoseconds::new(1_000_000_000_000);
/// A conversion of the temperature ("Electrical characteristics", tCONV, the most).
const CONVERSION: Picoseconds = Picoseconds::new(200_000_000_000);
/// The time after which BSY tells of a conversion that the user has asked for ("Control register").
const UNTIL_BUSY: Picoseconds = Picoseconds::new(2_000_000_000);
/// Seconds between conversions.
const UPDATE: u64 = 64;

const CONTROL: u8 = 0x0E;
const CONV: u8 = 1 << 5;
const INTCN: u8 = 1 << 2;
const STATUS: u8 = 0x0F;
const OSF: u8 = 1 << 7;
const EN32KHZ: u8 = 1 << 3;
const BSY: u8 = 1 << 2;
/// A1F and A2F of the status, A1IE and A2IE of the control.
const ALARMS: u8 = 3;
const LAST: u8 = 0x12;

/// The clock.
#[derive(Clone, Debug)]
pub struct Ds3231 {
    clock: Clock,
    /// The time at which its second began.
    since: Picoseconds,
    /// Alarm 1, alarm 2.
    alarms: [u8; 7],
    control: u8,
    status: u8,
    aging: u8,
    /// Quarters of a degree: as it is, and as it was converted last.
    temperature: i16,
    converted: i16,
    /// The time at which a conversion that the user has asked for began.
    converting: Option<Picoseconds>,
    /// Seconds since the last conversion of its own.
    seconds: u64,
    /// The registers of time as the user reads them.
    shown: [u8; 7],
    register: Option<u8>,
    /// The next edge of the square wave, and the level before it.
    edge: Picoseconds,
    high: bool,
    /// The pin is pulled low.
    pulls: bool,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut device = Ds3231::new();
    if let Some(text) = options.take("time") {
        device.clock =
            Clock::parse(&text).ok_or_else(|| options.wrong("time", &text, "a time: 2026-05-01T12:00:00"))?;
        device.status &= !OSF;
    }
    if let Some(text) = options.take("temperature") {
        device.temperature = quarters(&text).ok_or_else(|| options.wrong("temperature", &text, "-40 to 85"))?;
        device.converted = device.temperature;
    }
    Ok(Box::new(device))
}

/// The quarters of a degree of `text` in °C, rounded; `None` for what is no temperature from -40 to 85 °C.
fn quarters(text: &str) -> Option<i16> {
    let hundredths = decimal(text, &["°C", "C"], 2)?;
    let quarters = (hundredths * 2 + 25).div_euclid(50);
    (-4_000..=8_500).contains(&hundredths).then_some(quarters as i16)
}

impl Default for Ds3231 {
    fn default() -> Self {
        Self::new()
    }
}

impl Ds3231 {
    /// A clock that has power for the first time, at 25 °C.
    pub const fn new() -> Self {
        Self {
            clock: Clock::FIRST,
            since: Picoseconds::ZERO,
            alarms: [0; 7],
            control: 0x1C,
            status: OSF | EN32KHZ,
            aging: 0,
            temperature: 100,
            converted: 100,
            converting: None,
            seconds: 0,
            shown: [0; 7],
            register: None,
            edge: Picoseconds::ZERO,
            high: false,
            pulls: false,
        }
    }

    /// Half a period of the square wave ("Square-wave output frequency").
    const fn half(&self) -> Picoseconds {
        Picoseconds::new(match self.control >> 3 & 3 {
            0 => 500_000_000_000,
            1 => 488_281_250,
            2 => 122_070_312,
            _ => 61_035_156,
        })
    }

    /// True if alarm 1 (`first`) or 2 goes off at the time that the clock shows ("Alarm mask bits").
    fn matches(&self, first: bool) -> bool {
        let shown = self.clock.registers();
        let (seconds, others) = if first { (self.alarms[0], &self.alarms[1..4]) } else { (0, &self.alarms[4..7]) };
        let on_day = others[2] & 0x40 != 0;
        let day = if on_day { shown[3] } else { shown[4] };
        let fields = [(seconds, shown[0]), (others[0], shown[1]), (others[1], shown[2]), (others[2] & !0x40, day)];
        fields.iter().all(|(alarm, shown)| alarm & 0x80 != 0 || alarm & 0x7F == shown & 0x7F)
    }

    /// Brings the clock to `now`.
    fn pass(&mut self, now: Picoseconds) {
        while self.since + SECOND <= now {
            self.since += SECOND;
            self.clock.tick();
            self.seconds += 1;
            if self.seconds == UPDATE {
                self.seconds = 0;
                self.converted = self.temperature;
            }
            self.status |= u8::from(self.matches(true)) | u8::from(self.matches(false)) << 1;
        }
        if self.converting.is_some_and(|began| began + CONVERSION <= now) {
            self.converting = None;
            self.control &= !CONV;
            self.converted = self.temperature;
        }
    }

    /// Sets its pin and its alarm by what its registers say now.
    fn attend(&mut self, contact: &mut Contact<'_>) {
        let wave = self.control & INTCN == 0;
        let interrupts = self.control & self.status & ALARMS != 0;
        let pulls = if wave { !self.high } else { interrupts };
        if pulls != self.pulls {
            self.pulls = pulls;
            contact.drive(INT, pulls.then_some(false));
        }
        // An alarm that nobody can see is found when the status is read.
        if wave {
            contact.wake_at(self.edge);
        } else if self.control & ALARMS != 0 && !interrupts {
            contact.wake_at(self.since + SECOND);
        } else {
            contact.sleep();
        }
    }

    fn read(&self, register: u8, now: Picoseconds) -> u8 {
        match register {
            0..=6 => self.shown[usize::from(register)],
            7..=0x0D => self.alarms[usize::from(register - 7)],
            CONTROL => self.control,
            STATUS => {
                let busy = self.converting.is_some_and(|began| began + UNTIL_BUSY <= now);
                self.status | if busy { BSY } else { 0 }
            }
            0x10 => self.aging,
            0x11 => (self.converted >> 2) as u8,
            _ => (self.converted as u8 & 3) << 6,
        }
    }

    fn write(&mut self, register: u8, byte: u8, contact: &mut Contact<'_>) {
        let now = contact.now();
        match register {
            0..=6 => {
                if !self.clock.write(register, byte) {
                    contact.complain(format!("register {register:#04x} takes no {byte:#04x}, which no clock shows"));
                }
                if register == 0 {
                    // The countdown chain begins anew; the wave of 1 Hz rises half a second later.
                    self.since = now;
                    (self.edge, self.high) = (now + self.half(), false);
                }
            }
            7..=0x0D => self.alarms[usize::from(register - 7)] = byte,
            CONTROL => {
                let before = self.control;
                self.control = byte | before & CONV;
                if byte & CONV != 0 && self.converting.is_none() {
                    self.converting = Some(now);
                }
                if before & INTCN != byte & INTCN || before & 0x18 != byte & 0x18 {
                    (self.edge, self.high) = (now + self.half(), false);
                }
            }
            // Flags are only taken back.
            STATUS => self.status = self.status & byte & (OSF | ALARMS) | byte & EN32KHZ,
            0x10 => self.aging = byte,
            _ => {}
        }
    }
}

impl Attached for Ds3231 {
    fn pins(&self) -> &'static [&'static str] {
        &["scl", "sda", "int"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        self.since = contact.now();
        self.attend(contact);
    }

    fn i2c_start(&mut self, address: I2cAddress, read: bool, contact: &mut Contact<'_>) -> bool {
        self.pass(contact.now());
        self.attend(contact);
        // Any start brings what the user reads up to date.
        self.shown = self.clock.registers();
        let meant = address == I2cAddress::Seven(ADDRESS);
        if meant && !read {
            self.register = None;
        }
        meant
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        self.pass(contact.now());
        match self.register {
            None => self.register = Some(byte.min(LAST)),
            Some(register) => {
                self.write(register, byte, contact);
                self.register = Some(if register == LAST { 0 } else { register + 1 });
            }
        }
        self.attend(contact);
        true
    }

    fn i2c_read(&mut self, contact: &mut Contact<'_>) -> u8 {
        self.pass(contact.now());
        let register = self.register.unwrap_or(0);
        let byte = self.read(register, contact.now());
        self.register = Some(if register == LAST { 0 } else { register + 1 });
        if register == LAST {
            self.shown = self.clock.registers();
        }
        byte
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        self.pass(now);
        if self.control & INTCN == 0 && self.edge <= now {
            self.high = !self.high;
            self.edge += self.half();
        }
        self.attend(contact);
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        self.pass(contact.now());
        match name {
            "temperature" => {
                let wrong = || format!("temperature cannot be `{value}`; it is a number of °C from -40 to 85");
                self.temperature = quarters(value).ok_or_else(wrong)?;
                Ok(())
            }
            _ => Err(format!("this device has no value `{name}`; it has temperature")),
        }
    }
}

#[cfg(test)]
mod tests;
