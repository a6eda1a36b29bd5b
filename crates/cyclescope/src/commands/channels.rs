//! A guest's output on its way to where it is wanted, defmt decoded.

use std::fs::File;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};

use cyclescope_image::Image;
use cyclescope_machine::Channel;
use cyclescope_scope::defmt::{DefmtError, Strings};

use crate::cli::shared::GuestOutput;
use crate::error::CliError;
use crate::interrupt::interrupted;
use crate::output::Console;
use cyclescope_guest::Decoded;
use cyclescope_guest::lines::{Awaited, Lines};

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
    decoded: Decoded<'b>,
    to: GuestOutput,
    lines: Lines,
    awaited: Option<Awaited>,
    /// Serial ports whose output goes to files.
    files: Vec<(Channel, PathBuf, File)>,
    failed: Option<Lost>,
}

impl<'a, 'b> Channels<'a, 'b> {
    pub(super) fn new(console: &'a mut Console, strings: Option<&'b Strings>, to: GuestOutput) -> Self {
        Self {
            console,
            decoded: Decoded::new(strings),
            to,
            lines: Lines::default(),
            awaited: None,
            files: Vec::new(),
            failed: None,
        }
    }

    /// The run is to end once a channel has written `text`.
    pub(super) fn wait_for(&mut self, text: &str) {
        self.awaited = Some(Awaited::new(text));
    }

    /// Returns `true` once a channel has written the text of [`Self::wait_for`].
    pub(super) fn has_come(&self) -> bool {
        self.awaited.as_ref().is_some_and(Awaited::is_seen)
    }

    /// Has the output of the serial port `port` go to the file at `path`.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(super) fn write_to(&mut self, port: Channel, path: &Path) -> Result<(), CliError> {
        let file = File::create(path).map_err(CliError::unwritable(path))?;
        self.files.push((port, path.to_owned(), file));
        Ok(())
    }

    /// Says something on standard error, after what the guest has written so far.
    pub(super) fn note(&mut self, text: &str) {
        self.end_line();
        self.console.note(text);
    }

    /// Shows all output, and on a terminal ends the line under way, so that messages have lines of their own.
    fn end_line(&mut self) {
        self.flush();
        if self.failed.is_none() && self.has_open_line() {
            self.lines.close();
            if let Err(lost) = self.write(b"\n") {
                self.failed = Some(lost);
            }
        }
    }

    /// Returns `true` if a line is under way on a terminal.
    pub(super) fn has_open_line(&self) -> bool {
        self.lines.is_open()
            && match self.to {
                GuestOutput::Stdout => stdout().is_terminal(),
                GuestOutput::Stderr => stderr().is_terminal(),
                GuestOutput::None => false,
            }
    }

    /// Shows the lines that are not whole yet.
    pub(super) fn flush(&mut self) {
        let text = self.lines.flush();
        if self.failed.is_none()
            && let Err(lost) = self.write(&text)
        {
            self.failed = Some(lost);
        }
    }

    fn write(&mut self, text: &[u8]) -> Result<(), Lost> {
        match self.to {
            _ if text.is_empty() => {}
            GuestOutput::Stdout => self.console.write(text).map_err(Lost::Output)?,
            GuestOutput::Stderr => self.console.write_stderr(text),
            GuestOutput::None => {}
        }
        Ok(())
    }

    /// Passes bytes on; RTT's channel 0 is defmt where the image has defmt strings. `false` once that has failed, the awaited
    /// text has come, or the user has interrupted the run.
    pub(super) fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool {
        if self.to == GuestOutput::None {
            return !interrupted();
        }
        let text = self.decoded.text(channel, bytes).map_err(Lost::Defmt);
        let written = text.and_then(|text| self.put(channel, &text));
        if let Err(lost) = written {
            self.failed = Some(lost);
        }
        self.failed.is_none() && !self.has_come() && !interrupted()
    }

    /// Writes `text` of `channel`, up to the end of the awaited text, to where the channel's output goes.
    fn put(&mut self, channel: Channel, text: &[u8]) -> Result<(), Lost> {
        let end = self.awaited.as_mut().and_then(|awaited| awaited.look(channel, text));
        let text = &text[..end.unwrap_or(text.len())];
        let file = self.files.iter_mut().find(|(port, ..)| channel == *port);
        if let Some((_, path, file)) = file {
            return file.write_all(text).map_err(|error| Lost::Output(CliError::unwritable(path)(error)));
        }
        let text = self.lines.put(channel, text);
        self.write(&text)
    }

    /// Tells of damage, or of what stopped the output of the image at `path`.
    ///
    /// # Errors
    /// [`CliError::Stdout`] or [`CliError::BadFile`].
    pub(super) fn finish(mut self, path: &Path) -> Result<(), CliError> {
        self.end_line();
        if let Some(warning) = self.decoded.damage() {
            self.console.note(&warning);
        }
        match self.failed {
            Some(Lost::Output(error)) => Err(error),
            Some(Lost::Defmt(error)) => Err(CliError::bad_file(path)(error)),
            None => Ok(()),
        }
    }
}
