//! From the arguments of the process to its end.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

use crate::backend::Backend;
use crate::cli::measure::MeasureArguments;
use cyclescope_guest::stimuli::StimuliError;

use crate::cli::{Cli, Command};
use crate::commands;
use crate::exit::Exit;
use crate::output::Console;

/// Runs the command line `arguments` (the program's name first) against `backend` and says how the process should end.
/// Everything the user sees, errors included, has been written when it returns.
pub fn run(arguments: impl IntoIterator<Item = OsString>, backend: &dyn Backend) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // A contender is measured: it goes straight to its work.
    #[cfg(all(feature = "host", unix))]
    if let [_, first, spec, root @ ..] = &arguments[..]
        && first == commands::run::CONTENDER
    {
        let root = root.first().map(std::path::Path::new);
        std::process::exit(cyclescope_contenders::run(&spec.to_string_lossy(), root, None).into());
    }
    match commands::completions::answer(&arguments) {
        Ok(false) => {}
        Ok(true) => return Exit::Success,
        Err(error) => {
            crate::output::usage(&error.render().to_string());
            return Exit::Usage;
        }
    }
    let line: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let parsed = Cli::command().try_get_matches_from(arguments).and_then(|matches| {
        let command = matches.subcommand_name().unwrap_or_default().to_owned();
        Ok((Cli::from_arg_matches(&matches)?, command))
    });
    let (cli, command) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version come this way too, and go to stdout; a closed pipe there is no error.
            if error.use_stderr() {
                crate::output::usage(&error.render().to_string());
                return exit_of(&error);
            }
            let _ = error.print();
            return Exit::Success;
        }
    };
    let mut console = Console::detect(cli.color);
    if cli.command.simulates()
        && let Err(reason) = cli.tier.tier().choose()
    {
        console.note(&format!("simulated code is interpreted, which is slower: {reason}"));
    }
    let result = match cli.command {
        Command::Run(arguments) => commands::run::run(&arguments, backend, &mut console),
        Command::List(arguments) => commands::list::list(&arguments, backend, &mut console),
        Command::Image(arguments) => commands::image::image(&arguments, &mut console),
        Command::Exec(arguments) => commands::exec::exec(&arguments, backend, &mut console),
        Command::Measure(arguments) => {
            commands::measure::measure(MeasureArguments { line, ..arguments }, backend, &mut console)
        }
        Command::Luck(arguments) => commands::luck::luck(&arguments, backend, &mut console),
        Command::Sweep(arguments) => commands::sweep::sweep(&arguments, &mut console),
        Command::Trace(arguments) => commands::trace::trace(&arguments, backend, &mut console),
        Command::Profile(arguments) => commands::trace::profile(&arguments, backend, &mut console),
        Command::Tasks(arguments) => commands::tasks::tasks(&arguments, backend, &mut console),
        Command::Size(arguments) => commands::size::size(&arguments, &mut console),
        Command::Report(arguments) => commands::report::report(&arguments, backend, &mut console),
        Command::Digest(arguments) => commands::digest::digest(&arguments, &mut console),
        Command::Claims(arguments) => commands::claims::claims(&arguments, &mut console),
        Command::Compare(arguments) => commands::compare::run(&arguments, backend, &mut console),
        Command::History(arguments) => commands::history::history(&arguments, &mut console),
        Command::Explain(arguments) => commands::explain::explain(&arguments, &mut console),
        Command::Import(arguments) => commands::import::run(&arguments, backend, &mut console),
        Command::Kit(arguments) => commands::kit::kit(&arguments, &mut console),
        Command::Completions(arguments) => commands::completions::completions(&arguments, &mut console),
        Command::Man(arguments) => commands::man::man(&arguments, &mut console),
    };
    match result {
        Ok(exit) => exit,
        Err(error) if error.is_broken_pipe() => Exit::Success,
        Err(error) => {
            console.report(&error, &command);
            error.exit()
        }
    }
}

/// Returns the exit for a command line that is refused: an option may name a file that cannot be read.
fn exit_of(error: &clap::Error) -> Exit {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<StimuliError>());
    source.map_or(Exit::Usage, StimuliError::exit)
}
