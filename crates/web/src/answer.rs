//! The answer to a request.

use cyclescope_guest::tell::{Kept, Tell};
use cyclescope_guest::{Exit, Failure, Several};
use serde::Serialize;

use crate::timeline::Timeline;

/// The outcome of a request.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The exit code that the command has.
    pub exit: u8,
    /// The file that the command writes as JSON; `None` if it writes none.
    pub file: Option<String>,
    /// The lines that the command writes to standard error.
    pub messages: Vec<String>,
    /// The pins, exceptions and sleep, of a measurement that asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

impl Answer {
    /// The answer with `file` for a run that ended with `exit`.
    pub(crate) fn new(exit: Exit, file: Option<String>, messages: Vec<String>) -> Self {
        Self { exit: exit.code(), file, messages, timeline: None }
    }

    /// The answer to a request that cannot be carried out because of `error`; `help` is advice.
    pub(crate) fn refused(error: &dyn std::fmt::Display, help: Option<&str>, exit: Exit) -> Self {
        let mut kept = Kept::default();
        kept.problem(&error.to_string(), help);
        Self::new(exit, None, kept.lines)
    }

    /// The answer to a run that could not be made. `messages` came before.
    pub(crate) fn failed(failure: Failure, messages: Vec<String>) -> Self {
        let mut kept = Kept { lines: messages };
        let exit = failure.exit;
        let mut tell = |failure: &Failure| kept.problem(&failure.to_string(), failure.help.as_deref());
        match failure.error.downcast_ref::<Several>() {
            Some(Several(all)) => all.iter().for_each(&mut tell),
            None => tell(&failure),
        }
        Self::new(exit, None, kept.lines)
    }

    /// The answer as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }
}
