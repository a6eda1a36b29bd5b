//! Errors of the file.

use std::io;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::SCHEMA;

/// Why a history cannot be read or written.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// No file, or one that cannot be opened.
    #[error("the history cannot be opened: {0}")]
    Open(#[source] io::Error),
    /// A file of another kind.
    #[error("this is not a history of cyclescope")]
    Foreign,
    /// A file of a later cyclescope.
    #[error("the history has schema {found}, but this cyclescope reads schemas up to {SCHEMA}; use a newer one")]
    Later {
        /// The file's version.
        found: i64,
    },
    /// Contents that this crate did not write.
    #[error("the history is damaged: {0}")]
    Damaged(String),
    /// A file that may not be written.
    #[error("the history is read-only")]
    ReadOnly,
    /// A writer that does not end.
    #[error("another process has been writing the history for a minute")]
    Busy,
    /// Any other failure to write, such as a full disk.
    #[error("the history cannot be written: {0}")]
    Write(#[source] rusqlite::Error),
}

impl HistoryError {
    /// Returns the error that SQLite's `error` is when a history is read.
    pub(crate) fn reading(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            // What a writer left beside the file needs a folder that can be written.
            Some(
                ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly,
            ) => Self::Open(io::Error::other(error)),
            _ => Self::Damaged(error.to_string()),
        }
    }

    /// Returns the error that SQLite's `error` is when a history is written.
    pub(crate) fn writing(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(
                ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied,
            ) => Self::Write(error),
            _ => Self::reading(error),
        }
    }
}
