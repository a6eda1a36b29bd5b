//! `cyclescope history`.

mod add;
mod list;
mod page;
mod show;
mod trends;

use std::path::{Path, PathBuf};

use cyclescope_history::{Entry, History, Reference};
use cyclescope_records::Record;

use super::compare;
use crate::cli::history::{BranchArguments, CompareArguments, HistoryArguments, HistoryCommand, RemoveArguments};
use crate::commit;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Adds to a history, and shows it.
///
/// # Errors
/// [`CliError`] for histories and files that cannot be read or written, and for names that they do not have.
pub fn history(arguments: &HistoryArguments, console: &mut Console) -> Result<Exit, CliError> {
    match &arguments.command {
        HistoryCommand::Add(arguments) => add::add(arguments, console),
        HistoryCommand::List(arguments) => list::list(arguments, console),
        HistoryCommand::Show(arguments) => show::show(arguments, console),
        HistoryCommand::Compare(arguments) => compare_entries(arguments, console),
        HistoryCommand::Page(arguments) => page::page(arguments, console),
        HistoryCommand::Remove(arguments) => remove(arguments, console),
    }
}

/// A history that is read, and the branch that is looked at.
pub(super) struct Opened {
    history: History,
    path: PathBuf,
    branch: String,
}

impl Opened {
    /// Opens the history at `path`; without `branch`, the one that is checked out if the history has it is looked at, else that
    /// of the last entry.
    ///
    /// # Errors
    /// [`CliError::History`], and [`CliError::Unknown`] for a branch that it does not have.
    pub(super) fn read(path: &Path, branch: Option<&str>) -> Result<Self, CliError> {
        let failed = CliError::history(path);
        let history = History::read(path).map_err(failed)?;
        let branches = history.branches().map_err(failed)?;
        if let Some(name) = branch {
            let known = branches.iter().map(String::as_str);
            super::check_names("branch in the history", "history list", &[name.to_owned()], known)?;
        }
        let here = || commit::branch().filter(|name| branches.contains(name));
        let last = history.last_branch().map_err(failed)?;
        let branch = branch.map(str::to_owned).or_else(here).or(last).unwrap_or_else(|| MAIN.to_owned());
        Ok(Self { history, path: path.to_owned(), branch })
    }

    fn of(arguments: &BranchArguments) -> Result<Self, CliError> {
        Self::read(&arguments.file, arguments.branch.as_deref())
    }

    /// The records of the entry that `reference` means, which is told.
    ///
    /// # Errors
    /// [`CliError::Reference`] and [`CliError::History`].
    pub(super) fn entry(&self, reference: &Reference, console: &mut Console) -> Result<Vec<Record>, CliError> {
        let entry = reference.find(&self.history, &self.branch).map_err(CliError::reference(&self.path))?;
        self.records(&reference.to_string(), &entry, console)
    }

    /// The records of `entry`, which is told by the name that it is meant by.
    ///
    /// # Errors
    /// [`CliError::History`].
    fn records(&self, name: &str, entry: &Entry, console: &mut Console) -> Result<Vec<Record>, CliError> {
        console.note(&format!("{name} is {}", told(entry)));
        self.history.records(entry.id).map_err(CliError::history(&self.path))
    }

    /// The entries of the branch.
    fn entries(&self) -> Result<Vec<Entry>, CliError> {
        self.history.entries(Some(&self.branch)).map_err(CliError::history(&self.path))
    }
}

/// The branch of entries where nobody knows it.
const MAIN: &str = "main";

/// An entry in words.
fn told(entry: &Entry) -> String {
    let commit = if entry.commit.is_empty() { String::new() } else { format!(", {}", entry.short()) };
    format!("entry #{}{commit} on {}, {}", entry.id, entry.branch, entry.time.minute())
}

fn compare_entries(arguments: &CompareArguments, console: &mut Console) -> Result<Exit, CliError> {
    let opened = Opened::of(&arguments.branch)?;
    let newest = opened.entries()?.pop().ok_or(CliError::Usage("the history has no entry of this branch"))?;
    let old = opened.entry(&arguments.old, console)?;
    let new = opened.records(&opened.branch, &newest, console)?;
    let file = arguments.changes.results.open()?;
    compare::show(&old, &new, &arguments.changes, file, console)
}

fn remove(arguments: &RemoveArguments, console: &mut Console) -> Result<Exit, CliError> {
    let failed = CliError::history(&arguments.file);
    // Nothing is made where nothing is.
    drop(History::read(&arguments.file).map_err(failed)?);
    let mut history = History::write(&arguments.file).map_err(failed)?;
    if !history.remove(arguments.entry).map_err(failed)? {
        return Err(CliError::Unknown {
            kind: "entry",
            name: format!("#{}", arguments.entry),
            nearest: String::new(),
            list: "history list".into(),
        });
    }
    console.note(&format!("removed entry #{} from {}", arguments.entry, arguments.file.display()));
    Ok(Exit::Success)
}
