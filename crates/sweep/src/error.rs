//! Errors of a sweep.

use std::io;
use std::path::{Path, PathBuf};

use cyclescope_guest::{Exit, Failure};
use thiserror::Error;

/// The reason why a sweep cannot be planned, run or kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A file that cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// A path that is no Unicode.
    #[error("{} is no Unicode, which paths of a plan must be", .0.display())]
    Path(PathBuf),
    /// A defect of the file at `path`.
    #[error("{}: {error}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// The defect.
        #[source]
        error: Box<Self>,
    },
    /// A plan that is no TOML, or has a wrong key or value.
    #[error("line {line}: {message}")]
    Toml {
        /// The line, from 1.
        line: usize,
        /// The defect.
        message: String,
    },
    /// A plan that is no JSON, or has a wrong key or value.
    #[error("the plan is not understood: {message}")]
    Json {
        /// The defect.
        message: String,
    },
    /// A plan of too many bytes.
    #[error("the plan has more than {most} bytes, the most that one may have")]
    TooLong {
        /// The most.
        most: u64,
    },
    /// A value of a key that is wrong.
    #[error("`{key}`: {error}")]
    Value {
        /// The key.
        key: &'static str,
        /// The defect.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A defect of the value of a key, and the key's line.
    #[error("line {line}: {error}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The defect.
        #[source]
        error: Box<Self>,
    },
    /// More than a sweep may have.
    #[error("the plan has more than {most} {what}, the most that a sweep may have; make several plans of it")]
    TooMany {
        /// The things.
        what: &'static str,
        /// Their greatest number.
        most: String,
    },
    /// A file of the plan with a defect.
    #[error("{name}: {error}")]
    File {
        /// The file.
        name: String,
        /// The defect.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A measurement that cannot be made.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The sweep was interrupted before its chunks were known.
    #[error("interrupted before the chunks of the sweep were known")]
    Interrupted,
    /// Bytes that are no sweep of this version.
    #[error("this is no sweep of {}: {why}; use one version of cyclescope everywhere", cyclescope_guest::TOOL)]
    Packed {
        /// The defect.
        why: String,
    },
    /// A part that is none of the sweep's.
    #[error("part {chunk} is damaged or of another sweep: {why}")]
    Part {
        /// The number of its chunk.
        chunk: u64,
        /// The defect.
        why: String,
    },
    /// Parts of another plan.
    #[error("{} holds parts of another plan, other images or another version", .0.display())]
    OtherPlan(PathBuf),
    /// Parts that another process adds to.
    #[error("another sweep is at work in {}", .0.display())]
    Busy(PathBuf),
    /// Results that cannot be kept.
    #[error("{} cannot be written: {error}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// A file of results that cannot be read back.
    #[error("{}: it is no file of a sweep's results: {why}", path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// The defect.
        why: String,
    },
    /// Columns that cannot be made or read.
    #[error("results cannot be put into columns: {0}")]
    Columns(String),
    /// A thread of a sweep that panicked.
    #[error("chunk {chunk} ended by an internal error")]
    Panicked {
        /// The number of the chunk.
        chunk: u64,
    },
}

impl SweepError {
    /// Returns a maker of the error for what cannot be written at `path`.
    pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        |error| Self::Write { path: path.to_owned(), error }
    }

    /// Returns the error for the value `error` of `key`.
    pub(crate) fn value(key: &'static str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Value { key, error: error.into() }
    }

    /// Returns the error with the line of its key in the plan `text`, if it is of a key that stands there.
    pub(crate) fn in_text(self, text: &str) -> Self {
        let Self::Value { key, .. } = &self else { return self };
        let begins = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        match text.lines().position(|line| begins(line.trim_start())) {
            Some(index) => Self::Line { line: index + 1, error: Box::new(self) },
            None => self,
        }
    }

    /// Returns the exit of the process for this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::In { error, .. } | Self::Line { error, .. } => error.exit(),
            Self::Read { .. } => Exit::NoInput,
            Self::Write { .. } | Self::Busy(_) => Exit::NoOutput,
            Self::Failure(failure) => failure.exit,
            Self::Interrupted => Exit::Interrupted,
            Self::OtherPlan(_) => Exit::Usage,
            Self::Columns(_) | Self::Panicked { .. } => Exit::Internal,
            Self::Path(_)
            | Self::Toml { .. }
            | Self::Json { .. }
            | Self::TooLong { .. }
            | Self::Value { .. }
            | Self::TooMany { .. }
            | Self::File { .. }
            | Self::Packed { .. }
            | Self::Part { .. }
            | Self::Results { .. } => Exit::BadInput,
        }
    }

    /// Returns advice for the user, if the message has none.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::In { error, .. } | Self::Line { error, .. } => error.help(),
            Self::Failure(failure) => failure.help.clone(),
            Self::OtherPlan(folder) => {
                Some(format!("name another file with --out, or remove {} to begin anew", folder.display()))
            }
            Self::Write { .. } => Some("make room; the same command then goes on where this one ended".to_owned()),
            _ => None,
        }
    }
}
