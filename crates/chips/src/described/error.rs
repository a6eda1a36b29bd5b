//! The ways in which a description is wrong.

use std::path::PathBuf;

use cyclescope_machine::figures::integer;
use thiserror::Error;

/// Why a part cannot be had.
#[derive(Debug, Error)]
pub enum DescriptionError {
    /// The file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// The process has read descriptions of so many different parts that it takes no new one. Parts are kept to its end.
    #[error(
        "the parts described so far take more than {} MB, which a process keeps to its end; start it anew to describe others",
        most >> 20
    )]
    TooMany {
        /// The bytes that they may take.
        most: usize,
    },
    /// The file is far larger than any description.
    #[error("{} has more than {} bytes, the most that a description of a chip may have", path.display(), integer((*.most).into()))]
    TooLarge {
        /// The path of the file.
        path: PathBuf,
        /// The most that it may have.
        most: u64,
    },
    /// A line of the file at `path`.
    #[error("{}: {error}", path.display())]
    In {
        /// The path of the file.
        path: PathBuf,
        /// The error in the file.
        #[source]
        error: Box<DescriptionError>,
    },
    /// The text is no TOML, or a value has the wrong type.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The message of the TOML reader.
        message: String,
    },
    /// A key that means nothing here.
    #[error("line {line}: there is no key `{key}`; the nearest are {}", nearest.join(", "))]
    Key {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: String,
        /// Known keys, nearest first.
        nearest: Vec<&'static str>,
    },
    /// A name that is not known.
    #[error("line {line}: no {what} is called `{name}`; the nearest are {}", nearest.join(", "))]
    Name {
        /// The line, from 1.
        line: usize,
        /// The kind of the name that was looked for: `chip`, `peripheral`.
        what: &'static str,
        /// The name.
        name: String,
        /// Known names, nearest first.
        nearest: Vec<String>,
    },
    /// A value that cannot be.
    #[error("line {line}: {key} {why}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// Why it cannot be, as the rest of a sentence.
        why: String,
    },
}
