//! Stimuli as an option has them: one, or a file of them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use cyclescope_guest::stimuli::{MOST_BYTES, StimuliError, stimuli};
use cyclescope_scope::Rule;

/// One stimulus, or those of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimuli(pub Vec<Rule>);

impl FromStr for Stimuli {
    type Err = StimuliError;

    fn from_str(text: &str) -> Result<Self, StimuliError> {
        stimuli(text, read).map(Self)
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
}

/// Reads the file at `path`, up to one byte more than it may have.
fn read(path: &Path) -> Result<String, StimuliError> {
    let unreadable = |error| StimuliError::Read { path: path.to_owned(), error };
    if fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    let mut text = String::new();
    // A device may have no end.
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
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
