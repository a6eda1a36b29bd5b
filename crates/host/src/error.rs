//! Errors of a contender's run.

use std::io;
use std::process::ExitStatus;

use thiserror::Error;

/// An error that leaves no result of a contender.
#[derive(Debug, Error)]
pub enum HostError {
    /// The program could not be started.
    #[error("`{program}` could not be started: {error}")]
    Start {
        /// The program.
        program: String,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The system is not a Unix system, which alone tells what a process took.
    #[error("`{program}` was not started: experiments on the host need a Unix system, such as Linux or macOS")]
    NotUnix {
        /// The program.
        program: String,
    },
    /// The system did not return the resource usage.
    #[error("the program's resource usage could not be read: {0}")]
    Wait(#[source] io::Error),
    /// The program failed or was killed.
    #[error("the program ended with {status}{}", last_message(.stderr))]
    Failed {
        /// The exit status.
        status: ExitStatus,
        /// The end of its standard error.
        stderr: String,
    },
    /// The program was killed because it exceeded the time limit.
    #[error("the program did not end within {seconds} s and was killed")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The program succeeded without an account.
    #[error("the program printed no account of its work{}", last_message(.0))]
    Silent(String),
    /// The directory tree could not be created.
    #[error("the tree could not be created in {path}: {error}")]
    Tree {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        error: io::Error,
    },
}

fn last_message(stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!("; its last message: {line}"))
}
