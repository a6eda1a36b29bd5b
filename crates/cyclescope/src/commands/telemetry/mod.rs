//! `cyclescope tasks` of a trace that a runtime on the host has written.

mod json;
mod perfetto;
mod tables;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cyclescope_guest::Variant;
use cyclescope_report::format::integer;
use cyclescope_report::{Surface, Table, markdown, terminal};
use cyclescope_telemetry::{Events, TelemetryError, is_trace, view};

use super::file_name;
use super::tasks::MOST_EVENTS;
use crate::cli::tasks::{TasksArguments, TasksFormat};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, OutFile, check_apart};

/// Tells if `path` is a trace, or a folder, which can be no firmware.
pub(super) fn is_asked(path: &Path) -> bool {
    let mut first = Vec::new();
    let begins = |file: File| file.take(4).read_to_end(&mut first).is_ok();
    path.is_dir() || File::open(path).is_ok_and(begins) && is_trace(&first)
}

/// Shows the tasks of a trace.
///
/// # Errors
/// [`CliError`] for options of a firmware, for files that cannot be read, and for places that cannot be written.
pub(super) fn show(arguments: &TasksArguments, console: &mut Console) -> Result<Exit, CliError> {
    let guest = &arguments.guest;
    let of_firmware = guest.chip.chip.is_some()
        || !guest.chip.load.is_empty()
        || !guest.chip.attach.is_empty()
        || !guest.outside.stimulus.is_empty()
        || guest.outside.window.is_some()
        || guest.until.until.is_some()
        || arguments.variant.variant() != Variant::default()
        || arguments.task_pointer.is_some()
        || !arguments.span.is_empty();
    if of_firmware {
        return Err(CliError::Usage(
            "this is a trace of a runtime on the host; of the options for a firmware only --perfetto, --format and --out are for it",
        ));
    }
    let path = guest.elf.as_path();
    let format = arguments.results.format()?;
    let files = [("--out", arguments.results.out.as_deref()), ("--perfetto", arguments.perfetto.as_deref())];
    check_apart(Some(path), &files)?;
    let out = arguments.results.open()?;
    let timeline = arguments.perfetto.as_deref().map(OutFile::open).transpose()?;
    let mut events = Events::default();
    for file in traces(path)? {
        let bytes = std::fs::read(&file).map_err(CliError::unreadable(&file))?;
        events.read(&bytes).map_err(CliError::bad_file(&file))?;
    }
    let events = events.checked().map_err(CliError::bad_file(path))?;
    let seen = view(events, arguments.blocking, if timeline.is_some() { MOST_EVENTS } else { 0 });
    let name = file_name(path);
    let joined = |render: &dyn Fn(&Table) -> String| {
        tables::tables(&name, &seen).iter().map(render).collect::<Vec<_>>().join("\n")
    };
    let text = |surface: Surface| match format {
        TasksFormat::Table => Ok(joined(&|table| terminal(table, surface))),
        TasksFormat::Markdown => Ok(joined(&markdown)),
        TasksFormat::Json => json::json(&name, &seen).map_err(CliError::Json),
    };
    console.results(out, "the results", text)?;
    if let Some(file) = timeline {
        if seen.report.lost > 0 {
            console.note(&format!(
                "warning: the timeline has no room for {} later events; record less",
                integer(seen.report.lost.into())
            ));
        }
        file.put(&perfetto::perfetto(&name, &seen), "the timeline", console)?;
    }
    for missing in &seen.incomplete {
        console.note(&format!("warning: {missing}; figures are of what was read"));
    }
    Ok(Exit::Success)
}

/// The files of a trace: the one at `path`, or all of that folder, in the order of their numbers.
fn traces(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(CliError::unreadable(path))?;
    let is_one = |path: &PathBuf| {
        let name = file_name(path);
        name.ends_with(".bin") || name.ends_with(".bin.gz")
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_one).collect();
    files.sort();
    if files.is_empty() {
        return Err(CliError::bad_file(path)(TelemetryError::NoFiles));
    }
    Ok(files)
}
