//! Errors of a run.

use std::io;
use std::process::ExitStatus;

use thiserror::Error;

/// An error that leaves no account of a run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The program could not be started.
    #[error("`{program}` could not be started: {error}")]
    Start {
        /// The program.
        program: String,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The command failed or was killed.
    #[error("`{command}` ended with {status}")]
    Failed {
        /// The command.
        command: String,
        /// The exit status.
        status: ExitStatus,
        /// The end of what it printed.
        tail: String,
    },
    /// The command exceeded the time limit.
    #[error("`{command}` did not end within {seconds} s and was killed")]
    TimedOut {
        /// The command.
        command: String,
        /// The limit.
        seconds: f64,
        /// The end of what it printed.
        tail: String,
    },
    /// The command ended before processes that it had started.
    #[error(
        "`{command}` ended and left {} running, which {} killed: its account would lack them",
        names.join(", "), if names.len() == 1 { "was" } else { "were" }
    )]
    Left {
        /// The command.
        command: String,
        /// The names and numbers of the processes.
        names: Vec<String>,
    },
    /// Processes of the command could not be killed.
    #[error(
        "`{command}` was to end, but could not be killed: {}",
        names.join(", ")
    )]
    Unkillable {
        /// The command.
        command: String,
        /// The names and numbers of the processes.
        names: Vec<String>,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The page cache could not be emptied.
    #[error("the page cache could not be emptied: /proc/sys/vm/drop_caches: {0}")]
    Cold(#[source] io::Error),
    /// The system refused something that every run needs.
    #[error("the run could not be watched: {0}")]
    System(#[source] io::Error),
}

impl RunError {
    /// Tells if the user ended the run.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted)
    }

    /// Returns the end of what the command printed, if it printed something.
    pub fn tail(&self) -> Option<&str> {
        match self {
            Self::Failed { tail, .. } | Self::TimedOut { tail, .. } => {
                Some(tail.trim_end()).filter(|tail| !tail.is_empty())
            }
            _ => None,
        }
    }
}

impl From<rustix::io::Errno> for RunError {
    fn from(error: rustix::io::Errno) -> Self {
        Self::System(error.into())
    }
}
