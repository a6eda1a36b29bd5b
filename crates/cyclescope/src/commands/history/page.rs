//! `cyclescope history page`.

use std::collections::HashMap;

use cyclescope_history::{Entry, Series};
use cyclescope_records::{Record, Statistic};
use cyclescope_report::page::{
    Cell as PageCell, Chart, ChartKind, Column as PageColumn, ContenderRow, Page, Section, html,
};
use cyclescope_report::{Cell, Column, Table};

use super::Opened;
use super::trends::{Trend, change, configuration, figure, found_by, method, newest, setting, trends};
use crate::TOOL;
use crate::cli::history::PageArguments;
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, OutFile};
use crate::page::number_names;

/// The newest entries whose columns a table shows from the beginning.
const SHOWN: usize = 6;

pub(super) fn page(arguments: &PageArguments, console: &mut Console) -> Result<Exit, CliError> {
    let opened = Opened::of(&arguments.branch)?;
    let entries = opened.entries()?;
    let trends = trends(&opened, &entries, &arguments.metrics, &arguments.chosen)?;
    let (shown, from) = newest(&entries, arguments.last);
    if shown.is_empty() {
        return Err(CliError::Usage("the history has no entries to show"));
    }
    let file = OutFile::open(&arguments.out)?;
    let mut behind = Behind::default();
    let statistic = arguments.chosen.statistic.into();
    let mut sections = Vec::new();
    for trend in &trends {
        let section = section(trend, &entries, from, statistic, &opened, &mut behind)?;
        sections.extend((!section.rows.is_empty()).then_some(section));
    }
    number_names(&mut sections);
    let days = match shown {
        [first, .., last] if first.time.day() != last.time.day() => {
            format!("from {} to {}", first.time.day(), last.time.day())
        }
        _ => format!("of {}", shown.first().map(|entry| entry.time.day()).unwrap_or_default()),
    };
    let count = counted(shown.len() as u64, "entry", "entries");
    let page = Page {
        title: format!("History of {}", opened.branch),
        tool: TOOL.to_owned(),
        summary: format!(
            "{count} of the branch {}, {days}: each metric by commit, and where it changed.",
            opened.branch
        ),
        sections,
        runs: Vec::new(),
        facts: crate::page::facts_of(&behind.records),
        core: None,
        records: behind.records,
    };
    let text = html(&page)?;
    let metrics = counted(page.sections.len() as u64, "metric", "metrics");
    let what = format!("a page of {metrics} over {count} ({:.1} MB)", text.len() as f64 / 1e6);
    let path = file.path().to_owned();
    file.put(text.as_bytes(), &what, console)?;
    if arguments.open
        && let Err(error) = open::that_detached(path)
    {
        console.note(&format!("warning: no browser could be started: {error}"));
    }
    Ok(Exit::Success)
}

/// The records behind the cells, each once.
#[derive(Default)]
struct Behind {
    records: Vec<Record>,
    places: HashMap<i64, usize>,
}

impl Behind {
    /// The place of the record with the number `id`.
    fn place(&mut self, id: i64, opened: &Opened) -> Result<usize, CliError> {
        if let Some(place) = self.places.get(&id) {
            return Ok(*place);
        }
        self.records.push(opened.history.record(id).map_err(CliError::history(&opened.path))?);
        self.places.insert(id, self.records.len() - 1);
        Ok(self.records.len() - 1)
    }
}

/// One metric: a row for each configuration, a column for each entry from place `from` on.
fn section(
    trend: &Trend,
    entries: &[Entry],
    from: usize,
    statistic: Statistic,
    opened: &Opened,
    behind: &mut Behind,
) -> Result<Section, CliError> {
    let shown = &entries[from..];
    let unit = trend.name.unit.as_str();
    let column = |(place, entry): (usize, &Entry)| PageColumn {
        title: format!("{} {}", entry.short(), entry.time.day()),
        unit: unit.to_owned(),
        shown: place + SHOWN >= shown.len(),
    };
    let columns: Vec<PageColumn> = shown.iter().enumerate().map(column).collect();
    let mut rows = Vec::new();
    for series in &trend.series {
        let mut cells = vec![None; shown.len()];
        for point in &series.points {
            let Some(cell) = point.entry.checked_sub(from).and_then(|place| cells.get_mut(place)) else { continue };
            *cell = Some(PageCell {
                value: point.value.as_f64(),
                text: figure(point.value),
                record: behind.place(point.record, opened)?,
                statistic,
                luck: None,
            });
        }
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let record = &series.record;
        rows.push(ContenderRow {
            contender: record.contender.clone(),
            version: String::new(),
            opt: record.opt.clone(),
            chip: record.chip.clone(),
            memory: record.chip.as_ref().and_then(|_| record.settings.get("memory")).map(ToString::to_string),
            variant: setting(record),
            cells,
            changes: changes(series, from).collect(),
        });
    }
    let chart = Chart {
        name: "trend".to_owned(),
        title: format!("{} by commit", trend.name.metric),
        caption: "A line a configuration, from the oldest entry to the newest. A diamond is a change point.".to_owned(),
        kind: ChartKind::Trend { columns: (0..columns.len()).collect() },
    };
    let table = table(trend, entries, from);
    let count = counted(rows.len() as u64, "configuration", "configurations");
    let answer = match table.rows.len() as u64 {
        0 => format!("No change in {count}."),
        changes => format!("{} in {count}.", counted(changes, "change", "changes")),
    };
    Ok(Section {
        name: format!("{}-{}", trend.name.experiment, trend.name.metric),
        question: format!("{} of {}, in {unit}", trend.name.metric, trend.name.experiment),
        answer,
        host: trend.series.iter().all(|series| series.record.chip.is_none()),
        variant_name: "setting".to_owned(),
        all_variants: true,
        columns,
        rows,
        charts: vec![chart],
        tables: vec![table],
    })
}

/// The places of changes of `series` among the entries from place `from` on.
fn changes(series: &Series, from: usize) -> impl Iterator<Item = usize> {
    let entry = |at: usize| series.points.get(at).map(|point| point.entry);
    series.changes.iter().filter_map(move |change| entry(change.at)?.checked_sub(from))
}

/// The changes of all configurations, each with its commit and the one before.
fn table(trend: &Trend, entries: &[Entry], from: usize) -> Table {
    let mut table = Table::new(
        "Change points",
        [
            Column::text("configuration"),
            Column::text("changed at"),
            Column::text("time"),
            Column::text("the one before"),
            Column::quantity("old", &trend.name.unit),
            Column::quantity("new", &trend.name.unit),
            Column::number("change"),
            Column::text("found by"),
        ],
    );
    for series in &trend.series {
        let entry = |at: usize| series.points.get(at).and_then(|point| Some((point.entry, entries.get(point.entry)?)));
        for point in &series.changes {
            let (Some((place, now)), Some((_, before))) = (entry(point.at), point.at.checked_sub(1).and_then(entry))
            else {
                continue;
            };
            if place < from {
                continue;
            }
            table.row([
                Cell::from(configuration(&series.record)),
                Cell::from(now.short()),
                Cell::from(now.time.minute()),
                Cell::from(before.short()),
                Cell::from(figure(point.before)),
                Cell::from(figure(point.after)),
                Cell::from(change(point.before, point.after)),
                Cell::from(found_by(point)),
            ]);
        }
    }
    if trend.series.iter().any(|series| !series.exact) {
        table.note(method());
    }
    table
}
