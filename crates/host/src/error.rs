//! Why a contender gave no number.

use std::io;
use std::process::ExitStatus;

use thiserror::Error;

/// Why a contender gave no number.
#[derive(Debug, Error)]
pub enum HostError {
    /// It could not be started.
    #[error("`{program}` could not be started: {error}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// It ran, and the system would not say what it took.
    #[error("what the program took could not be found out: {0}")]
    Wait(#[source] io::Error),
    /// It failed or was killed.
    #[error("the program ended with {status}{}", said(.stderr))]
    Failed {
        /// How.
        status: ExitStatus,
        /// The end of what it said.
        stderr: String,
    },
    /// It was stopped because it took too long.
    #[error("the program did not end within {seconds} s and was killed")]
    TimedOut {
        /// How long it had.
        seconds: u64,
    },
    /// It ended well and did not say what it did.
    #[error("the program did not say what it did{}", said(.0))]
    Silent(String),
    /// The tree could not be made.
    #[error("the tree could not be made in {path}: {error}")]
    Tree {
        /// Where.
        path: String,
        /// Why.
        #[source]
        error: io::Error,
    },
}

fn said(stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!("; it said: {line}"))
}
