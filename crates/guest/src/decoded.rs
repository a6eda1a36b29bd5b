//! The text of a guest's channels: RTT's channel 0 is defmt where the image has defmt strings.

use std::borrow::Cow;

use cyclescope_machine::Channel;
use cyclescope_scope::defmt::{Decoder, DefmtError, Strings};

/// A guest's channels on their way to text.
pub struct Decoded<'a>(Option<Decoder<'a>>);

impl<'a> Decoded<'a> {
    /// The channels of an image with these `strings`, if it has any.
    pub fn new(strings: Option<&'a Strings>) -> Self {
        Self(strings.map(Strings::decoder))
    }

    /// Returns `bytes` of `channel` as text.
    ///
    /// # Errors
    /// [`DefmtError`].
    pub fn text<'b>(&mut self, channel: Channel, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, DefmtError> {
        match (&mut self.0, channel) {
            (Some(decoder), Channel::Rtt(0)) => {
                let lines = decoder.decode(bytes)?;
                Ok(lines.iter().flat_map(|line| line.bytes().chain(std::iter::once(b'\n'))).collect())
            }
            _ => Ok(Cow::Borrowed(bytes)),
        }
    }

    /// Returns a warning if frames were damaged.
    pub fn damage(&self) -> Option<String> {
        match self.0.as_ref().map_or(0, Decoder::damaged) {
            0 => None,
            1 => Some("warning: 1 damaged defmt frame was skipped".to_owned()),
            count => {
                let count = cyclescope_machine::figures::integer(count.into());
                Some(format!("warning: {count} damaged defmt frames were skipped"))
            }
        }
    }
}
