//! A guest's output on its way to where it is wanted, defmt decoded.

use std::path::Path;

use cyclescope_image::Image;
use cyclescope_machine::Channel;
use cyclescope_scope::defmt::{Decoder, DefmtError, Strings};

use crate::cli::shared::GuestOutput;
use crate::error::CliError;
use crate::interrupt::interrupted;
use crate::output::Console;

/// The defmt strings of the image at `path`, if it has any.
///
/// # Errors
/// [`CliError::BadFile`] where they cannot be read.
pub(super) fn strings(image: &Image, path: &Path) -> Result<Option<Strings>, CliError> {
    if !image.uses_defmt() {
        return Ok(None);
    }
    Strings::read(image.file()).map(Some).map_err(CliError::bad_file(path))
}

/// Checks that the guest's output and the results do not both go to standard output.
///
/// # Errors
/// [`CliError::Usage`].
pub(super) fn check_guest_output(to: GuestOutput, out: Option<&Path>) -> Result<(), CliError> {
    if to == GuestOutput::Stdout && out.is_none() {
        return Err(CliError::Usage(
            "the guest's output and the results would both go to stdout; write the results to a file with --out",
        ));
    }
    Ok(())
}

/// Why output stopped.
enum Lost {
    Output(CliError),
    Defmt(DefmtError),
}

/// The guest's channels.
pub(super) struct Channels<'a, 'b> {
    console: &'a mut Console,
    defmt: Option<Decoder<'b>>,
    to: GuestOutput,
    failed: Option<Lost>,
}

impl<'a, 'b> Channels<'a, 'b> {
    pub(super) fn new(console: &'a mut Console, strings: Option<&'b Strings>, to: GuestOutput) -> Self {
        Self { console, defmt: strings.map(Strings::decoder), to, failed: None }
    }

    /// Passes bytes on; RTT's channel 0 is defmt where the image has defmt strings. `false` once that has failed, or the user has interrupted the run.
    pub(super) fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        if self.to == GuestOutput::None {
            return !interrupted();
        }
        let text = match (&mut self.defmt, channel) {
            (Some(decoder), Channel::Rtt(0)) => decoder.decode(bytes).map_err(Lost::Defmt).map(|lines| {
                lines.iter().flat_map(|line| line.bytes().chain(std::iter::once(b'\n'))).collect::<Vec<u8>>()
            }),
            _ => Ok(bytes.to_vec()),
        };
        let written = text.and_then(|text| match self.to {
            GuestOutput::Stdout => self.console.write(&text).map_err(Lost::Output),
            GuestOutput::Stderr => {
                self.console.write_stderr(&text);
                Ok(())
            }
            GuestOutput::None => Ok(()),
        });
        if let Err(lost) = written {
            self.failed = Some(lost);
        }
        self.failed.is_none() && !interrupted()
    }

    /// Tells of damage, or of what stopped the output of the image at `path`.
    ///
    /// # Errors
    /// [`CliError::Stdout`] or [`CliError::BadFile`].
    pub(super) fn finish(self, path: &Path) -> Result<(), CliError> {
        if let Some(lost) = self.defmt.map(|decoder| decoder.damaged()).filter(|&count| count > 0) {
            self.console.note(&format!("warning: {lost} damaged defmt frames were skipped"));
        }
        match self.failed {
            Some(Lost::Output(error)) => Err(error),
            Some(Lost::Defmt(error)) => Err(CliError::bad_file(path)(error)),
            None => Ok(()),
        }
    }
}
