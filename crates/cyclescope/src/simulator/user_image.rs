//! Calls of an image that is not bundled.

use cyclescope_experiments::syscall::{UserImageError, UserImageOutcome, UserImageRequest};
use cyclescope_experiments::{RunError, Syscall};

use crate::backend::{Failure, Pulse, RunOutcome};
use crate::exit::Exit;
use cyclescope_guest::steps::inlined_away;

/// Runs what `request` asks for.
pub(super) fn run(request: &UserImageRequest<'_>, pulse: &Pulse<'_>) -> Result<RunOutcome, Failure> {
    let subject = request.guest.subject();
    let ran = Syscall::bundled().user_image(request, pulse).map_err(|error| Failure {
        subject: subject.clone(),
        help: match &error {
            UserImageError::Lacking(lacking) => inlined_away(&lacking.event, request.guest.image),
            _ => None,
        },
        exit: match &error {
            UserImageError::Run(_) => Exit::Internal,
            UserImageError::Reserved(_) | UserImageError::Twice(_) => Exit::Usage,
            _ => Exit::BadInput,
        },
        error: Box::new(error),
    });
    let UserImageOutcome { records, tables, failures, ended } = ran?;
    let failure = |error: RunError| Failure {
        subject: subject.clone(),
        help: match &error {
            RunError::Call(error) => error.help(ended.as_deref()),
            _ => Some("the results cover the time up to there".to_owned()),
        },
        exit: match &error {
            RunError::Ended(stop, _) => match Exit::of_stop(*stop) {
                Exit::Success => Exit::WrongOutput,
                exit => exit,
            },
            _ => Exit::WrongOutput,
        },
        error: Box::new(error),
    };
    Ok(RunOutcome { tables, records, failures: failures.into_iter().map(failure).collect(), dump: None })
}
