//! Stimuli as an option has them: one, or a file of them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cyclescope_machine::figures::integer;
use cyclescope_scope::{Rule, StimulusError};
use thiserror::Error;

/// The most bytes of a file of stimuli.
const MOST_BYTES: u64 = 64 << 20;

/// One stimulus, or those of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimuli(pub Vec<Rule>);

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

impl FromStr for Stimuli {
    type Err = StimuliError;

    fn from_str(text: &str) -> Result<Self, StimuliError> {
        match text.strip_prefix('@') {
            Some(path) => Self::read(Path::new(path)),
            None => Ok(Self(vec![text.parse()?])),
        }
    }
}

impl Stimuli {
    /// Returns all stimuli of an option that may be repeated, in order.
    pub fn rules(all: &[Self]) -> Vec<Rule> {
        all.iter().flat_map(|Self(rules)| rules).cloned().collect()
    }

    /// Returns the paths of files with voltages.
    pub fn samples_files(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.iter_mut().filter_map(Rule::samples_file)
    }

    /// Reads a file with one stimulus a line; empty lines and those that begin with `#` are comments.
    fn read(path: &Path) -> Result<Self, StimuliError> {
        let unreadable = |error| StimuliError::Read { path: path.to_owned(), error };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            return Err(unreadable(io::ErrorKind::IsADirectory.into()));
        }
        let mut text = String::new();
        // A device may have no end.
        let file = File::open(path).map_err(unreadable)?;
        file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MOST_BYTES {
            return Err(StimuliError::TooLong(path.to_owned()));
        }
        let lines = (1..).zip(text.lines().map(str::trim));
        let rules = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(line, rule)| {
            rule.parse().map_err(|error| StimuliError::Line { path: path.to_owned(), line, error })
        });
        rules.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_has_one_stimulus_a_line_and_names_the_wrong_one() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "# recorded\nat 5cy uart 2 \"a\"\n\n  at 9cy pin PC13 low").unwrap();
        let name = format!("@{}", file.path().display());
        let read: Stimuli = name.parse().unwrap();
        let one: Stimuli = "at 9cy pin PC13 low".parse().unwrap();
        assert_eq!((read.0.len(), &read.0[1]), (2, &one.0[0]));
        writeln!(file, "at 9cy pn PC13 low").unwrap();
        let error = name.parse::<Stimuli>().unwrap_err().to_string();
        assert!(error.contains(", line 5: ") && error.contains("pn"), "{error}");
        assert!("@/no/such/file".parse::<Stimuli>().unwrap_err().to_string().contains("cannot be read"));
    }
}
