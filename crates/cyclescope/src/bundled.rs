//! The experiments, chips and images that this build carries.

use crate::backend::{Backend, Catalogue, ExecOutcome, ExecRequest, Failure, RunOutcome, RunRequest, Sink};
use crate::exit::Exit;
use crate::progress::Progress;

/// What is compiled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bundled;

#[derive(Debug, thiserror::Error)]
#[error("this build carries no chip models")]
struct NothingBundled;

fn nothing(subject: &str) -> Failure {
    Failure { subject: subject.to_owned(), error: Box::new(NothingBundled), help: None, exit: Exit::Internal }
}

impl Backend for Bundled {
    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }

    fn run(&self, _: &RunRequest, _: &dyn Progress, _: &(dyn Fn() -> bool + Sync)) -> Result<RunOutcome, Failure> {
        Err(nothing("run"))
    }

    fn exec(&self, request: &ExecRequest<'_>, _: &mut Sink<'_>) -> Result<ExecOutcome, Failure> {
        Err(nothing(request.chip))
    }
}
