//! `cyclescope man`: the man pages, made from the same definitions as the help.

use clap::CommandFactory;

use crate::cli::{Cli, ManArguments};
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Writes a page for the program and one for each command and subcommand.
///
/// # Errors
/// [`CliError::Write`].
pub fn man(arguments: &ManArguments, console: &mut Console) -> Result<Exit, CliError> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(CliError::unwritable(folder))?;
    let mut pages = 0;
    let mut rest = vec![("cyclescope".to_owned(), Cli::command())];
    while let Some((words, command)) = rest.pop() {
        for inner in command.get_subcommands() {
            rest.push((format!("{words} {}", inner.get_name()), inner.clone()));
        }
        let name = words.replace(' ', "-");
        let path = folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        let command = command.name(name).bin_name(words).disable_help_subcommand(true);
        clap_mangen::Man::new(command).render(&mut page).map_err(CliError::unwritable(&path))?;
        std::fs::write(&path, page).map_err(CliError::unwritable(&path))?;
        pages += 1;
    }
    console.note(&format!("wrote {} into {}", counted(pages, "man page", "man pages"), folder.display()));
    Ok(Exit::Success)
}
