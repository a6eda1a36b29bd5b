//! A view filled in from records.

use std::collections::HashMap;

use cyclescope_experiments::{PageColumn, PageView, Quantity};
use cyclescope_records::{Layouts, Record, Scalar, Source, Statistic, Unit};
use cyclescope_report::format;
use cyclescope_report::page::{Cell, Column, ContenderRow, Section};

/// Tells if `record` fills `column` in `mode`.
fn fits(column: &PageColumn, record: &Record, mode: Option<&str>) -> bool {
    record.metric == column.metric
        && mode.is_none_or(|mode| record.mode == mode)
        && match &column.parameter {
            Some((name, values)) => record.params.get(*name).is_some_and(|known| values.contains(&known.to_string())),
            None => true,
        }
        && !record.params.contains_key("exception")
}

/// Returns the cell of `column` among the records at `own`.
fn cell(column: &PageColumn, records: &[Record], own: &[usize]) -> Option<Cell> {
    let find = |mode: Option<&str>| own.iter().copied().find(|index| fits(column, &records[*index], mode));
    let index = match column.modes.as_slice() {
        [] => find(None),
        modes => modes.iter().find_map(|mode| find(Some(mode))),
    }?;
    let record = &records[index];
    let number = match &column.quantity {
        Quantity::Parameter(name) => {
            let Some(Scalar::Number(number)) = record.params.get(*name) else { return None };
            *number
        }
        _ => column.statistic.of(record),
    };
    let factor = match (&column.quantity, record.clock_hz) {
        (Quantity::Whole | Quantity::Parameter(_), _) => 1.0,
        (Quantity::Percent, _) => 100.0,
        (Quantity::Milliseconds, Some(hz)) if hz > 0 && record.unit == Unit::Cycles => 1e3 / hz as f64,
        (Quantity::Milliseconds, _) => 1e-6,
    };
    let value = number.as_f64() * factor;
    let text = match &column.quantity {
        Quantity::Whole => format::number(number, places(value)),
        Quantity::Parameter(_) => format::number(number, 2),
        Quantity::Percent | Quantity::Milliseconds => format::decimal(value, 2),
    };
    // Layouts are told apart by the figure that stands for a run: its only value, or the mean.
    let is_mean = matches!(column.statistic, Statistic::Value | Statistic::Mean);
    let layouts = Layouts::of(record).filter(|layouts| is_mean && !layouts.others.is_empty());
    let luck = layouts.map(|layouts| (layouts.range().map(|figure| figure * factor), layouts.others.len()));
    Some(Cell { value, text, record: index, statistic: column.statistic, luck })
}

/// Gives whole numbers beside numbers with places in their column as many.
fn even(mut rows: Vec<ContenderRow>, columns: usize) -> Vec<ContenderRow> {
    for column in 0..columns {
        let cells = || rows.iter().filter_map(|row| row.cells.get(column)?.as_ref());
        if !cells().any(|cell| cell.text.contains('.')) {
            continue;
        }
        for cell in rows.iter_mut().filter_map(|row| row.cells.get_mut(column)?.as_mut()) {
            if !cell.text.contains('.') {
                cell.text = format::decimal(cell.value, places(cell.value));
            }
        }
    }
    rows
}

/// As many places as give three digits, at most three.
fn places(value: f64) -> usize {
    match value.abs() {
        size if size >= 100.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    }
}

/// The rows of `view` among the records at `own`; those of several files stay apart.
pub(super) fn section(view: &PageView, records: &[Record], own: &[usize], files: &[String]) -> Section {
    type Key<'r> = (&'r str, &'r str, Option<&'r str>, Option<String>, String, &'r str);
    let mut places: HashMap<Key<'_>, usize> = HashMap::new();
    let mut groups: Vec<(Key<'_>, Vec<usize>)> = Vec::new();
    for index in own.iter().copied() {
        let record = &records[index];
        let Some(variant) = (view.variant)(record) else { continue };
        let memory = record.chip.as_ref().and_then(|_| record.settings.get("memory")).map(Scalar::to_string);
        let key = (
            record.contender.as_str(),
            record.opt.as_str(),
            record.chip.as_deref(),
            memory,
            variant,
            files[index].as_str(),
        );
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(index);
    }
    let several = groups.iter().any(|(key, _)| key.5 != groups[0].0.5);
    let rows: Vec<ContenderRow> = groups
        .iter()
        .map(|((contender, opt, chip, memory, variant, file), own)| {
            let version = own.first().map(|index| records[*index].contender_version.clone()).unwrap_or_default();
            let variant = [variant.as_str(), if several { file } else { "" }];
            ContenderRow {
                contender: (*contender).to_owned(),
                // A version that only repeats the name says nothing.
                version: if version == *contender { String::new() } else { version },
                opt: (*opt).to_owned(),
                chip: chip.map(str::to_owned),
                memory: memory.clone(),
                variant: variant.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "),
                cells: view.columns.iter().map(|column| cell(column, records, own)).collect(),
                changes: Vec::new(),
            }
        })
        .filter(|row| row.cells.iter().any(Option::is_some))
        .collect();
    let rows = even(rows, view.columns.len());
    let columns =
        view.columns.iter().map(|c| Column { title: c.title.clone(), unit: c.unit.clone(), shown: c.shown }).collect();
    Section {
        name: view.name.clone(),
        question: view.question.clone(),
        answer: String::new(),
        host: own.iter().any(|index| records[*index].source == Source::Host),
        variant_name: if several && view.variant_name.is_empty() {
            "file".to_owned()
        } else {
            view.variant_name.to_owned()
        },
        all_variants: view.all_variants,
        columns,
        rows,
        charts: view.charts.clone(),
        tables: Vec::new(),
    }
}
