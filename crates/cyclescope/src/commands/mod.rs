//! The commands, one file each. A command takes its arguments and the console, and says how the process ends.

mod channels;
pub mod claims;
pub mod compare;
pub mod completions;
mod devices;
pub mod digest;
pub mod exec;
mod exec_desk;
#[cfg(unix)]
pub mod explain;
#[cfg(not(unix))]
#[path = "explain_elsewhere.rs"]
pub mod explain;
mod guest;
pub mod history;
pub mod image;
pub mod import;
pub mod kit;
pub mod list;
pub mod luck;
pub mod man;
pub mod measure;
mod perfetto_messages;
pub mod report;
pub mod run;
pub mod size;
mod suite;
pub mod sweep;
pub mod tasks;
mod telemetry;
pub mod trace;
mod user_image;
mod vcd;

use std::path::Path;
use std::sync::Arc;

use cyclescope_chips::Part;
use cyclescope_image::Image;
use cyclescope_records::Model;
use cyclescope_report::format::integer;
use cyclescope_riscv::timing::INSTRUCTIONS;

use crate::backend::Selection;
use crate::chip;
use crate::error::CliError;
use crate::nearest::clause;

/// Returns the name of the file at `path`, which results call it by.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads an image.
///
/// # Errors
/// [`CliError::Read`] or [`CliError::BadFile`].
pub(crate) fn read_image(path: &Path) -> Result<Image, CliError> {
    let bytes = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
    Image::parse(&bytes).map_err(CliError::bad_file(path))
}

/// Returns a selection of `chips`: those of the catalogue by name, and those that a file describes.
///
/// # Errors
/// As [`chip::resolve`].
pub(crate) fn chips(chips: &[String]) -> Result<Selection, CliError> {
    let mut selection = Selection::default();
    for chip in chips {
        match chip::resolve(chip)? {
            path if Part::is_file(&path) => selection.parts.push(Arc::new(Part::from_file(Path::new(&path))?)),
            name => selection.chips.push(name),
        }
    }
    Ok(selection)
}

/// Checks that each of `names` is one of `known`.
///
/// # Errors
/// [`CliError::Unknown`] with the nearest names.
pub(crate) fn check_names<'a>(
    kind: &'static str,
    list: &'static str,
    names: &[String],
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), CliError> {
    for name in names {
        if !known.clone().any(|known| known == name) {
            let nearest = clause(name, known.clone());
            return Err(CliError::Unknown { kind, name: name.clone(), nearest, list: list.into() });
        }
    }
    Ok(())
}

/// Returns a note on the timings of `model` that are assumed, if there are any.
pub(crate) fn assumed(model: &Model) -> Option<String> {
    let assumed: Vec<&str> = model.timing_rows.assumed.iter().map(String::as_str).collect();
    if assumed.is_empty() {
        return None;
    }
    // The rows of a core that has no timing of its own.
    if assumed.iter().all(|name| INSTRUCTIONS.rows.iter().any(|row| row.name == *name)) {
        return Some("This chip's timing is not modelled: an instruction takes one cycle.".to_owned());
    }
    Some(format!("Timings assumed, not documented (docs/timing.md): {}.", assumed.join(", ")))
}

/// Returns `count` with the word for one or for several.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", integer(count.into()), if count == 1 { one } else { several })
}

/// Returns `what` with the number of its records, as in `the results (2 records)`.
pub(crate) fn with_records(what: &str, count: usize) -> String {
    format!("{what} ({})", counted(count as u64, "record", "records"))
}

/// Returns how often something happened, in words.
pub(crate) fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", integer(count.into())) }
}
