//! The sensor BME280 of temperature, humidity and pressure, on I2C or SPI with four wires (Bosch Sensortec, BST-BME280-DS002,
//! rev. 1.6).
//!
//! It measures its values, which stimuli change. Its raw values are those from which the data sheet's compensation
//! computes them, as exactly as the resolution has it.

mod calibration;

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress};

use self::calibration::CALIBRATION;
use crate::quantity::decimal;
use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "bme280",
    summary: "sensor of temperature, humidity and pressure on I2C or SPI",
    options: &[
        ("i2c", "on I2C (default)"),
        ("spi", "on SPI with four wires"),
        ("address=0x76", "its address on I2C, 0x76 or 0x77"),
        ("temperature=25", "in °C, -40 to 85"),
        ("humidity=50", "in per cent, 0 to 100"),
        ("pressure=1013.25", "in hPa, 300 to 1100"),
        ("times=most", "measurements last as long as they may, or as they do by the data sheet: typical"),
    ],
    places: &["i2c1", "scl=PB6,sda=PB7", "spi1,cs=PA4"],
    make,
};

const ON_I2C: &[&str] = &["scl", "sda"];
const ON_SPI: &[&str] = &["sck", "mosi", "miso", "cs"];

const MICROSECOND: u64 = 1_000_000;
/// The time that it takes to copy its calibration after power comes and after a reset ("Start-up time", the most).
const START_UP: Picoseconds = Picoseconds::new(2_000 * MICROSECOND);
/// A measurement in microseconds ("Measurement time"): always, each sample, and once for pressure and for humidity; typical
/// and most.
const ALWAYS: [u64; 2] = [1_000, 1_250];
const SAMPLE: [u64; 2] = [2_000, 2_300];
const ONCE: [u64; 2] = [500, 575];
/// Standby in microseconds, by t_sb.
const STANDBY: [u64; 8] = [500, 62_500, 125_000, 250_000, 500_000, 1_000_000, 10_000, 20_000];

const ID: u8 = 0x60;
const SKIPPED_20: u32 = 0x8_0000;
const SKIPPED_16: u32 = 0x8000;

/// A raw value and its register bits behind the first 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Raw {
    temperature: u32,
    pressure: u32,
    humidity: u32,
}

const SKIPPED: Raw = Raw { temperature: SKIPPED_20, pressure: SKIPPED_20, humidity: SKIPPED_16 };

/// Its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing.
    Sleep,
    /// It measures until then; once, or over and over.
    Measure { until: Picoseconds, again: bool },
    /// It waits until then for the next measurement.
    Standby { until: Picoseconds },
}

/// The sensor. Temperatures are hundredths of a degree, pressures 1/256 Pa, humidities 1/1024 per cent.
#[derive(Clone, Debug)]
pub struct Bme280 {
    spi: bool,
    address: u8,
    /// 1 if times are the most, 0 if they are typical.
    times: usize,
    temperature: i64,
    pressure: i64,
    humidity: i64,
    /// The register of humidity's settings, and the settings that a write of the others has put into effect.
    ctrl_hum: u8,
    humidity_settings: u8,
    ctrl_meas: u8,
    /// A mode that was written during a measurement, which then ends first.
    next_mode: Option<u8>,
    config: u8,
    doing: Doing,
    started: Picoseconds,
    /// The filter's memory of temperature and pressure, from its first measurement on.
    filter: Option<(u32, u32)>,
    data: Raw,
    /// The registers of data as a transfer reads them: those of its beginning.
    shadow: Raw,
    register: Option<u8>,
    reads: bool,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut device = if options.word(&["i2c", "spi"]) == Some("spi") {
        Bme280::on_spi()
    } else {
        let address = options.number("address", "0x76 or 0x77", |address| matches!(address, 0x76 | 0x77))?;
        Bme280::on_i2c(address.map_or(0x76, |address| address as u8))
    };
    for (name, takes) in QUANTITIES {
        if let Some(text) = options.take(name) {
            device.put(name, &text).map_err(|()| options.wrong(name, &text, takes))?;
        }
    }
    match options.take("times").as_deref() {
        None | Some("most") => {}
        Some("typical") => device.times = 0,
        Some(other) => return Err(options.wrong("times", other, "most or typical")),
    }
    Ok(Box::new(device))
}

/// The quantities and what they take.
const QUANTITIES: [(&str, &str); 3] =
    [("temperature", "-40 to 85, in °C"), ("humidity", "0 to 100, in per cent"), ("pressure", "300 to 1100, in hPa")];

impl Bme280 {
    /// A sensor on I2C at `address`, at 25 °C, 50 % and 1013.25 hPa.
    pub const fn on_i2c(address: u8) -> Self {
        Self::new(false, address)
    }

    /// A sensor on SPI.
    pub const fn on_spi() -> Self {
        Self::new(true, 0)
    }

    const fn new(spi: bool, address: u8) -> Self {
        Self {
            spi,
            address,
            times: 1,
            temperature: 2_500,
            pressure: 101_325 * 256,
            humidity: 50 * 1_024,
            ctrl_hum: 0,
            humidity_settings: 0,
            ctrl_meas: 0,
            next_mode: None,
            config: 0,
            doing: Doing::Sleep,
            started: Picoseconds::ZERO,
            filter: None,
            data: SKIPPED,
            shadow: SKIPPED,
            register: None,
            reads: false,
        }
    }

    /// Gives the quantity `name` the value of `text`.
    fn put(&mut self, name: &str, text: &str) -> Result<(), ()> {
        let within = |units: &[&str], places, least: i64, most: i64| {
            decimal(text, units, places).filter(|value| (least..=most).contains(value)).ok_or(())
        };
        match name {
            "temperature" => self.temperature = within(&["°C", "C"], 2, -4_000, 8_500)?,
            "humidity" => self.humidity = within(&["%"], 3, 0, 100_000)? * 1_024 / 1_000,
            // Hundredths of a pascal.
            "pressure" => self.pressure = within(&["hPa"], 4, 3_000_000, 11_000_000)? * 256 / 100,
            _ => return Err(()),
        }
        Ok(())
    }

    /// The samples that a setting takes ("Register settings osrs"): 0, 1, 2, 4, 8, 16.
    const fn samples(setting: u8) -> u64 {
        match setting & 7 {
            0 => 0,
            setting @ 1..=4 => 1 << (setting - 1),
            _ => 16,
        }
    }

    /// The settings of temperature, pressure and humidity.
    const fn settings(&self) -> [u8; 3] {
        [self.ctrl_meas >> 5, self.ctrl_meas >> 2 & 7, self.humidity_settings]
    }

    /// The length of a measurement.
    fn measurement(&self) -> Picoseconds {
        let [temperature, pressure, humidity] = self.settings().map(Self::samples);
        let once = |samples: u64| if samples > 0 { ONCE[self.times] } else { 0 };
        let samples = SAMPLE[self.times] * (temperature + pressure + humidity);
        Picoseconds::new((ALWAYS[self.times] + samples + once(pressure) + once(humidity)) * MICROSECOND)
    }

    /// Goes to the mode of ctrl_meas at `now`.
    fn begin(&mut self, now: Picoseconds) {
        self.doing = match self.ctrl_meas & 3 {
            0 => Doing::Sleep,
            mode => Doing::Measure { until: now + self.measurement(), again: mode == 3 },
        };
    }

    /// A measurement has ended: its results go through the filter into the registers ("Measurement flow").
    fn measured(&mut self) {
        let [temperature, pressure, humidity] = self.settings();
        let raw_temperature = CALIBRATION.raw_temperature(self.temperature);
        let coefficient = match self.config >> 2 & 7 {
            0 => 1,
            setting @ 1..=3 => 1u32 << setting,
            _ => 16,
        };
        // Without the filter there are 16 bits, and one more for each doubling of samples ("Resolution").
        let resolved = |raw: i64, setting: u8| {
            let missing = if coefficient > 1 { 0 } else { 5 - u32::from(setting.clamp(1, 5)) };
            let half = (1i64 << missing) >> 1;
            ((raw + half) >> missing << missing).clamp(0, 0xF_FFFF) as u32
        };
        let mut data = Raw {
            temperature: resolved(raw_temperature, temperature),
            pressure: resolved(CALIBRATION.raw_pressure(self.pressure, raw_temperature), pressure),
            humidity: CALIBRATION.raw_humidity(self.humidity, raw_temperature) as u32,
        };
        if coefficient > 1 {
            let before = self.filter.unwrap_or((data.temperature, data.pressure));
            let step = |before: u32, raw: u32| (before * (coefficient - 1) + raw) / coefficient;
            (data.temperature, data.pressure) = (step(before.0, data.temperature), step(before.1, data.pressure));
            self.filter = Some((data.temperature, data.pressure));
        }
        self.data = Raw {
            temperature: if temperature == 0 { SKIPPED_20 } else { data.temperature },
            pressure: if pressure == 0 { SKIPPED_20 } else { data.pressure },
            humidity: if humidity == 0 { SKIPPED_16 } else { data.humidity },
        };
    }

    /// Brings the sensor to `now`.
    fn pass(&mut self, now: Picoseconds) {
        loop {
            match self.doing {
                Doing::Measure { until, again } if until <= now => {
                    self.measured();
                    self.doing = Doing::Sleep;
                    if let Some(mode) = self.next_mode.take() {
                        self.ctrl_meas = self.ctrl_meas & !3 | mode;
                        self.begin(until);
                    } else if again {
                        let standby = STANDBY[usize::from(self.config >> 5)] * MICROSECOND;
                        self.doing = Doing::Standby { until: until + Picoseconds::new(standby) };
                    } else {
                        self.ctrl_meas &= !3;
                    }
                }
                Doing::Standby { until } if until <= now => {
                    self.doing = Doing::Measure { until: until + self.measurement(), again: true };
                }
                _ => return,
            }
        }
    }

    fn read(&self, register: u8, now: Picoseconds) -> u8 {
        let Raw { temperature, pressure, humidity } = self.shadow;
        let twenty = |raw: u32, part: u8| [raw >> 12, raw >> 4, raw << 4][usize::from(part)] as u8;
        match register {
            0xD0 => ID,
            0xF2 => self.ctrl_hum,
            0xF3 => {
                let measures = matches!(self.doing, Doing::Measure { .. });
                u8::from(measures) << 3 | u8::from(now < self.started + START_UP)
            }
            0xF4 => self.ctrl_meas,
            0xF5 => self.config,
            0xF7..=0xF9 => twenty(pressure, register - 0xF7),
            0xFA..=0xFC => twenty(temperature, register - 0xFA),
            0xFD => (humidity >> 8) as u8,
            0xFE => humidity as u8,
            _ => CALIBRATION.register(register),
        }
    }

    fn write(&mut self, register: u8, byte: u8, contact: &mut Contact<'_>) {
        let now = contact.now();
        match register {
            0xE0 if byte == 0xB6 => {
                let fresh = Self::new(self.spi, self.address);
                let Self { times, temperature, pressure, humidity, register, reads, .. } = *self;
                *self = Self { times, temperature, pressure, humidity, register, reads, started: now, ..fresh };
            }
            0xF2 => self.ctrl_hum = byte & 7,
            0xF4 => {
                // "Changes to this register only become effective after a write operation to ctrl_meas."
                self.humidity_settings = self.ctrl_hum;
                if matches!(self.doing, Doing::Measure { .. }) {
                    self.ctrl_meas = byte & !3 | self.ctrl_meas & 3;
                    self.next_mode = Some(byte & 3);
                } else {
                    self.ctrl_meas = byte;
                    self.begin(now);
                }
            }
            0xF5 if self.doing != Doing::Sleep => {
                contact.complain("a write of config (0xf5) outside sleep mode may be ignored, and is here");
            }
            0xF5 => {
                if byte & 1 != 0 {
                    contact.complain("it has no SPI with three wires (spi3w_en)");
                }
                if (self.config ^ byte) & 0x1C != 0 {
                    self.filter = None;
                }
                self.config = byte & 0xFC;
            }
            _ => {}
        }
    }

    /// A byte of a write: registers and data in turn.
    fn take(&mut self, byte: u8, contact: &mut Contact<'_>) {
        self.pass(contact.now());
        match self.register.take() {
            None => self.register = Some(byte),
            Some(register) => self.write(register | 0x80, byte, contact),
        }
    }

    /// A transfer begins to read.
    fn freeze(&mut self, now: Picoseconds) {
        self.pass(now);
        self.shadow = self.data;
    }

    /// The next byte of a read.
    fn next(&mut self, now: Picoseconds) -> u8 {
        self.pass(now);
        let register = self.register.unwrap_or(0xFF);
        self.register = Some(register.wrapping_add(1) | 0x80);
        self.read(register, now)
    }
}

impl Attached for Bme280 {
    fn pins(&self) -> &'static [&'static str] {
        if self.spi { ON_SPI } else { ON_I2C }
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        self.started = contact.now();
    }

    fn i2c_start(&mut self, address: I2cAddress, read: bool, contact: &mut Contact<'_>) -> bool {
        if address != I2cAddress::Seven(self.address) {
            return false;
        }
        if read {
            self.freeze(contact.now());
        } else {
            self.register = None;
        }
        true
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        self.take(byte, contact);
        true
    }

    fn i2c_read(&mut self, contact: &mut Contact<'_>) -> u8 {
        self.next(contact.now())
    }

    fn spi_select(&mut self, _: bool, _: &mut Contact<'_>) -> Option<u8> {
        (self.register, self.reads) = (None, false);
        None
    }

    /// The first byte is a register; its bit 7 says that it is read ("SPI read", "SPI write").
    fn spi_byte(&mut self, byte: u8, contact: &mut Contact<'_>) -> Option<u8> {
        let now = contact.now();
        if self.register.is_none() && byte & 0x80 != 0 && !self.reads {
            self.reads = true;
            self.register = Some(byte);
            self.freeze(now);
        }
        if self.reads {
            return Some(self.next(now));
        }
        self.take(byte, contact);
        None
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        self.pass(contact.now());
        let Some((_, takes)) = QUANTITIES.iter().find(|(known, _)| *known == name) else {
            return Err(format!("this device has no value `{name}`; it has temperature, humidity and pressure"));
        };
        self.put(name, value).map_err(|()| format!("{name} cannot be `{value}`; it is {takes}"))
    }
}

#[cfg(test)]
mod tests;
