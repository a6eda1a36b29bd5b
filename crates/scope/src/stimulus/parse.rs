//! Parses rules.

use std::str::FromStr;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Channel, Voltage};

use super::error::{StimulusError, shown};
use super::rule::{Action, Bounce, Level, PHASES, Phase, Rule};
use super::voltage::{VoltageText, microvolts};
use crate::event::{Event, EventError};
use crate::time::{Time, TimeError, is_unit};

/// A stimulus has at most so many bytes, escapes included. Its words have bounds of their own, so that it reads back as it is
/// printed, with other escapes.
const MAX_TEXT: usize = 1 << 20;
/// Text in quotes has at most so many bytes, without escapes.
const MAX_QUOTED: usize = 1 << 16;
/// A word outside quotes has at most so many bytes.
const MAX_WORD: usize = 1 << 12;

/// The form of a pin's name, by vendor.
const A_PIN: &str = "a pin like PC13, P0.11 or GPIO15";

/// The stimuli with words that have no meaning of their own.
const FORMS: [&str; 3] = [
    "every TIME from TIME ACTION",
    "random N times from TIME gap MIN..MAX seed N ACTION",
    "presses N of PIN LEVEL from TIME gap MIN..MAX seed N",
];

/// One word: plain, or the content of quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Plain(String),
    Quoted(Vec<u8>),
}

/// The remaining words of a stimulus.
struct Words<'a> {
    text: &'a str,
    words: std::iter::Peekable<std::vec::IntoIter<Word>>,
}

impl FromStr for Rule {
    type Err = StimulusError;

    fn from_str(text: &str) -> Result<Self, StimulusError> {
        let mut words = Words::new(text)?;
        let rule = words.rule()?;
        match words.words.next() {
            None => Ok(rule),
            Some(word) => Err(words.wrong(Some(word), "the end of the stimulus", &[])),
        }
    }
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Result<Self, StimulusError> {
        let words = split(text).map_err(|(found, expected)| StimulusError::Word {
            text: shown(text),
            found,
            expected,
            nearest: String::new(),
        })?;
        Ok(Self { text, words: words.into_iter().peekable() })
    }

    fn rule(&mut self) -> Result<Rule, StimulusError> {
        const KINDS: [&str; 6] = ["at", "after", "every", "random", "presses", "phase"];
        match self.one_of("at, after, every, random, presses or phase", &KINDS)? {
            0 => match self.window()? {
                Some((from, to)) => Ok(Rule::Arrives { from, to, action: self.action()? }),
                None => Ok(Rule::At { time: self.time()?, action: self.action()? }),
            },
            1 => {
                let event = self.event()?;
                let delay = if self.at_time() { self.time()? } else { Time::ZERO };
                let times = self.times()?;
                Ok(Rule::After { event, delay, times, action: self.action()? })
            }
            2 => {
                let period = self.time()?;
                let from = self.labelled_time("from")?;
                let times = self.times()?;
                Ok(Rule::Every { period, from, times, action: self.action()? })
            }
            3 => {
                let times = self.number("a number of times")?;
                self.one_of("`times`", &["times", "time"])?;
                let from = self.labelled_time("from")?;
                let gap = self.gap()?;
                let seed = self.seed()?;
                Ok(Rule::Random { times, from, gap, seed, action: self.action()? })
            }
            4 => self.presses(),
            _ => self.phase(),
        }
    }

    fn presses(&mut self) -> Result<Rule, StimulusError> {
        let presses = self.number("a number of presses")?;
        self.one_of("`of`", &["of"])?;
        let pin = self.pin()?;
        let pressed_high = self.one_of("the level while pressed (low or high)", &["low", "high"])? == 1;
        let from = self.labelled_time("from")?;
        let gap = self.gap()?;
        let bounce = if self.take("bounce") {
            let toggles = self.number("a number of bounces")?;
            Some(Bounce { toggles, within: self.labelled_time("within")? })
        } else {
            None
        };
        Ok(Rule::Presses { presses, pin, pressed_high, from, gap, bounce, seed: self.seed()? })
    }

    fn phase(&mut self) -> Result<Rule, StimulusError> {
        if matches!(self.words.peek(), Some(Word::Plain(word)) if word == "seed") {
            return Ok(Rule::Phase(Phase::Seed(self.seed()?)));
        }
        const EXPECTED: &str = "a phase from 0 to 15, or `seed`";
        let (text, word) = self.plain(EXPECTED)?;
        let cycles = text.parse().ok().filter(|cycles| *cycles < PHASES);
        cycles.map(|cycles| Rule::Phase(Phase::Cycles(cycles))).ok_or_else(|| self.wrong(Some(word), EXPECTED, &[]))
    }

    fn action(&mut self) -> Result<Action, StimulusError> {
        if let Some(action) = self.device()? {
            return Ok(action);
        }
        let kind = self.one_of("an action (pin, uart, usb or an attached device)", &["pin", "uart", "usb"])?;
        if kind == 0 {
            let pin = self.pin()?;
            if let Some(voltage) = self.voltage()? {
                return Ok(Action::Voltage(pin, voltage));
            }
            const LEVELS: [&str; 4] = ["low", "high", "released", "toggle"];
            const EXPECTED: &str = "a level (low, high, released or toggle) or a voltage (1.2V, ramp, sine or samples)";
            let level = self.one_of(EXPECTED, &LEVELS)?;
            return Ok(Action::Pin(pin, [Level::Low, Level::High, Level::Released, Level::Toggle][level]));
        }
        // The first port over USB needs no number.
        let number = match self.words.peek() {
            Some(Word::Quoted(_)) if kind == 2 => 0,
            _ => self.number("a serial port's number")?,
        };
        let number = u8::try_from(number)
            .map_err(|_| self.wrong(Some(Word::Plain(number.to_string())), "a serial port's number", &[]))?;
        let port = if kind == 2 { Channel::Usb(number) } else { Channel::Uart(number) };
        match self.words.next() {
            Some(Word::Quoted(bytes)) => Ok(Action::Serial(port, bytes)),
            other => Err(self.wrong(other, "text in double quotes", &[])),
        }
    }

    /// Parses `NAME QUANTITY VALUE`, if the words are neither of a pin nor of a serial port.
    fn device(&mut self) -> Result<Option<Action>, StimulusError> {
        let mut ahead = self.words.clone();
        let (Some(Word::Plain(device)), Some(Word::Plain(name))) = (ahead.next(), ahead.next()) else {
            return Ok(None);
        };
        // A pin or a number belongs to a mistyped `pin` or `uart`.
        let other = name.parse::<cyclescope_machine::Pin>().is_ok() || name.parse::<u64>().is_ok();
        if matches!(device.as_str(), "pin" | "uart" | "usb") || other {
            return Ok(None);
        }
        self.words.next();
        self.words.next();
        Ok(Some(Action::Device { device, name, value: self.text("the value of the quantity")? }))
    }

    /// Takes a word, or the text in quotes.
    fn text(&mut self, expected: &'static str) -> Result<String, StimulusError> {
        match self.words.next() {
            Some(Word::Plain(text)) => Ok(text),
            Some(Word::Quoted(bytes)) => String::from_utf8(bytes)
                .map_err(|error| self.wrong(Some(Word::Quoted(error.into_bytes())), expected, &[])),
            None => Err(self.wrong(None, expected, &[])),
        }
    }

    /// Parses a voltage, if one comes next.
    fn voltage(&mut self) -> Result<Option<VoltageText>, StimulusError> {
        let Some(Word::Plain(word)) = self.words.peek().cloned() else { return Ok(None) };
        if let Some(voltage) = microvolts(&word) {
            self.words.next();
            return Ok(Some(VoltageText::Shape(Voltage::Constant(voltage))));
        }
        if !matches!(word.as_str(), "ramp" | "sine" | "samples") {
            return Ok(None);
        }
        self.words.next();
        Ok(Some(match word.as_str() {
            "ramp" => {
                let (from, to) = (self.volts()?, self.volts()?);
                VoltageText::Shape(Voltage::Ramp { from, to, over: self.real_time("over", "time")? })
            }
            "sine" => {
                let (mean, amplitude) = (self.volts()?, self.volts()?);
                VoltageText::Shape(Voltage::Sine { mean, amplitude, period: self.real_time("period", "period")? })
            }
            _ => {
                let file = self.text("the file of the samples")?;
                let every = self.real_time("every", "period")?;
                VoltageText::Samples { file, every, repeat: self.take("repeat"), held: None }
            }
        }))
    }

    fn volts(&mut self) -> Result<i32, StimulusError> {
        const EXPECTED: &str = "a voltage like 1.2V or 300mV, up to 1000V";
        let (text, word) = self.plain(EXPECTED)?;
        microvolts(&text).ok_or_else(|| self.wrong(Some(word), EXPECTED, &[]))
    }

    /// Parses a real time of some length behind `label`, which is the time of a voltage.
    fn real_time(&mut self, label: &'static str, what: &'static str) -> Result<Picoseconds, StimulusError> {
        let expected = match label {
            "over" => "`over`",
            "period" => "`period`",
            _ => "`every`",
        };
        self.one_of(expected, &[label])?;
        let word = self.words.peek().cloned();
        match self.time()? {
            Time::Picoseconds(0) => Err(StimulusError::NoGap(shown(self.text), what)),
            Time::Picoseconds(time) => Ok(Picoseconds::new(time)),
            Time::Cycles(_) => Err(self.wrong(word, "a real time like 1.5ms", &[])),
        }
    }

    fn event(&mut self) -> Result<Event, StimulusError> {
        let text = match self.words.next() {
            Some(Word::Plain(text)) => text,
            Some(Word::Quoted(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            None => return Err(self.wrong(None, "an event", &[])),
        };
        text.parse().map_err(|error: EventError| StimulusError::Event { text: shown(self.text), error })
    }

    fn pin(&mut self) -> Result<cyclescope_machine::Pin, StimulusError> {
        let (text, word) = self.plain(A_PIN)?;
        text.parse().map_err(|_| self.wrong(Some(word), A_PIN, &[]))
    }

    fn gap(&mut self) -> Result<(Time, Time), StimulusError> {
        const EXPECTED: &str = "a gap like 20ms..220ms";
        self.one_of("`gap`", &["gap"])?;
        let (text, word) = self.plain(EXPECTED)?;
        let ends = text.split_once("..").and_then(|(min, max)| Some((min.parse().ok()?, max.parse().ok()?)));
        ends.ok_or_else(|| self.wrong(Some(word), EXPECTED, &[]))
    }

    /// Parses `FROM..TO`, if that comes next.
    fn window(&mut self) -> Result<Option<(Time, Time)>, StimulusError> {
        let Some(Word::Plain(word)) = self.words.peek().cloned() else { return Ok(None) };
        let Some((from, to)) = word.split_once("..") else { return Ok(None) };
        self.words.next();
        let time =
            |text: &str| text.parse().map_err(|error: TimeError| StimulusError::Time { text: shown(self.text), error });
        Ok(Some((time(from)?, time(to)?)))
    }

    fn seed(&mut self) -> Result<u64, StimulusError> {
        self.one_of("`seed`", &["seed", "bounce"]).and_then(|index| match index {
            0 => self.number("a seed"),
            _ => Err(self.wrong(Some(Word::Plain("bounce".to_owned())), "`seed` (only `presses` can bounce)", &[])),
        })
    }

    /// Parses `N times`, `once` or nothing.
    fn times(&mut self) -> Result<Option<u64>, StimulusError> {
        if self.take("once") {
            return Ok(Some(1));
        }
        match self.words.peek() {
            Some(Word::Plain(word)) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let times = self.number("a number of times")?;
                self.one_of("`times`", &["times", "time"])?;
                Ok(Some(times))
            }
            _ => Ok(None),
        }
    }

    /// Tells if a time comes next, and not a number of times.
    fn at_time(&mut self) -> bool {
        let mut ahead = self.words.clone();
        let is_time = matches!(ahead.next(), Some(Word::Plain(word)) if word.starts_with(|c: char| c.is_ascii_digit()));
        is_time && !matches!(ahead.next(), Some(Word::Plain(word)) if word == "times" || word == "time")
    }

    fn labelled_time(&mut self, label: &'static str) -> Result<Time, StimulusError> {
        self.one_of(if label == "from" { "`from`" } else { "`within`" }, &[label])?;
        self.time()
    }

    fn time(&mut self) -> Result<Time, StimulusError> {
        let (mut text, word) = self.plain("a time like 1.5ms, or like 100cy in cycles")?;
        // `1 s` is a time too.
        let unit = |next: &Word| matches!(next, Word::Plain(next) if is_unit(next));
        if text.ends_with(|c: char| c.is_ascii_digit())
            && let Some(Word::Plain(unit)) = self.words.next_if(unit)
        {
            text.push_str(&unit);
        }
        text.parse().map_err(|error: TimeError| match error {
            TimeError::Form(_) => self.wrong(Some(word), "a time like 1.5ms, or like 100cy in cycles", &[]),
            error => StimulusError::Time { text: shown(self.text), error },
        })
    }

    fn number(&mut self, expected: &'static str) -> Result<u64, StimulusError> {
        let (text, word) = self.plain(expected)?;
        let digits = text.replace('_', "");
        let number = digits.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit()));
        number.ok_or_else(|| self.wrong(Some(word), expected, &[]))
    }

    /// Takes the next word if it equals `word`.
    fn take(&mut self, word: &str) -> bool {
        self.words.next_if(|next| matches!(next, Word::Plain(next) if next == word)).is_some()
    }

    /// Takes the next word and returns its index in `words`.
    fn one_of(&mut self, expected: &'static str, words: &[&str]) -> Result<usize, StimulusError> {
        let next = self.words.next();
        let place = match &next {
            Some(Word::Plain(word)) => words.iter().position(|words| words == word),
            _ => None,
        };
        place.ok_or_else(|| self.wrong(next, expected, words))
    }

    fn plain(&mut self, expected: &'static str) -> Result<(String, Word), StimulusError> {
        match self.words.next() {
            Some(word @ Word::Plain(_)) => {
                let Word::Plain(text) = word.clone() else { unreachable!("matched above") };
                Ok((text, word))
            }
            other => Err(self.wrong(other, expected, &[])),
        }
    }

    fn wrong(&self, found: Option<Word>, expected: &'static str, words: &[&str]) -> StimulusError {
        let nearest = match (&found, words) {
            (Some(Word::Plain(word)), [_, _, ..]) => {
                let near = words.iter().copied().min_by_key(|words| strsim::osa_distance(word, words));
                let near = near.filter(|near| strsim::osa_distance(word, near) <= near.chars().count() / 2);
                near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
            }
            // A word of the form is missing.
            (_, [_]) => {
                let kind = self.text.split_whitespace().next();
                let form = FORMS.iter().find(|form| form.split(' ').next() == kind);
                form.map(|form| format!("; write `{form}`")).unwrap_or_default()
            }
            _ => String::new(),
        };
        let found = match found {
            Some(Word::Plain(word)) => format!("`{}`", shown(&word)),
            Some(Word::Quoted(_)) => "text in quotes".to_owned(),
            None => "the end of the text".to_owned(),
        };
        StimulusError::Word { text: shown(self.text), found, expected, nearest }
    }
}

/// Splits `text` into words. The error has the unexpected text and what was expected.
fn split(text: &str) -> Result<Vec<Word>, (String, &'static str)> {
    let bounded = |length: usize, most: usize, expected: &'static str| match length <= most {
        true => Ok(()),
        false => Err((format!("{length} bytes"), expected)),
    };
    bounded(text.len(), MAX_TEXT, "a stimulus of at most 1,048,576 bytes")?;
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (bytes, length) = unquote(quoted)?;
            bounded(bytes.len(), MAX_QUOTED, "text of at most 65,536 bytes")?;
            words.push(Word::Quoted(bytes));
            rest = quoted[length..].trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            bounded(end, MAX_WORD, "words of at most 4,096 bytes")?;
            words.push(Word::Plain(rest[..end].to_owned()));
            rest = rest[end..].trim_start();
        }
    }
    Ok(words)
}

/// Returns the bytes up to the closing quote, and their length in `text` with the quote.
fn unquote(text: &str) -> Result<(Vec<u8>, usize), (String, &'static str)> {
    const ESCAPES: &str = r#"one of the escapes \n \r \t \0 \\ \" \xHH"#;
    let mut bytes = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((bytes, at + 1)),
            '\\' => {
                let escape = characters.next().map(|(_, escape)| escape);
                bytes.push(match escape {
                    Some('n') => b'\n',
                    Some('r') => b'\r',
                    Some('t') => b'\t',
                    Some('0') => 0,
                    Some('\\') => b'\\',
                    Some('"') => b'"',
                    Some('x') => {
                        let digits = text.get(at + 2..at + 4);
                        let byte = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
                        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                        characters.nth(1);
                        byte.ok_or_else(|| ("`\\x` without two digits".to_owned(), ESCAPES))?
                    }
                    Some(other) => return Err((format!("`\\{other}`"), ESCAPES)),
                    None => return Err(("the end of the text".to_owned(), ESCAPES)),
                });
            }
            other => bytes.extend(other.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Err(("the end of the text".to_owned(), "a closing double quote"))
}
