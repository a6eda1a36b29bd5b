//! Stimuli in a file, one a line.

use std::io;
use std::path::{Path, PathBuf};

use cyclescope_machine::figures::integer;
use cyclescope_scope::{Rule, StimulusError};
use thiserror::Error;

use crate::exit::Exit;

/// The most bytes of a file of stimuli.
pub const MOST_BYTES: u64 = 64 << 20;

/// Text that gives no stimuli.
#[derive(Debug, Error)]
pub enum StimuliError {
    /// The stimulus is wrong.
    #[error(transparent)]
    Rule(#[from] StimulusError),
    /// The file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// The file is longer than any that is read.
    #[error("{} has more than the {} bytes that are read", .0.display(), integer(MOST_BYTES.into()))]
    TooLong(PathBuf),
    /// A line of the file is wrong.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The defect.
        #[source]
        error: StimulusError,
    },
}

impl StimuliError {
    /// Returns the exit of the process for this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Read { .. } => Exit::NoInput,
            Self::TooLong(_) | Self::Line { .. } => Exit::BadInput,
            Self::Rule(_) => Exit::Usage,
        }
    }
}

/// Returns the stimuli that `text` stands for: one, or with an `@` in front those of a file, which `read` reads.
///
/// # Errors
/// [`StimuliError`] with the line of a file that is wrong.
pub fn stimuli(
    text: &str,
    read: impl FnOnce(&Path) -> Result<String, StimuliError>,
) -> Result<Vec<Rule>, StimuliError> {
    match text.strip_prefix('@').map(Path::new) {
        Some(path) => rules(path, &read(path)?),
        None => Ok(vec![text.parse()?]),
    }
}

/// Returns the stimuli in `text`, which the file at `path` holds; empty lines and those that begin with `#` are comments.
fn rules(path: &Path, text: &str) -> Result<Vec<Rule>, StimuliError> {
    if text.len() as u64 > MOST_BYTES {
        return Err(StimuliError::TooLong(path.to_owned()));
    }
    let lines = (1..).zip(text.lines().map(str::trim));
    let rules = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, rule)| rule.parse().map_err(|error| StimuliError::Line { path: path.to_owned(), line, error }));
    rules.collect()
}
