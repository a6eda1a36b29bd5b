//! The log of a board, beside the model.

use cyclescope_experiments::{BoardLog, ImportError};
use cyclescope_records::Record;

use crate::backend::Failure;
use crate::exit::Exit;

pub(super) fn import(name: &str, log: BoardLog<'_>) -> Result<Vec<Record>, Failure> {
    cyclescope_experiments::import(&cyclescope_experiments::all(), log).map_err(|error| {
        let exit = match &error {
            ImportError::Part(_) | ImportError::Several { .. } => Exit::Usage,
            ImportError::Nothing | ImportError::NoImage { .. } => Exit::BadInput,
            ImportError::Wrong { .. } => Exit::WrongOutput,
            ImportError::Model { .. } | ImportError::Stats(_) => Exit::Internal,
        };
        Failure { subject: name.to_owned(), error: Box::new(error), help: None, exit }
    })
}
