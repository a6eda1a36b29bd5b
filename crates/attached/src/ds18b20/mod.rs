//! The thermometer DS18B20 on 1-Wire (Maxim, "DS18B20", revision 042208).
//!
//! It has a supply of its own: a program that holds the line high for a conversion does no harm. Its line has a pull-up. Several share
//! it, each with its serial number.

mod line;

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact};

use self::line::{Heard, Line};
use crate::quantity::decimal;
use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "ds18b20",
    summary: "thermometer on 1-Wire",
    options: &[
        ("temperature=25", "the temperature in °C, -55 to 125"),
        ("serial=0x1", "the 48 bits of its serial number, by which a search finds it"),
    ],
    places: &["dq=PB0"],
    make,
};

const FAMILY: u8 = 0x28;

/// Commands to all ("ROM commands").
const SEARCH_ROM: u8 = 0xF0;
const READ_ROM: u8 = 0x33;
const MATCH_ROM: u8 = 0x55;
const SKIP_ROM: u8 = 0xCC;
const ALARM_SEARCH: u8 = 0xEC;
/// Commands to those addressed ("DS18B20 function commands").
const CONVERT: u8 = 0x44;
const WRITE_SCRATCHPAD: u8 = 0x4E;
const READ_SCRATCHPAD: u8 = 0xBE;
const COPY_SCRATCHPAD: u8 = 0x48;
const RECALL: u8 = 0xB8;
const READ_SUPPLY: u8 = 0xB4;

/// The bytes of the scratchpad ("DS18B20 memory map"): TH, TL and the configuration lie behind the temperature.
const TH: usize = 2;
const TL: usize = 3;
const CONFIGURATION: usize = 4;
/// R1 and R0, and the bits of the configuration that are always 1.
const RESOLUTION: u8 = 0x60;
const ONES: u8 = 0x1F;

/// A conversion of twelve bits, of which each bit less takes half ("AC electrical characteristics", tCONV, the most).
const CONVERSION: u64 = 750_000_000_000;
/// A write to the EEPROM (tWR, the most).
const COPY: Picoseconds = Picoseconds::new(10_000_000_000);

/// The part of a transaction that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing before a reset of the line.
    Ignores,
    /// A command to all.
    Rom,
    /// The number that it is compared with.
    Match,
    /// A search: the bit of the number, and its step: the bit, its complement, the answer.
    Search { bit: u8, step: u8 },
    /// Its number goes out, from this bit on.
    Number(u8),
    /// A command for it.
    Command,
    /// The scratchpad goes out, from this bit on.
    Reads(u8),
    /// Bytes for the scratchpad, this many of which have come.
    Writes(u8),
    /// Zeros go out while it is busy, then ones.
    Status,
    /// Ones go out.
    Ones,
}

/// The thermometer.
#[derive(Clone, Debug)]
pub struct Ds18b20 {
    line: Line,
    state: State,
    /// Bits that have come in, the first the lowest, and their number.
    shift: u64,
    bits: u8,
    number: u64,
    /// Sixteenths of a degree.
    temperature: i16,
    scratchpad: [u8; 8],
    /// TH, TL and the configuration, without power.
    eeprom: [u8; 3],
    /// The time at which a conversion ends, and what it gives.
    converting: Option<(Picoseconds, i16)>,
    /// The last conversion lay at or beyond a limit of that time.
    alarmed: bool,
    /// The time up to which it is busy.
    busy: Picoseconds,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut device = Ds18b20::new(1);
    if let Some(text) = options.take("temperature") {
        device.temperature = sixteenths(&text).ok_or_else(|| options.wrong("temperature", &text, "-55 to 125"))?;
    }
    let fits = |serial: u64| serial >> 48 == 0;
    if let Some(serial) = options.number("serial", "a number of at most 48 bits", fits)? {
        device.number = number(serial);
    }
    Ok(Box::new(device))
}

/// The sixteenths of a degree of `text` in °C, rounded down; `None` for what is no temperature from -55 to 125 °C.
fn sixteenths(text: &str) -> Option<i16> {
    let parts = decimal(text, &["°C", "C"], 4)?;
    (-550_000..=1_250_000).contains(&parts).then_some((parts * 16).div_euclid(10_000) as i16)
}

/// The check of `bytes` ("CRC generation": x^8 + x^5 + x^4 + 1, lowest bits first).
fn crc(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0x8C })
    })
}

/// The 64 bits of the device with this serial number ("64-bit lasered ROM code").
fn number(serial: u64) -> u64 {
    let number = serial << 8 | u64::from(FAMILY);
    number | u64::from(crc(&number.to_le_bytes()[..7])) << 56
}

impl Ds18b20 {
    /// A thermometer that has power for the first time, at 25 °C.
    pub fn new(serial: u64) -> Self {
        // 85 °C, no alarms that anybody has set, twelve bits ("DS18B20 memory map", power-up state).
        let eeprom = [0x4B, 0x46, RESOLUTION | ONES];
        Self {
            line: Line::default(),
            state: State::Ignores,
            shift: 0,
            bits: 0,
            number: number(serial & 0xFFFF_FFFF_FFFF),
            temperature: 25 * 16,
            scratchpad: [0x50, 0x05, eeprom[0], eeprom[1], eeprom[2], 0xFF, 0x0C, 0x10],
            eeprom,
            converting: None,
            alarmed: false,
            busy: Picoseconds::ZERO,
        }
    }

    /// A conversion that has ended by `now` shows in the scratchpad and in the answer to a search for alarms.
    fn settle(&mut self, now: Picoseconds) {
        if let Some((_, result)) = self.converting.take_if(|(ends, _)| *ends <= now) {
            self.scratchpad[..2].copy_from_slice(&result.to_le_bytes());
            // "Operation — alarm signaling": bits 11 to 4 are compared, after each conversion.
            let degrees = (result >> 4) as i8;
            self.alarmed = degrees >= self.scratchpad[TH] as i8 || degrees <= self.scratchpad[TL] as i8;
        }
    }

    /// Bits of a conversion that are not made, below the others.
    const fn missing_bits(&self) -> u32 {
        3 - (self.scratchpad[CONFIGURATION] >> 5 & 3) as u32
    }

    fn enter(&mut self, state: State) {
        (self.state, self.shift, self.bits) = (state, 0, 0);
    }

    /// The bit that goes out in the slot that begins now; `None` if one is to come in.
    fn sends(&mut self, now: Picoseconds) -> Option<bool> {
        let bit_of = |bytes: &[u8], bit: u8| bytes[usize::from(bit / 8)] >> (bit % 8) & 1 != 0;
        match self.state {
            State::Search { bit, step: step @ ..2 } => {
                self.state = State::Search { bit, step: step + 1 };
                Some((self.number >> bit & 1 != 0) != (step == 1))
            }
            State::Number(bit) => {
                self.enter(if bit == 63 { State::Command } else { State::Number(bit + 1) });
                Some(self.number >> bit & 1 != 0)
            }
            State::Reads(bit) => {
                self.settle(now);
                self.state = if bit == 71 { State::Ones } else { State::Reads(bit + 1) };
                let check = [crc(&self.scratchpad)];
                Some(if bit < 64 { bit_of(&self.scratchpad, bit) } else { bit_of(&check, bit - 64) })
            }
            State::Status => Some(now >= self.busy),
            State::Ones => Some(true),
            State::Ignores | State::Rom | State::Match | State::Search { .. } | State::Command | State::Writes(_) => {
                None
            }
        }
    }

    /// A bit has come in.
    fn take(&mut self, bit: bool, contact: &mut Contact<'_>) {
        if let State::Search { bit: place, .. } = self.state {
            let follows = (self.number >> place & 1 != 0) == bit;
            return self.enter(match place {
                _ if !follows => State::Ignores,
                63 => State::Command,
                _ => State::Search { bit: place + 1, step: 0 },
            });
        }
        self.shift |= u64::from(bit) << (self.bits & 63);
        self.bits += 1;
        let awaited = if self.state == State::Match { 64 } else { 8 };
        if self.bits < awaited {
            return;
        }
        let byte = self.shift as u8;
        // Before limits change.
        self.settle(contact.now());
        match self.state {
            State::Rom => {
                let next = match byte {
                    SEARCH_ROM => State::Search { bit: 0, step: 0 },
                    ALARM_SEARCH if self.alarmed => State::Search { bit: 0, step: 0 },
                    READ_ROM => State::Number(0),
                    MATCH_ROM => State::Match,
                    SKIP_ROM => State::Command,
                    _ => State::Ignores,
                };
                self.enter(next);
            }
            State::Match => self.enter(if self.shift == self.number { State::Command } else { State::Ignores }),
            State::Command => self.command(byte, contact),
            State::Writes(count) => {
                self.scratchpad[TH + usize::from(count.min(2))] =
                    if count == 2 { byte & RESOLUTION | ONES } else { byte };
                self.enter(if count == 2 { State::Ignores } else { State::Writes(count + 1) });
            }
            _ => {}
        }
    }

    fn command(&mut self, byte: u8, contact: &mut Contact<'_>) {
        let now = contact.now();
        let next = match byte {
            CONVERT => {
                let missing = self.missing_bits();
                // "If the DS18B20 is configured for 9-bit resolution, bits 2, 1, and 0 are undefined": zeros here.
                let result = self.temperature >> missing << missing;
                self.busy = now + Picoseconds::new(CONVERSION >> missing);
                self.converting = Some((self.busy, result));
                State::Status
            }
            WRITE_SCRATCHPAD => State::Writes(0),
            READ_SCRATCHPAD => State::Reads(0),
            COPY_SCRATCHPAD => {
                self.eeprom.copy_from_slice(&self.scratchpad[TH..=CONFIGURATION]);
                self.busy = self.busy.max(now + COPY);
                State::Status
            }
            RECALL => {
                self.scratchpad[TH..=CONFIGURATION].copy_from_slice(&self.eeprom);
                State::Ones
            }
            // One with a supply of its own lets the line high.
            READ_SUPPLY => State::Ones,
            _ => State::Ignores,
        };
        self.enter(next);
    }
}

impl Attached for Ds18b20 {
    fn pins(&self) -> &'static [&'static str] {
        &["dq"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pin(&mut self, _: usize, high: bool, contact: &mut Contact<'_>) {
        if !high {
            if self.line.falls(contact.now()) {
                let bit = self.sends(contact.now());
                self.line.answer(bit, contact);
            }
            return;
        }
        match self.line.rises(self.state != State::Ignores, contact) {
            Heard::Nothing => {}
            Heard::Reset => self.enter(State::Rom),
            Heard::Bit(bit) => self.take(bit, contact),
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        self.line.wake(contact);
    }

    fn set(&mut self, name: &str, value: &str, _: &mut Contact<'_>) -> Result<(), String> {
        if name != "temperature" {
            return Err(format!("this device has no value `{name}`; it has temperature"));
        }
        let wrong = || format!("temperature cannot be `{value}`; it is -55 to 125");
        self.temperature = sixteenths(value).ok_or_else(wrong)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
