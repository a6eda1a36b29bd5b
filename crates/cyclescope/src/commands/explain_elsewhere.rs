//! `cyclescope explain` where the system does not tell what a process took.

use crate::cli::explain::ExplainArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Refuses.
///
/// # Errors
/// [`CliError::Usage`], always.
pub fn explain(_: &ExplainArguments, _: &mut Console) -> Result<Exit, CliError> {
    Err(CliError::Usage(
        "`explain` needs a Unix system, such as Linux or macOS: there the kernel tells what a process took",
    ))
}
