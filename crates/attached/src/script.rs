//! Scripts of devices that begin transfers: a line a command, `at TIME COMMAND`, and `#` before a remark.

use std::collections::VecDeque;

use cyclescope_machine::Contact;
use cyclescope_machine::units::Picoseconds;

/// More commands than this are refused.
const MOST_COMMANDS: usize = 1 << 20;
/// A log keeps this many bytes; what comes later is dropped.
const LONGEST_LOG: usize = 1 << 20;

/// The number with the unit behind it, in thousandths of the smallest of `units`, which are names and factors.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let split = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let (number, unit) = text.split_at(split);
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.len() > 9 || whole.is_empty() {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(*factor)?;
    let part = if part.is_empty() {
        0
    } else {
        part.parse::<u64>().ok()?.checked_mul(*factor)? / 10u64.pow(part.len() as u32)
    };
    whole.checked_add(part)
}

/// A time: `5ms`, `1.5us`.
pub(crate) fn time(text: &str) -> Option<Picoseconds> {
    let units = [("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
    scaled(text, &units).map(Picoseconds::new)
}

/// A frequency: `100kHz`, `1MHz`.
pub(crate) fn hertz(text: &str) -> Option<u64> {
    scaled(text, &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000)])
}

/// Hexadecimal numbers of at most `bits` bits, with or without 0x.
pub(crate) fn numbers<'a>(words: impl Iterator<Item = &'a str>, bits: u32) -> Option<Vec<u32>> {
    words
        .map(|word| {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            u32::from_str_radix(digits, 16).ok().filter(|number| u64::from(*number) >> bits == 0)
        })
        .collect()
}

/// The most bytes of a script.
pub(crate) const LONGEST: usize = 1 << 20;

/// The commands to come, each with its time, and the log of those that are over.
#[derive(Clone, Debug)]
pub(crate) struct Script<C> {
    commands: VecDeque<(Picoseconds, C)>,
    pub(crate) log: Vec<u8>,
}

impl<C> Default for Script<C> {
    fn default() -> Self {
        Self { commands: VecDeque::new(), log: Vec::new() }
    }
}

impl<C> Script<C> {
    /// Reads a script whose commands `parse` reads, without their times.
    pub(crate) fn read(&mut self, text: &[u8], parse: impl Fn(&str) -> Result<C, String>) -> Result<(), String> {
        let text = std::str::from_utf8(text).map_err(|_| "it is no text".to_owned())?;
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let says = |problem: String| format!("line {}, `{line}`: {problem}", number + 1);
            let command = line.strip_prefix("at ").and_then(|rest| rest.trim_start().split_once(' '));
            let parsed = command.and_then(|(at, command)| Some((time(at)?, command)));
            let (at, command) = parsed.ok_or_else(|| says("it begins with a time: at 5ms".into()))?;
            self.add(at, parse(command.trim()).map_err(says)?)?;
        }
        Ok(())
    }

    /// Adds a command; those of one time keep their order.
    pub(crate) fn add(&mut self, at: Picoseconds, command: C) -> Result<(), String> {
        if self.commands.len() >= MOST_COMMANDS {
            return Err(format!("more than {MOST_COMMANDS} commands wait"));
        }
        let place = self.commands.partition_point(|(other, _)| *other <= at);
        self.commands.insert(place, (at, command));
        Ok(())
    }

    /// Takes the next command, if its time has come.
    pub(crate) fn due(&mut self, now: Picoseconds) -> Option<C> {
        self.commands.pop_front_if(|(at, _)| *at <= now).map(|(_, command)| command)
    }

    /// The time of the next command.
    pub(crate) fn next_at(&self) -> Option<Picoseconds> {
        self.commands.front().map(|(at, _)| *at)
    }

    /// Writes a line into the log.
    pub(crate) fn note(&mut self, line: &str, contact: &Contact<'_>) {
        let at = contact.now().get();
        let line = format!("{}.{:06}ms {line}\n", at / 1_000_000_000, at % 1_000_000_000 / 1_000);
        if self.log.len() + line.len() <= LONGEST_LOG {
            self.log.extend_from_slice(line.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_frequencies_have_units() {
        assert_eq!(time("1.5us"), Some(Picoseconds::new(1_500_000)));
        assert_eq!([time("5"), time("ms"), time("1.2.3ms"), time("99999999999999999s")], [None; 4]);
        assert_eq!([hertz("100kHz"), hertz("0.4MHz"), hertz("3 kHz")], [Some(100_000), Some(400_000), None]);
    }

    #[test]
    fn a_script_says_which_line_is_wrong() {
        let parse = |text: &str| if text == "go" { Ok(()) } else { Err("write go".to_owned()) };
        let mut script = Script::default();
        script.read("# first\nat 2ms go\n\nat 1ms go # early".as_bytes(), parse).unwrap();
        assert_eq!(script.next_at(), Some(Picoseconds::new(1_000_000_000)));
        for (text, says) in [("at 2ms stay", "line 1"), ("\ngo", "at 5ms"), ("at 5 go", "at 5ms")] {
            let error = script.read(text.as_bytes(), parse).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
