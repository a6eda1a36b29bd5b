//! `cyclescope history list`.

use cyclescope_history::{Entry, History};
use cyclescope_report::format::integer;
use cyclescope_report::{Cell, Column, Table};
use serde_json::{Value, json};

use super::trends::{newest, text};
use crate::cli::history::ListArguments;
use crate::commands::check_names;
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

pub(super) fn list(arguments: &ListArguments, console: &mut Console) -> Result<Exit, CliError> {
    let failed = CliError::history(&arguments.file);
    let history = History::read(&arguments.file).map_err(failed)?;
    let branch = arguments.branch.as_deref();
    let branches = history.branches().map_err(failed)?;
    let known = branches.iter().map(String::as_str);
    check_names("branch in the history", "history list", arguments.branch.as_slice(), known)?;
    let file = arguments.results.open()?;
    let format = arguments.results.format()?;
    if arguments.metrics {
        let metrics = history.metrics(branch).map_err(failed)?;
        let table = Table::of(
            "",
            &metrics,
            &[
                (Column::text("experiment"), &|name| Cell::from(&*name.experiment)),
                (Column::symbol("metric"), &|name| Cell::from(&*name.metric)),
                (Column::text("unit"), &|name| Cell::from(&*name.unit)),
            ],
        );
        let json = || -> Value {
            let of = |name: &cyclescope_history::MetricName| json!({"experiment": name.experiment, "metric": name.metric, "unit": name.unit});
            json!({"metrics": metrics.iter().map(of).collect::<Vec<_>>()})
        };
        console.results(file, "the metrics", |surface| text(format, &[table], json, surface))?;
        return Ok(Exit::Success);
    }
    let entries = history.entries(branch).map_err(failed)?;
    let (shown, before) = newest(&entries, arguments.last);
    let mut table = Table::of(
        "",
        shown,
        &[
            (Column::number("#"), &|entry| Cell::from(entry.id.to_string())),
            (Column::text("commit"), &|entry| Cell::from(entry.commit.chars().take(10).collect::<String>())),
            (Column::text("branch"), &|entry| Cell::from(&*entry.branch)),
            (Column::text("time"), &|entry| Cell::from(entry.time.minute())),
            (Column::number("records"), &|entry| Cell::from(integer(entry.records.into()))),
            (Column::symbol("from").rank(1), &|entry| Cell::from(&*entry.source)),
        ],
    );
    if before > 0 {
        let older = counted(before as u64, "older entry is", "older entries are");
        table.note(format!("{older} not shown; --last 0 shows all."));
    }
    let json = || json!({"entries": entries.iter().map(value).collect::<Vec<_>>()});
    console.results(file, "the entries", |surface| text(format, &[table], json, surface))?;
    Ok(Exit::Success)
}

/// An entry for programs.
pub(super) fn value(entry: &Entry) -> Value {
    json!({
        "entry": entry.id,
        "commit": if entry.commit.is_empty() { Value::Null } else { json!(entry.commit) },
        "branch": entry.branch,
        "time": entry.time.to_string(),
        "records": entry.records,
        "source": entry.source,
    })
}
