//! `cyclescope history show`.

use cyclescope_history::{Entry, Series};
use cyclescope_records::Statistic;
use cyclescope_report::format::integer;
use cyclescope_report::{Cell, Column, Table, Tone};
use serde_json::{Value, json};

use super::trends::{Trend, change, configuration, figure, found_by, method, newest, setting, text, told, trends};
use super::{Opened, list};
use crate::cli::history::ShowArguments;
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// The most changes of a series that are named below its table.
const MOST: usize = 8;

pub(super) fn show(arguments: &ShowArguments, console: &mut Console) -> Result<Exit, CliError> {
    let opened = Opened::of(&arguments.branch)?;
    let entries = opened.entries()?;
    let trends = trends(&opened, &entries, std::slice::from_ref(&arguments.metric), &arguments.chosen)?;
    let file = arguments.results.open()?;
    let (_, before) = newest(&entries, arguments.last);
    let tables: Vec<Table> = trends
        .iter()
        .flat_map(|trend| trend.series.iter().map(|series| table(trend, series, &entries, before)))
        .collect();
    let json = || {
        let all = trends.iter().flat_map(|trend| trend.series.iter().map(|series| value(trend, series, &entries)));
        let statistic = Statistic::from(arguments.chosen.statistic).name();
        json!({"branch": opened.branch, "statistic": statistic, "series": all.collect::<Vec<_>>()})
    };
    let format = arguments.results.format()?;
    console.results(file, "the trend", |surface| text(format, &tables, json, surface))?;
    Ok(Exit::Success)
}

/// The values of `series` at the entries from place `from` on, a row each.
fn table(trend: &Trend, series: &Series, entries: &[Entry], from: usize) -> Table {
    let (name, record) = (&trend.name, &series.record);
    let mut table = Table::new(
        format!("{}/{} of {}", name.experiment, name.metric, configuration(record)),
        [
            Column::text("commit"),
            Column::text("time").rank(2),
            Column::quantity("value", record.unit.name()),
            Column::number("change"),
            Column::text("change point").rank(1),
        ],
    );
    for (place, point) in series.points.iter().enumerate().filter(|(_, point)| point.entry >= from) {
        let Some(entry) = entries.get(point.entry) else { continue };
        let old = place.checked_sub(1).and_then(|before| series.points.get(before));
        let changed = series.changes.iter().find(|change| change.at == place);
        let tone = if changed.is_some() { Tone::Strong } else { Tone::Plain };
        let difference = old.filter(|old| old.value != point.value).map(|old| change(old.value, point.value));
        table.row([
            Cell::toned(entry.short(), tone),
            Cell::from(entry.time.minute()),
            Cell::toned(figure(point.value), tone),
            Cell::from(difference.unwrap_or_default()),
            Cell::from(changed.map(found_by).unwrap_or_default()),
        ]);
    }
    let hidden = series.points.iter().filter(|point| point.entry < from).count();
    if hidden > 0 {
        let older = counted(hidden as u64, "older value is", "older values are");
        table.note(format!("{older} not shown; --last 0 shows all."));
    }
    let left = series.changes.len().saturating_sub(MOST);
    for point in &series.changes[left..] {
        if let Some(words) = told(series, point, entries) {
            table.note(words);
        }
    }
    if left > 0 {
        table.note(format!("{} earlier changes are not named; --format json has all.", integer(left as i128)));
    }
    if !series.exact {
        table.note(method());
    }
    table
}

/// A series for programs.
fn value(trend: &Trend, series: &Series, entries: &[Entry]) -> Value {
    let record = &series.record;
    let at = |place: usize| series.points.get(place).and_then(|point| entries.get(point.entry)).map(list::value);
    let points = series.points.iter().filter_map(|point| {
        let mut value = list::value(entries.get(point.entry)?);
        value["value"] = json!(point.value);
        value["n"] = json!(point.n);
        value["stddev"] = json!(point.stddev);
        Some(value)
    });
    let changes = series.changes.iter().map(|change| {
        json!({
            "at": at(change.at),
            "before": change.at.checked_sub(1).and_then(at),
            "old": change.before,
            "new": change.after,
            "method": change.method.name(),
            "chance": change.chance,
        })
    });
    json!({
        "experiment": trend.name.experiment,
        "contender": record.contender,
        "mode": record.mode,
        "opt": record.opt,
        "chip": record.chip,
        "memory": record.settings.get("memory").map(ToString::to_string),
        "params": record.params,
        "setting": setting(record),
        "source": record.source.to_string(),
        "metric": trend.name.metric,
        "unit": record.unit.name(),
        "exact": series.exact,
        "points": points.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}
