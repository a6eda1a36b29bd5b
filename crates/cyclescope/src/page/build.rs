//! A view filled in from records.

use std::collections::HashMap;

use cyclescope_page::{Cell, Chart, Column, Row, Section};
use cyclescope_records::{Record, Scalar, Source, Statistic};
use cyclescope_report::format;

/// What one experiment, or one axis of it, shows.
pub(super) struct View {
    /// The section's name.
    pub(super) name: String,
    /// What stands as its question where the experiment does not say.
    pub(super) question: String,
    /// What `variant` tells rows apart by; empty if by nothing.
    pub(super) told_by: &'static str,
    /// Whether the page begins with all variants and not with the first.
    pub(super) all_variants: bool,
    /// Which variant of its contender a record belongs to; none: it is not in this view.
    pub(super) variant: fn(&Record) -> Option<String>,
    /// Its columns.
    pub(super) columns: Vec<Wanted>,
    /// Its charts.
    pub(super) charts: Vec<Chart>,
}

/// How a record's number becomes a column's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// In the record's own unit.
    Whole,
    /// In milliseconds: cycles by the record's clock, or nanoseconds.
    Milliseconds,
    /// A ratio in per cent.
    Percent,
    /// Not the record's number but the value of this parameter.
    Parameter(&'static str),
}

/// A column and which record fills it.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) shown: bool,
    pub(super) metric: String,
    /// The modes to look in, the first that has it; empty: any.
    pub(super) modes: Vec<&'static str>,
    /// A parameter that the record must have, and the values it may have.
    pub(super) parameter: Option<(&'static str, Vec<String>)>,
    pub(super) statistic: Statistic,
    pub(super) how: Shown,
}

/// A column of `metric` that is there from the beginning.
pub(super) fn column(title: &str, unit: &str, metric: &str) -> Wanted {
    Wanted {
        title: title.to_owned(),
        unit: unit.to_owned(),
        shown: true,
        metric: metric.to_owned(),
        modes: Vec::new(),
        parameter: None,
        statistic: Statistic::Value,
        how: Shown::Whole,
    }
}

impl Wanted {
    pub(super) fn modes(mut self, modes: &[&'static str]) -> Self {
        self.modes = modes.to_vec();
        self
    }

    pub(super) fn row(self, row: &str) -> Self {
        self.with("row", &[row])
    }

    /// The parameter called `name` must have one of `values`.
    pub(super) fn with(mut self, name: &'static str, values: &[&str]) -> Self {
        self.parameter = Some((name, values.iter().map(|value| (*value).to_owned()).collect()));
        self
    }

    pub(super) fn of(mut self, statistic: Statistic) -> Self {
        self.statistic = statistic;
        self
    }

    pub(super) fn how(mut self, how: Shown) -> Self {
        self.how = how;
        self
    }

    pub(super) fn hidden(mut self) -> Self {
        self.shown = false;
        self
    }

    fn fits(&self, record: &Record, mode: Option<&str>) -> bool {
        record.metric == self.metric
            && mode.is_none_or(|mode| record.mode == mode)
            && match &self.parameter {
                Some((name, values)) => {
                    record.params.get(*name).is_some_and(|known| values.contains(&known.to_string()))
                }
                None => true,
            }
            && !record.params.contains_key("exception")
    }

    fn cell(&self, records: &[Record], own: &[usize]) -> Option<Cell> {
        let find = |mode: Option<&str>| own.iter().copied().find(|index| self.fits(&records[*index], mode));
        let index = match self.modes.as_slice() {
            [] => find(None),
            modes => modes.iter().find_map(|mode| find(Some(mode))),
        }?;
        let record = &records[index];
        let number = self.statistic.of(record);
        let whole = number.as_f64();
        let (value, text) = match &self.how {
            Shown::Whole => (whole, format::number(number, places(whole))),
            Shown::Percent => (whole * 100.0, format::decimal(whole * 100.0, 2)),
            Shown::Milliseconds => {
                let milliseconds = match record.clock_hz {
                    Some(hz) if hz > 0 && record.unit == cyclescope_records::Unit::Cycles => whole * 1e3 / hz as f64,
                    _ => whole / 1e6,
                };
                (milliseconds, format::decimal(milliseconds, 2))
            }
            Shown::Parameter(name) => {
                let Some(Scalar::Number(number)) = record.params.get(*name) else { return None };
                (number.as_f64(), format::number(*number, 2))
            }
        };
        Some(Cell { value, text, record: index, statistic: self.statistic })
    }
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
pub(super) fn section(view: &View, records: &[Record], own: &[usize], files: &[String]) -> Section {
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
    let rows: Vec<Row> = groups
        .iter()
        .map(|((contender, opt, chip, memory, variant, file), own)| {
            let version = own.first().map(|index| records[*index].contender_version.clone()).unwrap_or_default();
            let variant = [variant.as_str(), if several { file } else { "" }];
            Row {
                contender: (*contender).to_owned(),
                // A version that only repeats the name says nothing.
                version: if version == *contender { String::new() } else { version },
                opt: (*opt).to_owned(),
                chip: chip.map(str::to_owned),
                memory: memory.clone(),
                variant: variant.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "),
                cells: view.columns.iter().map(|column| column.cell(records, own)).collect(),
            }
        })
        .filter(|row| row.cells.iter().any(Option::is_some))
        .collect();
    let columns =
        view.columns.iter().map(|c| Column { title: c.title.clone(), unit: c.unit.clone(), shown: c.shown }).collect();
    Section {
        name: view.name.clone(),
        question: view.question.clone(),
        answer: String::new(),
        host: own.iter().any(|index| records[*index].source == Source::Host),
        told_by: if several && view.told_by.is_empty() { "file".to_owned() } else { view.told_by.to_owned() },
        all_variants: view.all_variants,
        columns,
        rows,
        charts: view.charts.clone(),
        tables: Vec::new(),
    }
}
