//! defmt's frames as text, by the defmt project's own decoder.

use defmt_decoder::{DecodeError, StreamDecoder, Table};
use thiserror::Error;

/// Why bytes could not be decoded as defmt.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DefmtError {
    /// The image has no defmt table.
    #[error("the image has no .defmt section, so its log cannot be decoded; build it with defmt's linker script")]
    NoTable,
    /// The table is of a wire format that the decoder does not know, or damaged.
    #[error("the image's defmt table cannot be read: {0}")]
    Table(String),
    /// The bytes are not frames of this image.
    #[error("the log is malformed after {frames} frames: is it the log of this image?")]
    Malformed {
        /// Frames decoded before.
        frames: usize,
    },
}

/// Decodes one channel of an image that logs with defmt.
pub struct Defmt {
    table: Table,
}

impl Defmt {
    /// The decoder of the image in `elf`.
    ///
    /// # Errors
    /// [`DefmtError::NoTable`] or [`DefmtError::Table`].
    pub fn new(elf: &[u8]) -> Result<Self, DefmtError> {
        match Table::parse(elf) {
            Ok(Some(table)) => Ok(Self { table }),
            Ok(None) => Err(DefmtError::NoTable),
            Err(error) => Err(DefmtError::Table(error.to_string())),
        }
    }

    /// A decoder for bytes as they come.
    pub fn stream(&self) -> DefmtStream<'_> {
        DefmtStream {
            decoder: self.table.new_stream_decoder(),
            frames: 0,
            recovers: self.table.encoding().can_recover(),
        }
    }
}

/// Decodes bytes as they come, one line a frame.
pub struct DefmtStream<'a> {
    decoder: Box<dyn StreamDecoder + Send + Sync + 'a>,
    frames: usize,
    recovers: bool,
}

impl DefmtStream<'_> {
    /// The lines that `bytes` complete; `println!` frames as their message alone, others with their level before it.
    ///
    /// # Errors
    /// [`DefmtError::Malformed`] where the wire format cannot recover from a bad frame.
    pub fn lines(&mut self, bytes: &[u8]) -> Result<Vec<String>, DefmtError> {
        self.decoder.received(bytes);
        let mut lines = Vec::new();
        loop {
            match self.decoder.decode() {
                Ok(frame) => {
                    self.frames += 1;
                    let message = frame.display_message();
                    lines.push(match frame.level() {
                        Some(level) => format!("{:5} {message}", level.as_str().to_uppercase()),
                        None => message.to_string(),
                    });
                }
                Err(DecodeError::UnexpectedEof) => return Ok(lines),
                Err(DecodeError::Malformed) if self.recovers => {
                    lines.push("(malformed defmt frame skipped)".to_owned());
                }
                Err(DecodeError::Malformed) => return Err(DefmtError::Malformed { frames: self.frames }),
            }
        }
    }
}
