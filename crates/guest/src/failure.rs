//! A run that could not be made.

use std::error::Error;

use crate::exit::Exit;

/// A run that gave no number, or a command that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[error("{}{error}", clause(.subject))]
pub struct Failure {
    /// The run that failed: experiment, contender, mode, chip; or the image's path; empty where nothing ran.
    pub subject: String,
    /// Why, with pc, symbol and cycle where there is one.
    #[source]
    pub error: Box<dyn Error + Send + Sync>,
    /// Advice for the user, if the error has none.
    pub help: Option<String>,
    /// The exit of the process.
    pub exit: Exit,
}

fn clause(subject: &str) -> String {
    if subject.is_empty() { String::new() } else { format!("{subject}: ") }
}
