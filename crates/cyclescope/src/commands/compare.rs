//! `cyclescope compare`.

mod elf;

use std::path::{Path, PathBuf};

use cyclescope_history::{import, parse};
use cyclescope_records::stats::Number;
use cyclescope_records::{Comparison, Record, compare, judge};
use cyclescope_report::format::number;
use cyclescope_report::{Table, annotations, changes, comparison_json, functions, luck, verdict};

use self::elf::{OCCURRENCES, records};
use super::history;
use crate::TOOL;
use crate::backend::Backend;
use crate::cli::compare::{Against, ChangeArguments, CompareArguments, CompareFormat};
use crate::cli::shared::Format;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, render};

/// Shows what changed from one file of records, or one ELF, to another, and which bounds that breaks.
///
/// # Errors
/// [`CliError`] for files that cannot be read, are neither records nor ELFs, or cannot be written; for ELFs that do not
/// run as asked; and for bounds that speak of nothing compared.
pub fn run(arguments: &CompareArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let new_path = arguments.new.as_ref().unwrap_or(&arguments.old);
    let old = match &arguments.against {
        Some(Against::History(reference)) => {
            Side::Records(history::Opened::read(&arguments.file, None)?.entry(reference, console)?)
        }
        Some(Against::File(old)) => read(old)?,
        None => read(&arguments.old)?,
    };
    let new = read(new_path)?;
    let file = arguments.changes.results.open()?;
    let (old, new) = match (old, new) {
        (Side::Records(_), Side::Records(_)) if arguments.elf.chip.is_some() => {
            return Err(CliError::Usage("--chip goes with two ELFs, but these are files of records; leave --chip out"));
        }
        (Side::Records(old), Side::Records(new)) => (old, new),
        (Side::Elf(old_path, old), Side::Elf(new_path, new)) => {
            interrupt::install();
            let run = |path: &Path, elf: Vec<u8>| records(&arguments.elf, path, elf, backend);
            (run(&old_path, old)?, run(&new_path, new)?)
        }
        _ => {
            return Err(CliError::Usage(
                "one file is an ELF and the other holds records; compare two files of one kind",
            ));
        }
    };
    show(&old, &new, &arguments.changes, file, console)
}

/// Shows what changed from `old` to `new`, and which bounds that breaks.
///
/// # Errors
/// [`CliError`] for bounds that speak of nothing compared, and for results that cannot be written.
pub(super) fn show(
    old: &[Record],
    new: &[Record],
    arguments: &ChangeArguments,
    file: Option<OutFile>,
    console: &mut Console,
) -> Result<Exit, CliError> {
    let comparison = compare(old, new);
    let lucky = arguments.luck.then(|| luck(&comparison)).flatten();
    if arguments.luck && lucky.is_none() {
        return Err(CliError::Usage(
            "--luck found no metric of which both files have layouts; write both with `cyclescope luck … --format json --out FILE`",
        ));
    }
    let judged = judge(&arguments.fail_on, &comparison);
    if let Some(idle) = judged.idle.first() {
        let (bound, count) = (idle.to_string(), comparison.pairs.len());
        return Err(CliError::IdleBound { bound, count });
    }
    let format = arguments.results.format()?;
    let tables = || -> Vec<Table> {
        let judged = (!arguments.fail_on.is_empty()).then(|| verdict(&judged));
        let functions = functions(&comparison, arguments.top);
        let changes = changes(&comparison, arguments.all);
        // The changes of the layouts' figures, one by one, would say what the table of luck says.
        let changes = if lucky.is_some() && !arguments.all { Vec::new() } else { changes };
        judged.into_iter().chain(lucky.clone()).chain(changes).chain(functions).chain(unlike(&comparison)).collect()
    };
    let text = |surface| match format {
        CompareFormat::Table => render(Format::Table, &tables(), Vec::new(), surface),
        CompareFormat::Markdown => render(Format::Markdown, &tables(), Vec::new(), surface),
        CompareFormat::Json => Ok(comparison_json(TOOL, &comparison, &judged)?),
        CompareFormat::Github => Ok(annotations(&judged)),
    };
    console.results(file, "the changes", text)?;
    if !judged.breaches.is_empty() {
        let (s, count) = (if judged.breaches.len() == 1 { "" } else { "s" }, judged.breaches.len());
        console.note(&format!("{count} change{s} beyond what --fail-on allows"));
        return Ok(Exit::BoundBroken);
    }
    Ok(Exit::Success)
}

/// That the sides sum up different numbers of occurrences, where they do.
fn unlike(comparison: &Comparison<'_>) -> Option<Table> {
    let pair = comparison.pairs.iter().find(|pair| pair.new.metric == OCCURRENCES)?;
    let (old, new) = (pair.old.mean, pair.new.mean);
    let times = |count: Number| {
        if count == Number::Integer(1) { "once".to_owned() } else { format!("{} times", number(count, 0)) }
    };
    let mut lines = Table::default();
    lines.note(format!(
        "The span happened {} on the old side and {} on the new: the sums are over different numbers of occurrences.",
        times(old),
        times(new)
    ));
    (old != new).then_some(lines)
}

/// One side of a comparison.
enum Side {
    Records(Vec<Record>),
    Elf(PathBuf, Vec<u8>),
}

fn read(path: &Path) -> Result<Side, CliError> {
    if path.is_dir() {
        return Ok(Side::Records(import(path)?.records));
    }
    let bytes = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
    if bytes.starts_with(b"\x7fELF") {
        return Ok(Side::Elf(path.to_owned(), bytes));
    }
    Ok(Side::Records(parse(path, &String::from_utf8_lossy(&bytes))?.records))
}
