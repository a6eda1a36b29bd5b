//! The converter MCP3008 on SPI: ten bits, eight channels (Microchip, DS21295).
//!
//! The channels' voltages are values of the device, so that stimuli change them.

use std::any::Any;

use cyclescope_machine::{Attached, Contact};

use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "mcp3008",
    summary: "analog-to-digital converter of ten bits on SPI",
    options: &[("vref=3.3V", "its reference"), ("ch0=0V", "the voltage of a channel, ch0 to ch7")],
    places: &["spi1,cs=PA4"],
    make,
};

const CHANNELS: [&str; 8] = ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5", "ch6", "ch7"];

/// The clocks from the start bit on, that one included, to the last bit of the settings: SGL/DIFF and three of the channel.
const SETTINGS: u32 = 5;
/// The same to the null bit ("Communication with the MCP3004/3008": one clock to sample).
const NULL: u32 = 7;

/// The converter. Voltages are microvolts.
#[derive(Clone, Debug)]
pub struct Mcp3008 {
    reference: i32,
    channels: [i32; 8],
    selected: bool,
    /// The clocks since the start bit, that one included; 0 before it.
    clocks: u32,
    settings: u8,
    result: u16,
}

/// The microvolts of a text such as `1.2V`, `300mV` or `-5uV`; `None` if it is no voltage from -10 to 10 V.
fn microvolts(text: &str) -> Option<i32> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !".-+".contains(letter))?;
    let (number, unit) = text.split_at(end);
    let decimals = match unit.trim() {
        "V" | "v" => 6,
        "mV" | "mv" => 3,
        "uV" | "uv" | "µV" => 0,
        _ => return None,
    };
    let (negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = whole.chars().chain(fraction.chars());
    if whole.len() + fraction.len() == 0
        || !{ digits }.all(|digit| digit.is_ascii_digit())
        || whole.len() > 8
        || fraction.len() > decimals
    {
        return None;
    }
    let value: i64 = format!("{whole}{fraction:0<decimals$}").parse().ok()?;
    let value = if negative { -value } else { value };
    i32::try_from(value).ok().filter(|value| value.abs() <= 10_000_000)
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut device = Mcp3008::new(3_300_000);
    if let Some(text) = options.take("vref") {
        let reference = microvolts(&text).filter(|reference| (250_000..=5_500_000).contains(reference));
        device.reference = reference.ok_or_else(|| options.wrong("vref", &text, "0.25V to 5.5V"))?;
    }
    for (channel, name) in CHANNELS.into_iter().enumerate() {
        if let Some(text) = options.take(name) {
            let voltage = microvolts(&text).ok_or_else(|| options.wrong(name, &text, "a voltage: 1.2V, 300mV"))?;
            device.channels[channel] = voltage;
        }
    }
    Ok(Box::new(device))
}

impl Mcp3008 {
    /// A converter with its channels at 0 V and a reference of `reference` microvolts.
    pub const fn new(reference: i32) -> Self {
        Self { reference, channels: [0; 8], selected: false, clocks: 0, settings: 0, result: 0 }
    }

    /// The code for the settings ("Configure bits for the MCP3008"): 1024 times the input by the reference.
    fn convert(&self) -> u16 {
        let channel = usize::from(self.settings & 7);
        let input = if self.settings & 8 != 0 {
            self.channels[channel]
        } else {
            // Pairs: an even number is the positive input of the pair, an odd one the other way round.
            self.channels[channel] - self.channels[channel ^ 1]
        };
        (1024 * i64::from(input.max(0)) / i64::from(self.reference.max(1))).min(1023) as u16
    }

    /// A bit has come in; returns `true` if it was the last of the settings.
    fn take(&mut self, bit: bool) -> bool {
        if self.clocks == 0 && !bit {
            return false;
        }
        self.clocks = self.clocks.saturating_add(1);
        if (2..=SETTINGS).contains(&self.clocks) {
            self.settings = self.settings << 1 & 15 | u8::from(bit);
        }
        self.clocks == SETTINGS
    }

    /// The level of its line while the clock `clocks` lasts; `None` before the null bit.
    fn level(&self, clocks: u32) -> Option<bool> {
        match clocks.checked_sub(NULL)? {
            0 => Some(false),
            // The highest bit first, then from the second lowest up, then zeros.
            after @ 1..=10 => Some(self.result >> (10 - after) & 1 != 0),
            after @ 11..=19 => Some(self.result >> (after - 10) & 1 != 0),
            _ => Some(false),
        }
    }

    /// The byte that goes out if the next bit of it is its bit number `from`, counted from the highest.
    fn out(&self, from: u8) -> Option<u8> {
        let first = self.clocks + 1;
        let bit = |index: u8| if self.clocks == 0 { None } else { self.level(first + u32::from(index - from)) };
        (from..8)
            .any(|index| bit(index).is_some())
            .then(|| (from..8).fold(0, |byte, index| byte | u8::from(bit(index).unwrap_or(true)) << (7 - index)))
    }
}

impl Attached for Mcp3008 {
    fn pins(&self) -> &'static [&'static str] {
        &["sck", "mosi", "miso", "cs"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn spi_select(&mut self, selected: bool, _: &mut Contact<'_>) -> Option<u8> {
        self.selected = selected;
        (self.clocks, self.settings) = (0, 0);
        None
    }

    fn spi_bit(&mut self, byte: u8, bits: u8, _: &mut Contact<'_>) -> Option<u8> {
        if self.take(byte & 1 != 0) {
            self.result = self.convert();
        }
        self.out(bits)
    }

    fn spi_byte(&mut self, byte: u8, _: &mut Contact<'_>) -> Option<u8> {
        if self.take(byte & 1 != 0) {
            self.result = self.convert();
        }
        self.out(0)
    }

    fn set(&mut self, name: &str, value: &str, _: &mut Contact<'_>) -> Result<(), String> {
        let channel = CHANNELS.iter().position(|known| *known == name);
        let channel = channel.ok_or_else(|| format!("this device has no value `{name}`; it has ch0 to ch7"))?;
        let voltage = microvolts(value).ok_or_else(|| format!("{name} cannot be `{value}`; write 1.2V or 300mV"))?;
        self.channels[channel] = voltage;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;
    use cyclescope_machine::units::Picoseconds;

    use super::*;

    /// The bits that come back while `bytes` go out, as a byte each; a line that nobody drives reads high.
    fn exchange(device: &mut Mcp3008, bytes: &[u8]) -> Vec<u8> {
        let mut requests = Requests::default();
        let mut contact = Contact::new(Picoseconds::ZERO, &mut requests);
        let mut out = device.spi_select(true, &mut contact);
        let mut back = Vec::new();
        for byte in bytes {
            let mut received = 0;
            for bit in 0..8u8 {
                received = received << 1 | out.map_or(1, |out| out >> (7 - bit) & 1);
                let so_far = byte >> (7 - bit);
                if bit == 7 {
                    out = device.spi_byte(*byte, &mut contact);
                } else {
                    out = device.spi_bit(so_far, bit + 1, &mut contact).or(out);
                }
            }
            back.push(received);
        }
        device.spi_select(false, &mut contact);
        back
    }

    /// The ten bits, as programs read them.
    fn read(device: &mut Mcp3008, settings: u8) -> u16 {
        let back = exchange(device, &[0x01, settings << 4, 0x00]);
        assert_eq!(back[1] & 4, 0, "the null bit");
        u16::from(back[1] & 3) << 8 | u16::from(back[2])
    }

    fn set(device: &mut Mcp3008, name: &str, value: &str) -> Result<(), String> {
        let mut requests = Requests::default();
        device.set(name, value, &mut Contact::new(Picoseconds::ZERO, &mut requests))
    }

    #[test]
    fn channels_give_their_codes() {
        let mut device = Mcp3008::new(3_300_000);
        for (channel, voltage, code) in
            [(0, "1.2V", 372), (1, "0V", 0), (2, "1650mV", 512), (3, "3.3V", 1023), (7, "5V", 1023), (4, "-1V", 0)]
        {
            set(&mut device, CHANNELS[channel], voltage).unwrap();
            assert_eq!(read(&mut device, 8 | channel as u8), code, "{voltage}");
        }
    }

    #[test]
    fn pairs_give_differences_of_one_sign() {
        let mut device = Mcp3008::new(1_024_000);
        set(&mut device, "ch2", "700mV").unwrap();
        set(&mut device, "ch3", "600mV").unwrap();
        assert_eq!([read(&mut device, 2), read(&mut device, 3)], [100, 0]);
        set(&mut device, "ch3", "703000uV").unwrap();
        assert_eq!([read(&mut device, 2), read(&mut device, 3)], [0, 3]);
    }

    #[test]
    fn the_start_bit_may_come_anywhere_and_the_result_comes_back_in_the_other_order() {
        let mut device = Mcp3008::new(1_024_000);
        set(&mut device, "ch5", "597mV").unwrap();
        assert_eq!(read(&mut device, 8 | 5), 0b10_0101_0101);
        // The start bit first: 1 1 101, a clock to sample, null, ten bits, nine bits the other way, zeros.
        let back = exchange(&mut device, &[0b1110_1000, 0, 0, 0]);
        let bits = back.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        assert_eq!(bits >> 25 & 1, 0, "null");
        assert_eq!(bits >> 15 & 0x3FF, 0b10_0101_0101);
        assert_eq!(bits >> 6 & 0x1FF, 0b0_1010_1001);
        assert_eq!(bits & 0x3F, 0);
        assert_eq!(exchange(&mut device, &[0, 0, 0]), [0xFF; 3], "without a start bit");
    }

    #[test]
    fn wrong_values_are_named() {
        let mut device = Mcp3008::new(3_300_000);
        assert!(set(&mut device, "ch8", "1V").unwrap_err().contains("ch0 to ch7"));
        for value in ["", "1", "V", "1.2.3V", "1kV", "99999999999V", "1.23456789V", "0x1V", "--1V"] {
            assert!(set(&mut device, "ch0", value).unwrap_err().contains("1.2V"), "{value}");
        }
        assert_eq!(
            [microvolts("1.2V"), microvolts("-5 uV"), microvolts(".5mV")],
            [Some(1_200_000), Some(-5), Some(500)]
        );
    }
}
