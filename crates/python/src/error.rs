//! Errors as exceptions, in the command's words.

use cyclescope::BoardError;
use cyclescope_guest::{Exit, Failure, Several};
use cyclescope_sweep::SweepError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    cyclescope,
    Error,
    PyException,
    "What went wrong, where, and what to do, in the words of the command. `exit_code` is the code that the command ends with; advice is a note of the exception."
);

/// Returns the exception that says `message`, with the advice `help` as a note.
fn exception(py: Python<'_>, message: String, help: Option<String>, exit: Exit) -> PyErr {
    let error = Error::new_err(message);
    let value = error.value(py);
    // An exception without its code or its note is still the exception.
    let _ = value.setattr("exit_code", exit.code());
    if let Some(help) = help {
        let _ = error.add_note(py, help);
    }
    error
}

/// An error of cyclescope that Python hears of.
pub(crate) trait Raise {
    /// Returns it as an exception.
    fn raise(self, py: Python<'_>) -> PyErr;
}

impl Raise for Failure {
    fn raise(self, py: Python<'_>) -> PyErr {
        let message = match self.error.downcast_ref::<Several>() {
            Some(Several(all)) => all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            None => self.to_string(),
        };
        exception(py, message, self.help, self.exit)
    }
}

impl Raise for BoardError {
    fn raise(self, py: Python<'_>) -> PyErr {
        let exit = match &self {
            Self::Read { .. } => Exit::NoInput,
            Self::Stopped { stop, .. } => Exit::of_stop(*stop),
            Self::Limit { .. } => Exit::CycleBudget,
            Self::Interrupted { .. } => Exit::Interrupted,
            Self::Span { .. } | Self::Unanswered { .. } => Exit::WrongOutput,
            Self::Image { .. } | Self::Load { .. } => Exit::BadInput,
            _ => Exit::Usage,
        };
        exception(py, self.to_string(), None, exit)
    }
}

impl Raise for SweepError {
    fn raise(self, py: Python<'_>) -> PyErr {
        let (help, exit) = (self.help(), self.exit());
        exception(py, self.to_string(), help, exit)
    }
}

/// A defect in words, with the command's exit.
pub(crate) struct Said(pub(crate) String, pub(crate) Exit);

impl Raise for Said {
    fn raise(self, py: Python<'_>) -> PyErr {
        exception(py, self.0, None, self.1)
    }
}
