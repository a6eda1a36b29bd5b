//! Decodes defmt frames to text with the defmt project's own decoder.
//!
//! The decoder's version is pinned, because part of its interface is unstable. It reads its string table from the ELF.
//! Table and frames are untrusted, so a panic in the decoder is caught and returned as [`DefmtError::Panicked`]. What cannot
//! be caught, an overflow of the stack or a lack of memory, is ruled out before a frame is decoded.

mod formats;
mod weigh;

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

use defmt_decoder::{DecodeError, Encoding, Frame, Table};
use thiserror::Error;

use self::formats::Formats;
use self::weigh::{Unfit, weigh};

/// The longest frame in bytes.
const LONGEST_FRAME: usize = 1 << 16;

/// The most text of one channel in bytes.
const MOST_TEXT: u64 = 64 << 20;

/// An error in defmt strings or frames.
#[derive(Debug, Error)]
pub enum DefmtError {
    /// The ELF has no defmt strings.
    #[error("the image has no .defmt section, so its output is not defmt")]
    NoTable,
    /// The ELF's strings are damaged or use an unknown wire format.
    #[error("the image's defmt strings cannot be used: {0}")]
    Table(#[source] Box<dyn Error + Send + Sync>),
    /// Bytes that are no frame, in an encoding that cannot resynchronise.
    #[error("byte {offset} of the channel begins no defmt frame, and this encoding cannot find the next one")]
    Malformed {
        /// The number of the channel's bytes taken before.
        offset: u64,
    },
    /// Strings or frames that take far more than any log does.
    #[error("defmt output is refused: {0}; the image's defmt strings or its output are damaged")]
    TooMuch(&'static str),
    /// The decoder panicked.
    #[error("the defmt decoder panicked; the image's defmt strings or its output are damaged")]
    Panicked,
}

/// The defmt strings of one image.
pub struct Strings {
    table: Table,
    formats: Formats,
}

impl Strings {
    /// Reads the strings from an ELF file.
    ///
    /// # Errors
    /// [`DefmtError::NoTable`], [`DefmtError::Table`] or [`DefmtError::TooMuch`].
    pub fn read(elf: &[u8]) -> Result<Self, DefmtError> {
        let formats = Formats::read(elf)?;
        let table = guarded(|| Table::parse(elf))?.map_err(|error| DefmtError::Table(error.into()))?;
        table.map(|table| Self { table, formats }).ok_or(DefmtError::NoTable)
    }

    /// Returns a decoder for the start of a channel.
    pub fn decoder(&self) -> Decoder<'_> {
        Decoder { strings: self, waiting: Vec::new(), taken: 0, damaged: 0, text: MOST_TEXT }
    }
}

/// Decodes one channel.
pub struct Decoder<'a> {
    strings: &'a Strings,
    /// Bytes that do not make up a frame yet.
    waiting: Vec<u8>,
    taken: u64,
    damaged: u64,
    /// The bytes of text that may still come.
    text: u64,
}

impl Decoder<'_> {
    /// Takes the next bytes of the channel, in pieces of any size, and returns the lines that they complete, without
    /// line ends. A `println!` frame gives its message. A log frame gives its time stamp, if the program has one, its
    /// level and its message.
    ///
    /// # Errors
    /// [`DefmtError::Malformed`], [`DefmtError::TooMuch`] or [`DefmtError::Panicked`]; the rest of the channel is then
    /// lost.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<Vec<String>, DefmtError> {
        self.taken += bytes.len() as u64;
        self.waiting.extend_from_slice(bytes);
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut lines = Vec::new();
        let mut begun = 0;
        while let Some(length) = self.next(&waiting[begun..], &mut lines)? {
            begun += length;
        }
        waiting.drain(..begun);
        if waiting.len() > LONGEST_FRAME {
            return Err(DefmtError::TooMuch("a frame is longer than 65,536 bytes"));
        }
        self.waiting = waiting;
        Ok(lines)
    }

    /// Decodes the frame at the start of `bytes`, if it is there whole, and returns its length.
    fn next(&mut self, bytes: &[u8], lines: &mut Vec<String>) -> Result<Option<usize>, DefmtError> {
        let table = &self.strings.table;
        let (decoded, length) = if table.encoding() == Encoding::Rzcobs {
            let Some(end) = bytes.iter().position(|byte| *byte == 0) else { return Ok(None) };
            // Zeros may stand between frames.
            if end == 0 {
                return Ok(Some(1));
            }
            let frame = rzcobs::decode(&bytes[..end]).map_err(|_| DecodeError::Malformed);
            (frame.map(|frame| self.line(&frame)), Some(end + 1))
        } else {
            (Ok(self.line(bytes)), None)
        };
        match decoded.unwrap_or_else(|error| Ok(Err(error)))? {
            Ok((line, taken)) => {
                self.text = self.text.checked_sub(line.len() as u64).ok_or(DefmtError::TooMuch(TEXT))?;
                lines.push(line);
                Ok(Some(length.unwrap_or(taken)))
            }
            Err(_) if length.is_some() => {
                self.damaged += 1;
                Ok(length)
            }
            Err(DecodeError::UnexpectedEof) => Ok(None),
            Err(DecodeError::Malformed) => Err(DefmtError::Malformed { offset: self.taken }),
        }
    }

    /// Returns the line of the frame at the start of `bytes`, and the frame's length.
    fn line(&self, bytes: &[u8]) -> Result<Result<(String, usize), DecodeError>, DefmtError> {
        let Strings { table, formats } = self.strings;
        match weigh(formats, bytes) {
            Ok(()) => guarded(|| table.decode(bytes).map(|(frame, taken)| (line(&frame), taken))),
            Err(Unfit::End) => Ok(Err(DecodeError::UnexpectedEof)),
            Err(Unfit::Malformed) => Ok(Err(DecodeError::Malformed)),
            Err(Unfit::TooMuch(what)) => Err(DefmtError::TooMuch(what)),
        }
    }

    /// Returns the number of damaged frames that were skipped.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}

const TEXT: &str = "a channel's messages take more than 64 MiB";

/// Decodes a whole channel to lines.
///
/// # Errors
/// As for [`Strings::read`] and [`Decoder::decode`].
pub fn decode(elf: &[u8], channel: &[u8]) -> Result<Vec<String>, DefmtError> {
    Strings::read(elf)?.decoder().decode(channel)
}

fn line(frame: &Frame<'_>) -> String {
    let message = frame.display_message();
    let Some(level) = frame.level() else { return message.to_string() };
    let level = level.as_str().to_uppercase();
    match frame.display_timestamp() {
        Some(timestamp) => format!("{timestamp} {level:<5} {message}"),
        None => format!("{level:<5} {message}"),
    }
}

fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, DefmtError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| DefmtError::Panicked)
}
