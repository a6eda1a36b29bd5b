//! Results of other tools as records: Criterion's folder and hyperfine's file.

mod criterion;
mod hyperfine;

use std::io;
use std::path::{Path, PathBuf};

use cyclescope_records::{Record, RecordFile, RecordsError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

/// The experiment of records that Criterion's results became.
pub const CRITERION: &str = "criterion";

/// The experiment of records that hyperfine's results became.
pub const HYPERFINE: &str = "hyperfine";

/// The most bytes of a file.
const MOST: u64 = 1 << 30;

/// Records, and the program that they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The program with its version, if the file says it.
    pub tool: String,
    /// The records.
    pub records: Vec<Record>,
}

/// Why results cannot be read.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file that cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file of records with a defect.
    #[error("{}: {error}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// The defect.
        #[source]
        error: RecordsError,
    },
    /// A file that is not as its tool writes it.
    #[error("{}: this is no result of {tool}: {error}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The tool.
        tool: &'static str,
        /// The defect.
        #[source]
        error: serde_json::Error,
    },
    /// Figures that mean nothing.
    #[error("{}: this is no result of {tool}: {defect}", path.display())]
    Figures {
        /// The file.
        path: PathBuf,
        /// The tool.
        tool: &'static str,
        /// The defect.
        defect: String,
    },
    /// A folder without results.
    #[error("{} has no results of Criterion: no folder `new` with benchmark.json in it", .0.display())]
    NoResults(PathBuf),
}

impl ImportError {
    /// Tells if a file could not be read at all.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Read { .. })
    }
}

/// Reads the records of `path`: of a file of records, of hyperfine's `--export-json`, or of a folder in which Criterion left its
/// results, such as `target/criterion`.
///
/// # Errors
/// [`ImportError`].
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    if path.is_dir() {
        return criterion::read(path);
    }
    parse(path, &read(path)?)
}

/// The same of the `text` of the file `path`, which is not read again: a pipe can be read once.
///
/// # Errors
/// [`ImportError`].
pub fn parse(path: &Path, text: &str) -> Result<Imported, ImportError> {
    /// Only hyperfine's has `results`.
    #[derive(Deserialize)]
    struct Kind {
        schema: Option<IgnoredAny>,
        results: Option<IgnoredAny>,
    }
    if matches!(serde_json::from_str(text), Ok(Kind { schema: None, results: Some(_) })) {
        return hyperfine::read(path, text);
    }
    let file = RecordFile::from_json(text);
    let file = file.map_err(|error| ImportError::Records { path: path.to_owned(), error })?;
    Ok(Imported { tool: file.tool, records: file.records })
}

/// The text of a file.
fn read(path: &Path) -> Result<String, ImportError> {
    let failed = |error| ImportError::Read { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    let length = io::Read::read_to_end(&mut io::Read::take(file, MOST + 1), &mut bytes).map_err(failed)?;
    if length as u64 > MOST {
        return Err(failed(io::ErrorKind::FileTooLarge.into()));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
