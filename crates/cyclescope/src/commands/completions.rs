//! `cyclescope completions`: a script by which a shell asks this program for what may follow, and the answers.
//!
//! The values of an argument follow from its name in the help: a `CHIP` is a chip of the catalogue or a file that describes one,
//! an `ELF` is a file that begins as one.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use cyclescope_chips::Part;

use crate::backend::{Backend, Catalogue};
use crate::cli::{Cli, CompletionsArguments};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;
use crate::simulator::Simulator;

/// The variable by which the script asks for answers; its value is the shell.
const VARIABLE: &str = "CYCLESCOPE_COMPLETE";

/// The first bytes of an ELF file.
const MAGIC: &[u8; 4] = b"\x7fELF";

/// Prints the shell's completion script.
///
/// # Errors
/// [`CliError::Stdout`].
pub fn completions(arguments: &CompletionsArguments, console: &mut Console) -> Result<Exit, CliError> {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    if let Some(shell) = shells.completer(&arguments.shell.to_string()) {
        let name = "cyclescope";
        shell.write_registration(VARIABLE, name, name, name, &mut script).map_err(CliError::Stdout)?;
    }
    console.write(&script)?;
    Ok(Exit::Success)
}

/// Answers a shell that asks for completions of `arguments`. Returns `false` if none does.
///
/// # Errors
/// If the shell is not known, or does not read.
pub(crate) fn answer(arguments: &[OsString]) -> clap::error::Result<bool> {
    let current = std::env::current_dir().ok();
    CompleteEnv::with_factory(command).var(VARIABLE).try_complete(arguments.iter().cloned(), current.as_deref())
}

/// The command line with the values that its arguments may have.
fn command() -> Command {
    let completed = |command: Command| command.mut_args(with_values);
    Cli::command().mut_subcommands(|command| completed(command).mut_subcommands(completed))
}

fn with_values(argument: Arg) -> Arg {
    let name = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default();
    let values = match (name.as_str(), argument.get_id().as_str()) {
        ("EXPERIMENT", _) => names(|catalogue| catalogue.experiments.into_iter().map(|one| one.name).collect()),
        ("MODE", _) => names(|catalogue| catalogue.experiments.into_iter().flat_map(|one| one.modes).collect()),
        ("DEVICE[:OPTIONS]@PLACE", _) => {
            names(|_| cyclescope_attached::KINDS.iter().map(|kind| kind.name.to_owned()).collect())
        }
        ("CHIP", _) => ArgValueCompleter::new(Chips),
        ("LEVEL", "opt") => names(|catalogue| catalogue.images.into_iter().map(|one| one.opt).collect()),
        ("NAME", "contender" | "base") => {
            names(|catalogue| catalogue.contenders.into_iter().map(|one| one.name).collect())
        }
        ("NAME", "name") => names(|catalogue| catalogue.images.into_iter().map(|one| one.name).collect()),
        ("ELF", _) => files(is_elf),
        ("RESULTS.json" | "FILE.json", _) => files(|path| has_extension(path, &["json"])),
        ("FILE.html", _) => files(|path| has_extension(path, &["html"])),
        ("FILE.sqlite", _) => files(|path| has_extension(path, &["sqlite"])),
        ("RESULTS", _) => ArgValueCompleter::new(PathCompleter::any()),
        ("FILE.svg", _) => files(|path| has_extension(path, &["svg"])),
        ("OLD" | "NEW", _) => files(|path| has_extension(path, &["json"]) || is_elf(path)),
        ("FILE", "file") => files(|path| has_extension(path, &["toml"])),
        ("FILE" | "LOG", _) => ArgValueCompleter::new(PathCompleter::file()),
        ("FOLDER", _) => ArgValueCompleter::new(PathCompleter::dir()),
        _ => return argument,
    };
    argument.add(values)
}

/// Names of the catalogue.
fn names(of: impl Fn(Catalogue) -> Vec<String> + Send + Sync + 'static) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| candidates(of(Simulator.catalogue()), current))
}

/// Those of `names` that begin with `current`, each once.
fn candidates(mut names: Vec<String>, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    names.retain(|name| name.starts_with(&*current));
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// Files that `fit`, and the folders on the way to others.
fn files(fit: impl Fn(&Path) -> bool + Send + Sync + 'static) -> ArgValueCompleter {
    ArgValueCompleter::new(PathCompleter::any().filter(move |path| path.is_file() && fit(path)))
}

/// Chips by name, and files that describe one.
struct Chips;

impl ValueCompleter for Chips {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let names = Part::names().map(str::to_owned).collect();
        let files = PathCompleter::any().filter(|path| path.is_file() && Part::is_file(&path.to_string_lossy()));
        candidates(names, current).into_iter().chain(files.complete(current)).collect()
    }
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|own| known.iter().any(|one| own.eq_ignore_ascii_case(one)))
}

/// Tells if the file at `path` begins as an ELF.
fn is_elf(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC
}
