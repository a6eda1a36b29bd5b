//! Voltages in stimuli: their text, and the samples in a file.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use cyclescope_machine::Voltage;
use cyclescope_machine::units::Picoseconds;
use thiserror::Error;

use crate::time::Time;

/// The most bytes of a file of samples.
const MOST_BYTES: u64 = 16 << 20;

/// The most microvolts of a voltage, of either sign.
const MOST_MICROVOLTS: i64 = 1_000_000_000;

/// A voltage as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoltageText {
    /// One without a file.
    Shape(Voltage),
    /// The samples in a file.
    Samples {
        /// The file's path.
        file: String,
        /// The time between two samples.
        every: Picoseconds,
        /// True if they repeat.
        repeat: bool,
        /// The file's samples or the reason why it has none, if somebody has read it; else it is read when a plan is made.
        held: Option<Result<Arc<[i32]>, SamplesError>>,
    },
}

/// A file that holds no samples.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SamplesError {
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        error: String,
    },
    /// It is longer than a file of samples may be.
    #[error("{0} has more than {MOST_BYTES} bytes")]
    TooLong(String),
    /// It has no samples.
    #[error("{0} has no samples; write one voltage a line, in volts: 1.65")]
    Empty(String),
    /// A line is no voltage.
    #[error("{path}: line {line} is no voltage: `{text}`; write volts, like 1.65, or with a unit, like 300mV")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
}

impl VoltageText {
    /// Reads the samples of its file, if it has one, and keeps them in the file's place.
    ///
    /// # Errors
    /// [`SamplesError`] for a file that cannot be read, or that holds something else.
    pub(super) fn resolve(&mut self) -> Result<(), SamplesError> {
        let Self::Samples { file, every, repeat, held } = self else { return Ok(()) };
        let values = held.clone().unwrap_or_else(|| read(file).and_then(|text| values(file, &text)))?;
        *self = Self::Shape(Voltage::Samples { values, every: *every, repeat: *repeat });
        Ok(())
    }

    /// Keeps the samples in `text`, which is what its file holds, beside the file; or the reason why the file cannot be read.
    pub(super) fn hold(&mut self, text: Result<&str, String>) {
        let Self::Samples { file, held, .. } = self else { return };
        let text = text.map_err(|error| SamplesError::Read { path: file.clone(), error });
        *held = Some(text.and_then(|text| values(file, text)));
    }

    /// Keeps the samples in `text`, which is what its file holds, in the file's place.
    ///
    /// # Errors
    /// [`SamplesError`] if it holds something else.
    pub(super) fn resolve_from(&mut self, text: &str) -> Result<(), SamplesError> {
        let Self::Samples { file, every, repeat, .. } = self else { return Ok(()) };
        let values = values(file, text)?;
        *self = Self::Shape(Voltage::Samples { values, every: *every, repeat: *repeat });
        Ok(())
    }
}

impl fmt::Display for VoltageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: &Picoseconds| Time::Picoseconds(time.get());
        match self {
            Self::Shape(Voltage::Constant(voltage)) => f.write_str(&volts(*voltage)),
            Self::Shape(Voltage::Ramp { from, to, over }) => {
                write!(f, "ramp {} {} over {}", volts(*from), volts(*to), time(over))
            }
            Self::Shape(Voltage::Sine { mean, amplitude, period }) => {
                write!(f, "sine {} {} period {}", volts(*mean), volts(*amplitude), time(period))
            }
            Self::Shape(Voltage::Samples { values, every, repeat }) => {
                write!(f, "{} samples every {}{}", values.len(), time(every), if *repeat { " repeat" } else { "" })
            }
            Self::Samples { file, every, repeat, .. } => {
                write!(f, "samples {} every {}", word(file), time(every))?;
                f.write_str(if *repeat { " repeat" } else { "" })
            }
        }
    }
}

/// Writes `text` as one word: in quotes, unless it is plain.
pub(super) fn word(text: &str) -> String {
    let plain = !text.is_empty() && !text.starts_with('"') && !text.contains(char::is_whitespace);
    if plain {
        return text.to_owned();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{escaped}\"")
}

/// Writes microvolts in volts.
fn volts(microvolts: i32) -> String {
    let (sign, size) = (if microvolts < 0 { "-" } else { "" }, microvolts.unsigned_abs());
    let fraction = format!("{:06}", size % 1_000_000);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{}V", size / 1_000_000),
        digits => format!("{sign}{}.{digits}V", size / 1_000_000),
    }
}

/// Reads a voltage with its unit, in microvolts: `1.2V`, `-300mV`, `50uV`.
pub(super) fn microvolts(text: &str) -> Option<i32> {
    let (number, places) = if let Some(number) = text.strip_suffix("mV") {
        (number, 3)
    } else if let Some(number) = text.strip_suffix("uV").or_else(|| text.strip_suffix("µV")) {
        (number, 0)
    } else {
        (text.strip_suffix(['V', 'v'])?, 6)
    };
    let (sign, number) = match number.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, number),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || whole.len() > 10 || fraction.len() > places || !digits(whole) || !digits(fraction) {
        return None;
    }
    let size: i64 = format!("{whole}{fraction:0<places$}").parse().ok()?;
    (size <= MOST_MICROVOLTS).then_some((sign * size) as i32)
}

/// Reads the file at `path`, up to one byte more than it may have.
fn read(path: &str) -> Result<String, SamplesError> {
    let unreadable = |error: io::Error| SamplesError::Read { path: path.to_owned(), error: error.to_string() };
    let mut text = String::new();
    // A device may have no end.
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

/// Returns the samples in `text`, which is what the file at `path` holds.
fn values(path: &str, text: &str) -> Result<Arc<[i32]>, SamplesError> {
    if text.len() as u64 > MOST_BYTES {
        return Err(SamplesError::TooLong(path.to_owned()));
    }
    samples(text).map_err(|line| match line {
        Some((line, text)) => SamplesError::Line { path: path.to_owned(), line, text: text.chars().take(40).collect() },
        None => SamplesError::Empty(path.to_owned()),
    })
}

/// Returns the samples in `text`: the last column of each line, in volts or with a unit. A first line of words and empty lines are left
/// out.
fn samples(text: &str) -> Result<Arc<[i32]>, Option<(usize, &str)>> {
    let mut values = Vec::new();
    for (line, text) in (1..).zip(text.lines().map(str::trim)).filter(|(_, text)| !text.is_empty()) {
        let last = text.rsplit([',', ';']).next().unwrap_or(text).trim();
        let value = microvolts(last).or_else(|| microvolts(&format!("{last}V")));
        match value {
            Some(value) => values.push(value),
            None if line == 1 && last.starts_with(char::is_alphabetic) => {}
            None => return Err(Some((line, text))),
        }
    }
    if values.is_empty() { Err(None) } else { Ok(values.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volts_read_back() {
        for microvolts_ in [0, 1, -1, 1_200_000, -500_000, 3_300_000, 999_999, -1_000_000_000, 1_000_000_000] {
            assert_eq!(microvolts(&volts(microvolts_)), Some(microvolts_), "{}", volts(microvolts_));
        }
        assert_eq!(["300mV", "-1.5mV", "7uV", "2v"].map(microvolts), [300_000, -1_500, 7, 2_000_000].map(Some));
        for wrong in ["1.2", "V", "1.2345678V", "1e3V", "1001V", "--1V", ".5V", "1.5uV", "99999999999V"] {
            assert_eq!(microvolts(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn samples_take_the_place_of_their_file_and_a_wrong_line_is_named() {
        let new =
            || VoltageText::Samples { file: "a.csv".to_owned(), every: Picoseconds::new(7), repeat: true, held: None };
        let mut text = new();
        assert_eq!(text.resolve_from("1\n2\n"), Ok(()));
        let values: Arc<[i32]> = [1_000_000, 2_000_000].into();
        assert_eq!(text, VoltageText::Shape(Voltage::Samples { values, every: Picoseconds::new(7), repeat: true }));
        assert_eq!(text.resolve_from("x"), Ok(()), "it has no file any more");
        for (wrong, says) in [("1\nx\n", "a.csv: line 2 is no voltage: `x`"), ("", "a.csv has no samples")] {
            let error = new().resolve_from(wrong).unwrap_err().to_string();
            assert!(error.starts_with(says), "{error}");
        }
        let mut held = new();
        let words = held.to_string();
        held.hold(Ok("1\n2\n"));
        assert_eq!(held.to_string(), words, "it still has its file");
        assert_eq!((held.resolve(), &held), (Ok(()), &text));
        let mut lacking = new();
        lacking.hold(Err("there is none".to_owned()));
        assert_eq!(lacking.resolve().unwrap_err().to_string(), "a.csv cannot be read: there is none");
        let long = "1\n".repeat(MOST_BYTES as usize / 2 + 1);
        assert_eq!(new().resolve_from(&long), Err(SamplesError::TooLong("a.csv".to_owned())));
    }

    #[test]
    fn samples_are_the_last_column() {
        let read = |text| samples(text).map(|values| values.to_vec());
        assert_eq!(read("time,volts\n0,1.5\n1, -2\n\n2;300mV\n"), Ok(vec![1_500_000, -2_000_000, 300_000]));
        assert_eq!(read("1\n2"), Ok(vec![1_000_000, 2_000_000]));
        assert_eq!(read("volts\n"), Err(None));
        assert_eq!(read("1\nx\n"), Err(Some((2, "x"))));
    }
}
