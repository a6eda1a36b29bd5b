//! `cyclescope completions`.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArguments};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Prints the shell's completion script.
///
/// # Errors
/// [`CliError::Stdout`].
pub fn completions(arguments: &CompletionsArguments, console: &mut Console) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "cyclescope", &mut script);
    console.write(&script)?;
    Ok(Exit::Success)
}
