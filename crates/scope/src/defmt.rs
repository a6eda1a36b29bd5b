//! Decodes defmt frames to text with the defmt project's own decoder.
//!
//! The decoder's version is pinned, because part of its interface is unstable. It reads its string table from the ELF.
//! Table and frames are untrusted, so a panic in the decoder is caught and returned as [`DefmtError::Panicked`].

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

use defmt_decoder::{DecodeError, Frame, StreamDecoder, Table};
use thiserror::Error;

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
    /// The decoder panicked.
    #[error("the defmt decoder panicked; the image's defmt strings or its output are damaged")]
    Panicked,
}

/// The defmt strings of one image.
pub struct Strings {
    table: Table,
}

impl Strings {
    /// Reads the strings from an ELF file.
    ///
    /// # Errors
    /// [`DefmtError::NoTable`] or [`DefmtError::Table`].
    pub fn read(elf: &[u8]) -> Result<Self, DefmtError> {
        let table = guarded(|| Table::parse(elf))?.map_err(|error| DefmtError::Table(error.into()))?;
        table.map(|table| Self { table }).ok_or(DefmtError::NoTable)
    }

    /// Returns a decoder for the start of a channel.
    pub fn decoder(&self) -> Decoder<'_> {
        let recovers = self.table.encoding().can_recover();
        Decoder { stream: self.table.new_stream_decoder(), recovers, taken: 0, damaged: 0 }
    }
}

/// Decodes one channel.
pub struct Decoder<'a> {
    stream: Box<dyn StreamDecoder + Send + Sync + 'a>,
    recovers: bool,
    taken: u64,
    damaged: u64,
}

impl Decoder<'_> {
    /// Takes the next bytes of the channel, in pieces of any size, and returns the lines that they complete, without
    /// line ends. A `println!` frame gives its message. A log frame gives its time stamp, if the program has one, its
    /// level and its message.
    ///
    /// # Errors
    /// [`DefmtError::Malformed`] or [`DefmtError::Panicked`]; the rest of the channel is then lost.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<Vec<String>, DefmtError> {
        self.taken += bytes.len() as u64;
        self.stream.received(bytes);
        let mut lines = Vec::new();
        loop {
            match guarded(|| self.stream.decode().map(|frame| line(&frame)))? {
                Ok(line) => lines.push(line),
                Err(DecodeError::UnexpectedEof) => return Ok(lines),
                Err(DecodeError::Malformed) if self.recovers => self.damaged += 1,
                Err(DecodeError::Malformed) => return Err(DefmtError::Malformed { offset: self.taken }),
            }
        }
    }

    /// Returns the number of damaged frames that were skipped.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}

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
