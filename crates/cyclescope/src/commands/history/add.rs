//! `cyclescope history add`.

use std::path::PathBuf;

use cyclescope_history::{Added, Addition, History, Moment, import};
use cyclescope_records::Record;
use cyclescope_report::format::integer;

use super::{MAIN, told};
use crate::cli::history::{AddArguments, is_name};
use crate::commands::{counted, file_name};
use crate::commit;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, check_name};

pub(super) fn add(arguments: &AddArguments, console: &mut Console) -> Result<Exit, CliError> {
    check_name(&arguments.file)?;
    let (mut records, mut sources): (Vec<Record>, Vec<String>) = (Vec::new(), Vec::new());
    for path in &arguments.results {
        let imported = import(path)?;
        sources.push(format!("{} ({})", file_name(path), imported.tool));
        records.extend(imported.records);
    }
    if records.is_empty() {
        return Err(CliError::Usage("there is no record in these files"));
    }
    let commit = match &arguments.commit {
        Some(name) => commit::resolved(name).unwrap_or_else(|| name.clone()),
        None => commit::commit().unwrap_or_default(),
    };
    if arguments.commit.is_none() && commit::is_changed() {
        console.note(
            "warning: the working folder has changes that are in no commit; the entry names the commit below them",
        );
    }
    if !commit.is_empty() && !is_name(&commit) {
        return Err(CliError::Usage(
            "--commit is nothing that git knows here, and with a ~ or a space it names no entry",
        ));
    }
    let branch = arguments.branch.clone().or_else(commit::branch).unwrap_or_else(|| MAIN.to_owned());
    let of_commit = || if commit.is_empty() { None } else { commit::time(&commit) };
    let Some(time) = arguments.time.or_else(of_commit).or_else(|| newest(&arguments.results)) else {
        return Err(CliError::Usage("the time of these results is not known; name it with --time"));
    };
    let addition = Addition { commit, branch, time, source: sources.join(", "), records };
    let failed = CliError::history(&arguments.file);
    let added = History::write(&arguments.file).map_err(failed)?.add(&addition).map_err(failed)?;
    let place = arguments.file.display();
    match added {
        Added::New(entry, new) => {
            let (all, told) = (counted(entry.records, "record", "records"), told(&entry));
            console.note(&format!("added {told}, to {place}: {all}, {} of them new", integer(new as i128)));
        }
        Added::Same(entry) => {
            console.note(&format!("{} of {place} has these records already; nothing was added", told(&entry)));
        }
    }
    Ok(Exit::Success)
}

/// The time at which the newest of `files` was written.
fn newest(files: &[PathBuf]) -> Option<Moment> {
    let times = files.iter().filter_map(|path| Moment::from_system(path.metadata().ok()?.modified().ok()?));
    times.max()
}
